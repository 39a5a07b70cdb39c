/*
 * prelude.h: the calls of generated programs (generate.py), each folding its result into the thread's register.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <heddle/heddle.h>

enum { MOST = 4, PAGE = 4096 };
static pthread_t thread[MOST];
static unsigned reg[MOST];
static sem_t gate;
static char *page[2];
static int zero, sink[2], first_roll[8];
static char home[] = "/tmp/bruteXXXXXX";

static void fold(unsigned *reg, long value)
{
	*reg = *reg * 31 + (unsigned)value + 1;
}

static void fold_result(unsigned *reg, long ret)
{
	fold(reg, ret < 0 ? -errno : ret);
}

static void fold_bytes(unsigned *reg, long ret, const unsigned char *data)
{
	fold_result(reg, ret);
	for (long i = 0; i < ret; i++)
		fold(reg, data[i]);
}

/* A cancelled thread tells by its register. */
static void cancelled(void *arg)
{
	fold(arg, 777);
}
#define POINT(statement) \
	do { \
		pthread_cleanup_push(cancelled, reg); \
		statement; \
		pthread_cleanup_pop(0); \
	} while (0)

static void begin(void)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	while (sem_wait(&gate))
		;
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
}

/* ---- descriptors ---- */

static void call_open(unsigned *reg, const char *name, int flags)
{
	long r = -1;
	POINT(r = open(name, flags, 0666));
	fold_result(reg, r);
}
static void call_close(unsigned *reg, int fd)
{
	long r = -1;
	POINT(r = close(fd));
	fold_result(reg, r);
}
static void call_dup(unsigned *reg, int fd)
{
	fold_result(reg, dup(fd));
}
static void call_dup2(unsigned *reg, int fd, int to)
{
	fold_result(reg, dup2(fd, to));
}
static void call_dup3(unsigned *reg, int fd, int to)
{
	fold_result(reg, dup3(fd, to, O_CLOEXEC));
}
static void call_dupfd(unsigned *reg, int fd, int least)
{
	fold_result(reg, fcntl(fd, F_DUPFD, least));
}
static void fold_two(unsigned *reg, int r, const int *ends)
{
	fold_result(reg, r < 0 ? r : ends[0] * 1000 + ends[1]);
}
static void call_newpipe(unsigned *reg)
{
	int ends[2], r = pipe(ends);
	fold_two(reg, r, ends);
}
static void call_newpair(unsigned *reg)
{
	int ends[2], r = socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	fold_two(reg, r, ends);
}
static void call_closerange(unsigned *reg, int low, int high, int flags)
{
	fold_result(reg, close_range((unsigned)low, (unsigned)high, flags));
}
static void call_getfd(unsigned *reg, int fd)
{
	fold_result(reg, fcntl(fd, F_GETFD));
}
static void call_setfd(unsigned *reg, int fd, int flag)
{
	fold_result(reg, fcntl(fd, F_SETFD, flag));
}
static void call_getfl(unsigned *reg, int fd)
{
	int r = fcntl(fd, F_GETFL);
	fold_result(reg, r < 0 ? r : r & (O_ACCMODE | O_APPEND | O_NONBLOCK));
}
static void call_setfl(unsigned *reg, int fd, int flags)
{
	fold_result(reg, fcntl(fd, F_SETFL, flags));
}
static int event_fd = -1;

