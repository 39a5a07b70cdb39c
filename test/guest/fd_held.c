/*
 * Finding what is behind a number and working on it are two moments: a thread changes something through a
 * descriptor that another one closes, and looks at through a second one. Changed before the look, not at all, and
 * changed after the look although the number was closed before it: three outcomes.
 *
 * heddle: verdict=verified outcomes=0,1,2 args=truncate
 * heddle: verdict=verified outcomes=0,1,2 args=chmod
 * heddle: verdict=verified outcomes=0,1,2 args=seek
 * heddle: verdict=verified outcomes=0,1,2 args=flags
 * heddle: verdict=verified outcomes=0,1,2 args=lock
 * heddle: verdict=verified outcomes=0,1,2 args=option
 * heddle: verdict=verified outcomes=0,1,2 args=bind
 * heddle: verdict=verified outcomes=0,1,2 args=pipesize
 * heddle: verdict=verified outcomes=0,1,2 args=openat
 * heddle: verdict=verified outcomes=0,1,2 args=chdir
 */
#include "guest.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>

static int first, second, result, kept_out;
static const char *what;

static int is(const char *name)
{
	return !strcmp(what, name);
}

static int change(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(7001)};
	int on = 1;
	if (is("truncate"))
		return ftruncate(second, 0);
	if (is("chmod"))
		return fchmod(second, 0700);
	if (is("seek"))
		return lseek(second, 0, SEEK_SET) < 0;
	if (is("flags"))
		return fcntl(second, F_SETFL, O_APPEND);
	if (is("lock"))
		return flock(second, LOCK_EX | LOCK_NB) && !(kept_out = errno == EAGAIN);
	if (is("option"))
		return setsockopt(second, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (is("bind"))
		return bind(second, (struct sockaddr *)&at, sizeof(at));
	if (is("pipesize"))
		return fcntl(second, F_SETPIPE_SZ, 8192) < 0;
	if (is("openat"))
		return openat(second, "new", O_CREAT | O_RDWR, 0600) < 0;
	return fchdir(second);
}

static int look(void)
{
	struct stat st;
	struct sockaddr_in at;
	socklen_t n = sizeof(at), on_size = sizeof(int);
	char path[64];
	int on;
	OK(fstat(first, &st));
	if (is("truncate"))
		return st.st_size == 0;
	if (is("chmod"))
		return (st.st_mode & 0777) == 0700;
	if (is("seek"))
		return lseek(first, 0, SEEK_CUR) == 0;
	if (is("flags"))
		return !!(fcntl(first, F_GETFL) & O_APPEND);
	if (is("lock"))
		return flock(first, LOCK_EX | LOCK_NB) != 0;
	if (is("option"))
		return getsockopt(first, SOL_SOCKET, SO_REUSEADDR, &on, &on_size) == 0 && on;
	if (is("bind"))
		return getsockname(first, (struct sockaddr *)&at, &n) == 0 && at.sin_port;
	if (is("pipesize"))
		return fcntl(first, F_GETPIPE_SZ) == 8192;
	if (is("openat"))
		return faccessat(first, "new", F_OK, 0) == 0;
	return getcwd(path, sizeof(path)) && strlen(path) > 1;
}

static void set_up(void)
{
	char file[] = "/tmp/heldXXXXXX", directory[] = "/tmp/heldXXXXXX";
	int ends[2];
	if (is("option") || is("bind")) {
		first = socket(AF_INET, SOCK_STREAM, 0);
	} else if (is("pipesize")) {
		OK(pipe(ends));
		first = ends[0];
	} else if (is("openat") || is("chdir")) {
		CHECK(mkdtemp(directory) && chdir("/") == 0);
		first = open(directory, O_RDONLY | O_DIRECTORY);
	} else {
		first = mkstemp(file);
		CHECK(write(first, "abc", 3) == 3);
	}
	second = is("lock") ? open(file, O_RDWR) : dup(first);
	CHECK(first >= 0 && second >= 0);
}

static void *other(void *arg)
{
	result = change();
	return arg;
}

int main(int argc, char **argv)
{
	what = argc > 1 ? argv[1] : "truncate";
	set_up();
	pthread_t t = spawn(other, NULL);
	OK(close(second));
	int seen = look();
	join(t);
	heddle_outcome((unsigned)(result ? 2 : 0) + (unsigned)(seen || kept_out ? 1 : 0));
	return 0;
}
