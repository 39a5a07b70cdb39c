/*
 * What the program sets is what /proc/self tells: the name of its first thread, the umask, limits, how many threads
 * there are. Another thread sets it; both orders are seen. What goes beyond a limit is refused.
 *
 * heddle: verdict=verified outcomes=0,1 args=comm
 * heddle: verdict=verified outcomes=0,1 args=umask
 * heddle: verdict=verified outcomes=0,1 args=limits
 * heddle: verdict=verified outcomes=1,2 args=threads
 * heddle: verdict=incomplete refused~="/proc/self" args=write
 * heddle: verdict=incomplete refused~=RLIMIT_FSIZE args=filesize
 * heddle: verdict=incomplete refused~=RLIMIT_AS args=space
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "guest.h"

static const char *what;
static pthread_t first;

static int is(const char *name)
{
	return !strcmp(what, name);
}

static void set_limit(int resource, rlim_t value)
{
	struct rlimit limit;
	OK(getrlimit((__rlimit_resource_t)resource, &limit));
	limit.rlim_cur = value;
	OK(setrlimit((__rlimit_resource_t)resource, &limit));
}

static void *other(void *arg)
{
	if (is("comm"))
		OK(pthread_setname_np(first, "boss"));
	else if (is("umask"))
		umask(077);
	else if (is("limits"))
		set_limit(RLIMIT_NOFILE, 77);
	return arg;
}

/* The number behind a word of a file below /proc/self; 1: the text stands there. */
static unsigned tells(const char *file, const char *format)
{
	char line[200];
	unsigned value = 0;
	FILE *f = fopen(file, "r");
	CHECK(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, format, &value) == 1)
			break;
	fclose(f);
	return value;
}

static unsigned look(void)
{
	char name[20] = "";
	if (is("comm")) {
		FILE *f = fopen("/proc/self/comm", "r");
		CHECK(f && fgets(name, sizeof(name), f));
		return !strcmp(name, "boss\n");
	}
	if (is("umask"))
		return tells("/proc/self/status", "Umask: %o") == 077;
	if (is("limits"))
		return tells("/proc/self/limits", "Max open files %u") == 77;
	return tells("/proc/self/status", "Threads: %u");
}

static void go_beyond(void)
{
	char path[] = "/tmp/limitXXXXXX", zero[200] = "";
	if (is("write")) {
		int fd = open("/proc/self/comm", O_WRONLY);
		CHECK(fd < 0 || write(fd, "x", 1) == 1);
	} else if (is("filesize")) {
		set_limit(RLIMIT_FSIZE, 100);
		CHECK(write(mkstemp(path), zero, sizeof(zero)) <= 100);
	} else {
		set_limit(RLIMIT_AS, 1 << 20);
		CHECK(mmap(NULL, 1 << 24, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
	}
}

int main(int argc, char **argv)
{
	what = argc > 1 ? argv[1] : "limits";
	first = pthread_self();
	umask(022);
	if (is("write") || is("filesize") || is("space")) {
		go_beyond();
		return 0;
	}
	pthread_t t = spawn(other, NULL);
	unsigned seen = look();
	join(t);
	heddle_outcome(seen);
	return 0;
}