static void call_read(unsigned *reg, int fd, int count)
{
	unsigned char data[8];
	long r = -1;
	if (event_fd >= 0) {
		/* An eventfd wants eight bytes; other kinds are never in a program that has one. */
		unsigned long long value = 0;
		POINT(r = read(fd, &value, 8));
		fold_result(reg, r < 0 ? r : (long)value);
		return;
	}
	POINT(r = read(fd, data, (size_t)count));
	fold_bytes(reg, r, data);
}
static void call_write(unsigned *reg, int fd, int byte)
{
	unsigned char c = (unsigned char)byte;
	unsigned long long value = (unsigned long long)byte;
	long r = -1;
	POINT(r = event_fd >= 0 ? write(fd, &value, 8) : write(fd, &c, 1));
	fold_result(reg, r);
}
static void call_pread(unsigned *reg, int fd, int count, int at)
{
	unsigned char data[8];
	long r = -1;
	POINT(r = pread(fd, data, (size_t)count, at));
	fold_bytes(reg, r, data);
}
static void call_flock(unsigned *reg, int fd, int how)
{
	fold_result(reg, flock(fd, how | LOCK_NB));
}
static void call_ofdlock(unsigned *reg, int fd, int how)
{
	struct flock l = {.l_type = how == 8 ? F_UNLCK : how == 2 ? F_WRLCK : F_RDLCK, .l_whence = SEEK_SET};
	long r = -1;
	POINT(r = fcntl(fd, F_OFD_SETLK, &l));
	fold_result(reg, r);
}
static void call_lseek(unsigned *reg, int fd, int offset, int whence)
{
	fold_result(reg, lseek(fd, offset, whence));
}
static void call_ftruncate(unsigned *reg, int fd, int size)
{
	fold_result(reg, ftruncate(fd, size));
}
static void call_fsize(unsigned *reg, int fd)
{
	struct stat st;
	int r = fstat(fd, &st);
	fold_result(reg, r < 0 ? r : S_ISREG(st.st_mode) ? st.st_size * 8 + (long)st.st_nlink : 1);
}
static void call_fchmod(unsigned *reg, int fd, int mode)
{
	fold_result(reg, fchmod(fd, (mode_t)mode));
}
static void call_fmode(unsigned *reg, int fd)
{
	struct stat st;
	int r = fstat(fd, &st);
	fold_result(reg, r < 0 ? r : S_ISREG(st.st_mode) ? (long)(st.st_mode & 0777) : 1);
}
static void call_setopt(unsigned *reg, int fd, int which, int value)
{
	fold_result(reg, setsockopt(fd, SOL_SOCKET, which, &value, sizeof(value)));
}
static void call_getopt(unsigned *reg, int fd, int which)
{
	int value = 0;
	socklen_t n = sizeof(value);
	int r = getsockopt(fd, SOL_SOCKET, which, &value, &n);
	fold_result(reg, r < 0 ? r : value);
}

static int epoll_set;
static void call_epadd(unsigned *reg, int fd)
{
	struct epoll_event e = {.events = EPOLLIN, .data.fd = fd};
	fold_result(reg, epoll_ctl(epoll_set, EPOLL_CTL_ADD, fd, &e));
}
static void call_epdel(unsigned *reg, int fd)
{
	fold_result(reg, epoll_ctl(epoll_set, EPOLL_CTL_DEL, fd, NULL));
}
static void call_epwait(unsigned *reg)
{
	struct epoll_event e[8];
	long total = 0;
	int n = 0;
	POINT(n = epoll_wait(epoll_set, e, 8, 0));
	for (int i = 0; i < n; i++)
		total += e[i].data.fd * 64 + (long)e[i].events;
	fold_result(reg, total);
}
static void call_shutdown(unsigned *reg, int fd, int how)
{
	fold_result(reg, shutdown(fd, how)); /* SHUT_RD, SHUT_WR, SHUT_RDWR */
}
static void call_poll(unsigned *reg, int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	POINT(poll(&p, 1, 0));
	fold(reg, p.revents);
}

static struct sockaddr_un listening_at = {.sun_family = AF_UNIX, .sun_path = "socket"};
static void call_connect(unsigned *reg, int fd)
{
	int r = -1;
	POINT(r = connect(fd, (struct sockaddr *)&listening_at, sizeof(listening_at)));
	fold_result(reg, r);
}
static void call_accept(unsigned *reg, int fd)
{
	int r = -1;
	POINT(r = accept(fd, NULL, NULL));
	fold_result(reg, r);
}

/* ---- names ---- */

static void call_unlink(unsigned *reg, const char *name)
{
	fold_result(reg, unlink(name));
}
static void call_link(unsigned *reg, const char *a, const char *b)
{
	fold_result(reg, link(a, b));
}
static void call_rename(unsigned *reg, const char *a, const char *b)
{
	fold_result(reg, rename(a, b));
}
static void call_mkdir(unsigned *reg, const char *name)
{
	fold_result(reg, mkdir(name, 0777));
}
static void call_rmdir(unsigned *reg, const char *name)
{
	fold_result(reg, rmdir(name));
}
static void call_exists(unsigned *reg, const char *name)
{
	fold_result(reg, access(name, F_OK));
}
static void call_mode(unsigned *reg, const char *name)
{
	struct stat st;
	int r = stat(name, &st);
	fold_result(reg, r < 0 ? r : S_ISDIR(st.st_mode) ? 1 : (long)(st.st_mode & 0777));
}
/* ---- the process ---- */

