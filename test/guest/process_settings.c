/*
 * Settings of the process, of a socket, of a pipe: a set by one thread is read back by another, or not yet.
 *
 * heddle: args=umask verdict=verified outcomes=18,63
 * heddle: args=cwd verdict=verified outcomes=0,1
 * heddle: args=rlimit verdict=verified outcomes=0,1
 * heddle: args=beyond verdict=verified outcomes=0,1
 * heddle: args=affinity verdict=verified outcomes=0,1
 * heddle: args=nice verdict=verified outcomes=0,1
 * heddle: args=prctl verdict=verified outcomes=0,1
 * heddle: args=keepalive verdict=verified outcomes=0,1
 * heddle: args=rcvbuf verdict=verified outcomes=0,1
 * heddle: args=nodelay verdict=verified outcomes=0,1
 * heddle: args=bind verdict=verified outcomes=0,1
 * heddle: args=pipesize verdict=verified outcomes=0,1
 * heddle: args=nonblock verdict=verified outcomes=1,11
 * heddle: args=schedparam verdict=verified outcomes=0,1
 * heddle: args=brk verdict=verified outcomes=0,1
 * heddle: args=dumpable verdict=verified outcomes=0,1
 * native: skip
 */
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "guest.h"

static const char *how;
static int ends[2], sock;
static pthread_t main_thread;
static void *brk_before;

static int is(const char *name)
{
	return !strcmp(how, name);
}

static void *sets(void *arg)
{
	int one = 1, big = 30000;
	struct rlimit files = {100, 100}, few = {100, 8192};
	struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(4000)};
	struct sched_param param = {0};
	cpu_set_t cpus;
	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	if (is("umask"))
		umask(077);
	else if (is("cwd"))
		OK(chdir("/"));
	else if (is("rlimit"))
		OK(setrlimit(RLIMIT_NOFILE, &files));
	else if (is("beyond"))
		OK(setrlimit(RLIMIT_NOFILE, &few));
	else if (is("affinity"))
		OK(pthread_setaffinity_np(main_thread, sizeof(cpus), &cpus));
	else if (is("nice"))
		OK(setpriority(PRIO_PROCESS, (id_t)getpid(), 5));
	else if (is("prctl"))
		OK(pthread_setname_np(main_thread, "renamed"));
	else if (is("keepalive"))
		OK(setsockopt(sock, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one)));
	else if (is("rcvbuf"))
		OK(setsockopt(sock, SOL_SOCKET, SO_RCVBUF, &big, sizeof(big)));
	else if (is("nodelay"))
		OK(setsockopt(sock, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)));
	else if (is("bind"))
		OK(bind(sock, (struct sockaddr *)&any, sizeof(any)));
	else if (is("pipesize"))
		CHECK(fcntl(ends[0], F_SETPIPE_SZ, 4096) == 4096);
	else if (is("nonblock"))
		fcntl(ends[0], F_SETFL, O_NONBLOCK), (void)!write(ends[1], "x", 1);
	else if (is("schedparam"))
		OK(pthread_setschedparam(main_thread, SCHED_BATCH, &param));
	else if (is("brk"))
		sbrk(4096);
	else if (is("dumpable"))
		OK(prctl(PR_SET_DUMPABLE, 0));
	return arg;
}

static int looks(void)
{
	char c, name[16] = "";
	int v = 0, policy;
	socklen_t len = sizeof(v);
	struct rlimit files = {1000, 8192};
	struct sockaddr_in a;
	struct sched_param param;
	cpu_set_t cpus;
	static char path[4096];
	if (is("umask"))
		return (int)umask(022);
	if (is("cwd"))
		return !strcmp(getcwd(path, sizeof(path)), "/");
	if (is("rlimit"))
		return getrlimit(RLIMIT_NOFILE, &files), files.rlim_cur == 100;
	if (is("beyond"))
		return setrlimit(RLIMIT_NOFILE, &files), dup2(0, 200) < 0;
	if (is("affinity"))
		return pthread_getaffinity_np(main_thread, sizeof(cpus), &cpus), CPU_COUNT(&cpus) == 1;
	if (is("nice"))
		return getpriority(PRIO_PROCESS, (id_t)getpid()) == 5;
	if (is("prctl"))
		return prctl(PR_GET_NAME, name), !strcmp(name, "renamed");
	if (is("keepalive"))
		return getsockopt(sock, SOL_SOCKET, SO_KEEPALIVE, &v, &len), v != 0;
	if (is("rcvbuf"))
		return getsockopt(sock, SOL_SOCKET, SO_RCVBUF, &v, &len), v == 60000;
	if (is("nodelay"))
		return getsockopt(sock, IPPROTO_TCP, TCP_NODELAY, &v, &len), v != 0;
	if (is("bind"))
		return len = sizeof(a), getsockname(sock, (struct sockaddr *)&a, &len),
		       a.sin_port == htons(4000);
	if (is("pipesize"))
		return fcntl(ends[1], F_GETPIPE_SZ) == 4096;
	if (is("nonblock"))
		return read(ends[0], &c, 1) == 1 ? 1 : errno;
	if (is("schedparam"))
		return pthread_getschedparam(main_thread, &policy, &param), policy == SCHED_BATCH;
	if (is("brk"))
		return sbrk(0) != brk_before;
	return !prctl(PR_GET_DUMPABLE);
}

int main(int argc, char **argv)
{
	how = argc > 1 ? argv[1] : "umask";
	main_thread = pthread_self();
	umask(022);
	OK(pipe(ends));
	sock = socket(AF_INET, SOCK_STREAM, 0);
	brk_before = sbrk(0);
	pthread_t t = spawn(sets, NULL);
	heddle_outcome(looks());
	join(t);
	return 0;
}
