/*
 * prelude_settings.h: more calls of generated programs: on two descriptors, sizes of pipes, names of sockets, signalfd,
 * settings of the process. Part of prelude.h.
 */
#include <netinet/in.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/time.h>

/* ---- calls on two descriptors ---- */

static void call_sendfile(unsigned *reg, int from, int to, int count)
{
	fold_result(reg, sendfile(to, from, NULL, (size_t)count));
}
static void call_splice(unsigned *reg, int from, int to, int count)
{
	long r = -1;
	POINT(r = splice(from, NULL, to, NULL, (size_t)count, 0));
	fold_result(reg, r);
}
static void call_copyrange(unsigned *reg, int from, int to, int count)
{
	long r = -1;
	POINT(r = copy_file_range(from, NULL, to, NULL, (size_t)count, 0));
	fold_result(reg, r);
}
static void call_pipesize(unsigned *reg, int fd, int pages)
{
	int r = fcntl(fd, F_SETPIPE_SZ, pages * PAGE);
	fold_result(reg, r < 0 ? r : r / PAGE);
}
static void call_getpipesize(unsigned *reg, int fd)
{
	int r = fcntl(fd, F_GETPIPE_SZ);
	fold_result(reg, r < 0 ? r : r / PAGE);
}

/* ---- names of sockets ---- */

enum { PORTS = 24300 };
static void call_bind(unsigned *reg, int fd, int port)
{
	struct sockaddr_in a = {.sin_family = AF_INET,
				.sin_port = htons((unsigned short)(PORTS + port)),
				.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	fold_result(reg, bind(fd, (struct sockaddr *)&a, sizeof(a)));
}
static void call_sockname(unsigned *reg, int fd)
{
	struct sockaddr_in a = {0};
	socklen_t n = sizeof(a);
	int r = getsockname(fd, (struct sockaddr *)&a, &n);
	fold_result(reg, r < 0 ? r : a.sin_port ? ntohs(a.sin_port) - PORTS : 0);
}
static void setup_inet(void)
{
	socket(AF_INET, SOCK_STREAM, 0);
	socket(AF_INET, SOCK_STREAM, 0);
}

/* ---- signals through a descriptor ---- */

static void call_sigread(unsigned *reg, int fd)
{
	struct signalfd_siginfo info = {0};
	long r = -1;
	POINT(r = read(fd, &info, sizeof(info)));
	fold_result(reg, r < 0 ? r : number_of((int)info.ssi_signo, info.ssi_int));
}
static void setup_signalfd(void)
{
	sigset_t set;
	blocked(&set);
	if (signalfd(-1, &set, 0) < 0)
		abort();
}
static void call_sigqueue(unsigned *reg, int value)
{
	fold_result(reg, sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = value}));
}
static void call_tsigqueue(unsigned *reg, int t, int value)
{
	int r = pthread_sigqueue(thread[t], SIGRTMIN, (union sigval){.sival_int = value});
	fold(reg, -r);
}
static void call_setitimer(unsigned *reg, int seconds)
{
	struct itimerval old, new = {.it_value.tv_sec = seconds};
	int r = setitimer(ITIMER_REAL, &new, &old);
	fold_result(reg, r < 0 ? r : old.it_value.tv_sec > 0 || old.it_value.tv_usec > 0);
}
static void call_alarm(unsigned *reg, int seconds)
{
	fold(reg, alarm((unsigned)seconds) > 0);
}
static void call_getitimer(unsigned *reg)
{
	struct itimerval now;
	int r = getitimer(ITIMER_REAL, &now);
	fold_result(reg, r < 0 ? r : now.it_value.tv_sec > 0 || now.it_value.tv_usec > 0);
}

/* ---- settings: 0 is what they are at the start; those of threads are the main thread's ---- */

static pid_t main_tid;
static int nice_at_start;
static void prepare_settings(void)
{
	main_tid = getpid();
	struct rlimit none = {0, RLIM_INFINITY};
	getrlimit(RLIMIT_CORE, &none);
	none.rlim_cur = 0;
	setrlimit(RLIMIT_CORE, &none);
	nice_at_start = getpriority(PRIO_PROCESS, (id_t)main_tid);
}
static void call_set(unsigned *reg, const char *what, int value)
{
	int r = 0;
	if (what[0] == 'c' && what[1] == 'o') {
		struct rlimit l;
		getrlimit(RLIMIT_CORE, &l);
		l.rlim_cur = (rlim_t)value * 10;
		r = setrlimit(RLIMIT_CORE, &l);
	} else if (what[0] == 'd') {
		r = prctl(PR_SET_DUMPABLE, value == 1 ? 0 : 1);
	} else if (what[0] == 'c') {
		cpu_set_t set;
		CPU_ZERO(&set);
		CPU_SET(0, &set);
		if (value == 2)
			CPU_SET(1, &set);
		r = sched_setaffinity(main_tid, sizeof(set), &set);
	} else {
		r = setpriority(PRIO_PROCESS, (id_t)main_tid, nice_at_start + 1);
	}
	fold_result(reg, r);
}
static void call_get(unsigned *reg, const char *what)
{
	if (what[0] == 'c' && what[1] == 'o') {
		struct rlimit l;
		getrlimit(RLIMIT_CORE, &l);
		fold(reg, (long)l.rlim_cur / 10);
	} else if (what[0] == 'd') {
		fold(reg, prctl(PR_GET_DUMPABLE) ? 0 : 1);
	} else if (what[0] == 'c') {
		cpu_set_t set;
		CPU_ZERO(&set);
		sched_getaffinity(main_tid, sizeof(set), &set);
		fold(reg, CPU_ISSET(1, &set) ? 0 : 1);
	} else {
		fold(reg, getpriority(PRIO_PROCESS, (id_t)main_tid) - nice_at_start);
	}
}