static void call_umask(unsigned *reg, int value)
{
	fold(reg, (long)umask((mode_t)value));
}
static void call_setenv(unsigned *reg, const char *name, int value)
{
	char text[2] = {(char)('0' + value), 0};
	fold_result(reg, setenv(name, text, 1));
}
static void call_unsetenv(unsigned *reg, const char *name)
{
	fold_result(reg, unsetenv(name));
}
static void call_getenv(unsigned *reg, const char *name)
{
	const char *value = getenv(name);
	fold(reg, value ? value[0] - '0' : 0);
}
static void call_setlimit(unsigned *reg, int value)
{
	struct rlimit limit;
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = (rlim_t)value;
	fold_result(reg, setrlimit(RLIMIT_NOFILE, &limit));
}
static void call_getlimit(unsigned *reg)
{
	struct rlimit limit;
	getrlimit(RLIMIT_NOFILE, &limit);
	fold(reg, (long)limit.rlim_cur);
}
static pthread_t main_thread;
static void call_settitle(unsigned *reg, int value)
{
	char name[2] = {(char)('0' + value), 0};
	fold(reg, pthread_setname_np(main_thread, name));
}
static void call_gettitle(unsigned *reg)
{
	char name[16] = "";
	pthread_getname_np(main_thread, name, sizeof(name));
	fold(reg, name[0] >= '1' && name[0] <= '3' && !name[1] ? name[0] - '0' : 0);
}
static pthread_key_t base_key;
static void call_newkey(unsigned *reg)
{
	pthread_key_t key;
	pthread_key_create(&key, NULL);
	fold(reg, (long)key - (long)base_key);
}
static void call_delkey(unsigned *reg, int key)
{
	fold(reg, -pthread_key_delete(base_key + (pthread_key_t)key));
}
static void call_setkey(unsigned *reg, int key)
{
	fold(reg, -pthread_setspecific(base_key + (pthread_key_t)key, NULL));
}
static void call_roll(unsigned *reg)
{
	int value = rand(), i = 0;
	while (i < 8 && first_roll[i] != value)
		i++;
	fold(reg, i + 1);
}

/* ---- mappings ---- */

static void call_protect(unsigned *reg, int p, const char *rights)
{
	int prot = rights[0] != 'r' ? PROT_NONE : rights[1] == 'w' ? PROT_READ | PROT_WRITE : PROT_READ;
	fold_result(reg, mprotect(page[p], PAGE, prot));
}
static void call_unmap(unsigned *reg, int p)
{
	fold_result(reg, munmap(page[p], PAGE));
}
static void call_remap(unsigned *reg, int p)
{
	void *at = mmap(page[p], PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
			0);
	fold_result(reg, at == page[p] ? 0 : -1);
}
static void call_move(unsigned *reg, int p, int keep)
{
	void *at = mremap(page[p], PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED | (keep ? MREMAP_DONTUNMAP : 0),
			  page[1 - p]);
	fold_result(reg, at == page[1 - p] ? 0 : -1);
}
static void call_readable(unsigned *reg, int p)
{
	long r = -1;
	POINT(r = write(sink[1], page[p], 1));
	fold_result(reg, r);
}
static void call_writable(unsigned *reg, int p)
{
	long r = -1;
	POINT(r = read(zero, page[p], 1));
	fold_result(reg, r);
}

static void call_forget(unsigned *reg, int p)
{
	fold_result(reg, madvise(page[p], PAGE, MADV_DONTNEED));
}
/* A file with a byte of each thread's own, behind one that is 1. */
static int scratch;
static __thread int my_place;
static void call_fill(unsigned *reg, int p)
{
	long r = -1;
	POINT(r = pread(scratch, page[p], 1, 0));
	fold_result(reg, r);
}
static void call_content(unsigned *reg, int p)
{
	char c = 0;
	long r = -1;
	POINT(r = pwrite(scratch, page[p], 1, my_place));
	if (r == 1) { /* without a look for cancellation */
		int old;
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
		if (pread(scratch, &c, 1, my_place) != 1)
			abort();
		pthread_setcancelstate(old, NULL);
	}
	fold_result(reg, r == 1 ? c : r);
}

/* ---- signals ---- */

static void never(int sig)
{
	(void)sig;
	abort(); /* they are blocked */
}
/* Those that are blocked everywhere. */
static void blocked(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGUSR1);
	sigaddset(set, SIGUSR2);
	sigaddset(set, SIGALRM);
	sigaddset(set, SIGRTMIN);
}
static int number_of(int sig, int value)
{
	return sig == SIGUSR1 ? 1 : sig == SIGUSR2 ? 2 : sig == SIGALRM ? 3 : 10 + value;
}
static void call_kill(unsigned *reg, int sig)
{
	fold_result(reg, kill(getpid(), sig));
}
static void call_tkill(unsigned *reg, int t, int sig)
{
	int r = pthread_kill(thread[t], sig);
	fold(reg, -r);
}
static void call_sigpending(unsigned *reg, int sig)
{
	sigset_t set;
	sigpending(&set);
	fold(reg, sigismember(&set, sig));
}
static void call_sigtake(unsigned *reg)
{
	sigset_t set;
	siginfo_t info = {0};
	struct timespec none = {0, 0};
	int r = -1;
	blocked(&set);
	POINT(r = sigtimedwait(&set, &info, &none));
	fold_result(reg, r < 0 ? r : number_of(r, info.si_value.sival_int));
}
static void call_sigwait(unsigned *reg)
{
	sigset_t set;
	siginfo_t info = {0};
	int r = -1;
	blocked(&set);
	do
		POINT(r = sigwaitinfo(&set, &info));
	while (r < 0);
	fold(reg, number_of(r, info.si_value.sival_int));
}
static void call_ignore(unsigned *reg, int sig)
{
	fold_result(reg, signal(sig, SIG_IGN) == SIG_ERR ? -1 : 0);
}
static void call_default(unsigned *reg, int sig)
{
	fold_result(reg, signal(sig, never) == SIG_ERR ? -1 : 0);
}

/* ---- a signal with a handler ---- */

static __thread unsigned *my_register;
static void caught(int sig)
{
	(void)sig;
	fold(my_register, 500);
}
static void call_poke(unsigned *reg, int t)
{
	int r = pthread_kill(thread[t], SIGWINCH);
	fold(reg, -r);
}
static void call_pokeall(unsigned *reg)
{
	int r = kill(getpid(), SIGWINCH);
	fold_result(reg, r);
}
static void call_mask(unsigned *reg, int on)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGWINCH);
	my_register = reg;
	int r = pthread_sigmask(on ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
	fold(reg, -r);
}

static void call_suspend(unsigned *reg)
{
	sigset_t set;
	blocked(&set);
	fold_result(reg, sigsuspend(&set));
}

/* ---- a timer, the current directory ---- */

static int is_armed(const struct itimerspec *t)
{
	return t->it_value.tv_sec > 0 || t->it_value.tv_nsec > 0;
}
static timer_t the_timer;
static void call_settimer(unsigned *reg, int seconds)
{
	struct itimerspec old, new = {.it_value.tv_sec = seconds};
	int r = timer_settime(the_timer, 0, &new, &old);
	fold_result(reg, r < 0 ? r : is_armed(&old));
}
static void call_gettimer(unsigned *reg)
{
	struct itimerspec now;
	int r = timer_gettime(the_timer, &now);
	fold_result(reg, r < 0 ? r : is_armed(&now));
}
static void call_setclock(unsigned *reg, int fd, int seconds)
{
	struct itimerspec old, new = {.it_value.tv_sec = seconds};
	int r = timerfd_settime(fd, 0, &new, &old);
	fold_result(reg, r < 0 ? r : is_armed(&old));
}
static void call_getclock(unsigned *reg, int fd)
{
	struct itimerspec now;
	int r = timerfd_gettime(fd, &now);
	fold_result(reg, r < 0 ? r : is_armed(&now));
}
static void call_chdir(unsigned *reg, const char *where)
{
	fold_result(reg, chdir(where[0] == 'd' ? "d" : home));
}
static void call_getcwd(unsigned *reg)
{
	char path[64];
	fold(reg, getcwd(path, sizeof(path)) && strlen(path) > strlen(home));
}

/* ---- cancellation ---- */

static void call_cancel(unsigned *reg, int t)
{
	pthread_cancel(thread[t]);
	fold(reg, 0);
}
static void call_cancelstate(unsigned *reg, int off)
{
	int old;
	pthread_setcancelstate(off ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE, &old);
	fold(reg, old == PTHREAD_CANCEL_DISABLE);
}
static void call_testcancel(unsigned *reg)
{
	POINT(pthread_testcancel());
	fold(reg, 0);
}

#include "prelude_settings.h"
#include "prelude_threads.h"

/* ---- setting up and reporting ---- */

static void setup_file(void)
{
	if (open("a", O_RDWR) < 0)
		abort();
}
static void setup_lock(void)
{
	setup_file();
	setup_file();
}
static void setup_pipe(void)
{
	int ends[2];
	if (pipe(ends))
		abort();
}
static void setup_pair(void)
{
	int ends[2];
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		abort();
}
static void setup_unix(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	if (bind(fd, (struct sockaddr *)&listening_at, sizeof(listening_at)) || listen(fd, 8))
		abort();
	socket(AF_UNIX, SOCK_STREAM, 0);
	socket(AF_UNIX, SOCK_STREAM, 0);
}
static void setup_event(void)
{
	event_fd = eventfd(0, 0);
}
static void setup_semaphore(void)
{
	event_fd = eventfd(0, EFD_SEMAPHORE);
}
static void setup_norestart(void)
{
	struct sigaction sa = {.sa_handler = caught};
	sigaction(SIGWINCH, &sa, NULL);
}
static void setup_clock(void)
{
	event_fd = timerfd_create(CLOCK_MONOTONIC, 0);
}

/* Nobody is joined before all have come to their ends: pthread_kill and pthread_cancel may be given any handle till then. */
static sem_t ended;
static void *(*body_of[MOST])(void *);

static void post_ended(void *arg)
{
	(void)arg;
	sem_post(&ended);
}

static void *run_body(void *arg)
{
	my_place = 1 + (int)((unsigned *)arg - reg);
	pthread_cleanup_push(post_ended, NULL);
	body_of[(unsigned *)arg - reg](arg);
	pthread_cleanup_pop(1);
	return NULL;
}

static void start(int t, void *(*body)(void *))
{
	body_of[t] = body;
	if (pthread_create(&thread[t], NULL, run_body, &reg[t]))
		abort();
}

static void finish(int threads)
{
	unsigned h = 0;
	for (int i = 0; i < threads; i++)
		sem_post(&gate);
	for (int i = 0; i < threads; i++)
		while (sem_wait(&ended))
			;
	for (int i = 0; i < threads; i++)
		if (!joined[i])
			pthread_join(thread[i], NULL);
	for (int i = 0; i < threads; i++)
		h = h * 1000003 + reg[i];
	heddle_outcome(h);
	if (!heddle_running())
		fprintf(stderr, "%u\n", h);
}

struct entry {
	const char *name;
	void (*run)(void);
};

/* Beyond what programs use, so that numbers from 3 on are theirs. */
static int high(int fd)
{
	int to = fcntl(fd, F_DUPFD, 900);
	close(fd);
	return to;
}

static void prepare(void)
{
	sigset_t set;
	int fd;
	if (!mkdtemp(home) || chdir(home) || mkdir("d", 0777))
		abort();
	if (!heddle_running()) /* the first pthread_cancel would open it, under a number of ours */
		dlopen("libgcc_s.so.1", RTLD_NOW);
	umask(022);
	fd = open("a", O_RDWR | O_CREAT, 0666);
	if (write(fd, "pqr", 3) != 3)
		abort();
	close(fd);
	epoll_set = high(epoll_create1(0));
	zero = high(open("/dev/zero", O_RDONLY));
	scratch = high(memfd_create("scratch", 0));
	if (write(scratch, "\1----", 5) != 5)
		abort();
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, sink))
		abort();
	sink[0] = high(sink[0]);
	sink[1] = high(sink[1]);
	for (int i = 0; i < 2; i++)
		page[i] = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	srand(5);
	for (int i = 0; i < 8; i++)
		first_roll[i] = rand();
	srand(5);
	pthread_key_create(&base_key, NULL);
	main_thread = pthread_self();
	struct rlimit limit;
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = 1024;
	setrlimit(RLIMIT_NOFILE, &limit);
	unsetenv("X");
	signal(SIGPIPE, SIG_IGN);
	signal(SIGUSR1, never);
	signal(SIGUSR2, never);
	signal(SIGALRM, never);
	signal(SIGRTMIN, never);
	signal(SIGWINCH, caught); /* SA_RESTART */
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2};
	if (timer_create(CLOCK_MONOTONIC, &event, &the_timer))
		abort();
	blocked(&set);
	sigaddset(&set, SIGWINCH);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	prepare_settings();
	prepare_robust();
	sem_init(&gate, 0, 0);
}

static int run_entry(const struct entry *table, size_t n, int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < n; i++)
		if (!strcmp(table[i].name, argv[1])) {
			prepare();
			table[i].run();
			return 0;
		}
	fprintf(stderr, "usage: %s PROGRAM\n", argv[0]);
	return 2;
}
