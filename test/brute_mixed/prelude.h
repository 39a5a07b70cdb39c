/*
 * prelude.h: objects of generated programs, and what threads and handlers do with them (generate.py). What is
 * found is folded into the register of the thread. Memory that threads share is used under locks, or by
 * atomic instructions that are steps.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <heddle/heddle.h>

enum { MOST = 8, KINDS = 2, SIGNALS = 3 };
static const int signal_number[SIGNALS] = {SIGUSR1, SIGUSR2, SIGALRM};
static pthread_t thread[MOST];
static volatile unsigned reg[MOST];
static __thread int me;

static pthread_mutex_t mutex[KINDS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t cond[KINDS] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
static pthread_rwlock_t rwlock[KINDS] = {PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER};
static pthread_spinlock_t spin[KINDS];
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static sem_t semaphore[KINDS], done;
static unsigned guarded[KINDS], under[KINDS], spun[KINDS], flag[KINDS];
static unsigned word[KINDS], sent; /* atomic instructions only */
static void *box[KINDS];           /* under the mutex of the same number */
static int channel[2], pair[2], event, clock_fd, set, listener;
static timer_t timer;
static const struct timespec soon = {.tv_nsec = 1000};
static const struct timespec later = {.tv_sec = 4000000000};
static char home[] = "/tmp/bruteXXXXXX";

static void fold(long value)
{
	reg[me] = reg[me] * 31 + (unsigned)value + 1;
}
static void fold_result(long r)
{
	fold(r < 0 ? -errno : r);
}
static void find_cancelled(void *arg)
{
	(void)arg;
	fold(777);
}
/* A cancellation point. */
#define POINT(statement) \
	do { \
		pthread_cleanup_push(find_cancelled, NULL); \
		statement; \
		pthread_cleanup_pop(0); \
	} while (0)
static void unlock_it(void *m)
{
	fold(778);
	pthread_mutex_unlock(m);
}

/* ---- locks ---- */

#define LOCKED(m, inside) \
	do { \
		pthread_mutex_lock(&mutex[m]); \
		pthread_cleanup_push(unlock_it, &mutex[m]); \
		fold(guarded[m] = guarded[m] * 5 + (unsigned)me + 1); \
		inside; \
		pthread_cleanup_pop(0); \
		pthread_mutex_unlock(&mutex[m]); \
	} while (0)
static void try_lock(int m)
{
	int r = pthread_mutex_trylock(&mutex[m]);
	fold(r);
	if (!r) {
		fold(guarded[m]);
		pthread_mutex_unlock(&mutex[m]);
	}
}
static void timed_lock(int m)
{
	int r = pthread_mutex_timedlock(&mutex[m], &later);
	fold(r);
	if (!r) {
		fold(++guarded[m]);
		pthread_mutex_unlock(&mutex[m]);
	}
}
static void read_lock(int m)
{
	pthread_rwlock_rdlock(&rwlock[m]);
	fold(under[m]);
	pthread_rwlock_unlock(&rwlock[m]);
}
static void write_lock(int m)
{
	pthread_rwlock_wrlock(&rwlock[m]);
	fold(under[m] = under[m] * 5 + (unsigned)me + 1);
	pthread_rwlock_unlock(&rwlock[m]);
}
static void try_read(int m)
{
	int r = pthread_rwlock_tryrdlock(&rwlock[m]);
	fold(r);
	if (!r)
		pthread_rwlock_unlock(&rwlock[m]);
}
static void try_write(int m)
{
	int r = pthread_rwlock_trywrlock(&rwlock[m]);
	fold(r);
	if (!r)
		pthread_rwlock_unlock(&rwlock[m]);
}
static void spin_lock(int m)
{
	pthread_spin_lock(&spin[m]);
	fold(++spun[m]);
	pthread_spin_unlock(&spin[m]);
}
static void sem_take(int m)
{
	int r = -1;
	POINT(r = sem_wait(&semaphore[m]));
	fold_result(r);
}
static void sem_timed(int m)
{
	int r = -1;
	POINT(r = sem_timedwait(&semaphore[m], &later));
	fold_result(r);
}
static void sem_look(int m)
{
	int v = 0;
	sem_getvalue(&semaphore[m], &v);
	fold(v);
}
static void wait_flag(int m)
{
	pthread_mutex_lock(&mutex[m]);
	pthread_cleanup_push(unlock_it, &mutex[m]);
	while (!flag[m])
		pthread_cond_wait(&cond[m], &mutex[m]);
	fold(flag[m]--);
	pthread_cleanup_pop(0);
	pthread_mutex_unlock(&mutex[m]);
}
static void wait_once(int m)
{
	pthread_mutex_lock(&mutex[m]);
	pthread_cleanup_push(unlock_it, &mutex[m]);
	int r = pthread_cond_timedwait(&cond[m], &mutex[m], &later);
	fold(r);
	fold(flag[m]);
	pthread_cleanup_pop(0);
	pthread_mutex_unlock(&mutex[m]);
}
static void set_flag(int m, int all, int behind)
{
	pthread_mutex_lock(&mutex[m]);
	flag[m]++;
	if (behind)
		pthread_mutex_unlock(&mutex[m]);
	if (all)
		pthread_cond_broadcast(&cond[m]);
	else
		pthread_cond_signal(&cond[m]);
	if (!behind)
		pthread_mutex_unlock(&mutex[m]);
}
static void at_barrier(void)
{
	fold(pthread_barrier_wait(&barrier));
}
static void the_one(void)
{
	fold(__atomic_fetch_add(&word[0], 3, __ATOMIC_SEQ_CST));
}
static void exchange_box(int m)
{
	void *fresh = malloc(24), *old;
	pthread_mutex_lock(&mutex[m]);
	old = box[m];
	box[m] = fresh;
	fold(++guarded[m]);
	pthread_mutex_unlock(&mutex[m]);
	fold(old != NULL);
	free(old);
}
static void swap_word(int m)
{
	unsigned was = 0;
	fold(__atomic_compare_exchange_n(&word[m], &was, 7, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
	fold(was);
}
static void end_of_key(void *value)
{
	fold((long)value);
	sem_post(&semaphore[1]);
}

/* ---- descriptors ---- */

static void read_from(int fd)
{
	uint64_t v = 0;
	long r = -1;
	POINT(r = read(fd, &v, fd == event || fd == clock_fd ? 8 : 1));
	fold_result(r);
	fold((long)v);
}
static void write_to(int fd)
{
	uint64_t v = fd == event ? 2 : (uint64_t)me + 65;
	long r = -1;
	POINT(r = write(fd, &v, fd == event ? 8 : 1));
	fold_result(r);
}
static void look_at(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN | POLLOUT};
	int r = -1;
	POINT(r = poll(&p, 1, 0));
	fold_result(r);
	fold(p.revents);
}
static void wait_set(int timeout)
{
	struct epoll_event e[2] = {{0}};
	int r = -1;
	POINT(r = epoll_wait(set, e, 2, timeout));
	fold_result(r);
	for (int i = 0; i < r; i++)
		fold(e[i].events * 5 + (unsigned)e[i].data.u32);
}
static void send_to(int fd)
{
	char c = (char)(me + 97);
	fold_result(send(fd, &c, 1, MSG_NOSIGNAL | MSG_DONTWAIT));
}
static void open_file(const char *name)
{
	int fd = open(name, O_CREAT | O_EXCL | O_RDWR, 0600);
	fold(fd < 0 ? -errno : 0);
	if (fd >= 0)
		close(fd);
}
static void append(const char *name)
{
	struct stat s = {0};
	int fd = open(name, O_CREAT | O_RDWR | O_APPEND, 0600);
	fold(write(fd, "x", 1));
	fstat(fd, &s);
	fold(s.st_size);
	close(fd);
}

static void server(void)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = "socket"};
	listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	if (bind(listener, (struct sockaddr *)&a, sizeof(a)) || listen(listener, 2))
		abort();
}
static void call_server(void)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = "socket"};
	char c = (char)(me + 65);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	fold(connect(fd, (struct sockaddr *)&a, sizeof(a)) ? -errno : 0);
	fold_result(send(fd, &c, 1, MSG_NOSIGNAL));
	close(fd);
}
static void serve(void)
{
	char c = 0;
	int fd = accept(listener, NULL, NULL);
	fold(fd < 0 ? -errno : 0);
	if (fd >= 0) {
		fold_result(recv(fd, &c, 1, 0));
		fold(c);
		close(fd);
	}
}

/* ---- signals and timers ---- */

static sigset_t set_of(int which)
{
	sigset_t s;
	sigemptyset(&s);
	for (int i = 0; i < SIGNALS; i++)
		if (which >> i & 1)
			sigaddset(&s, signal_number[i]);
	return s;
}
static void mask(int how, int which)
{
	sigset_t s = set_of(which);
	pthread_sigmask(how, &s, NULL);
}
static void pending(void)
{
	sigset_t s;
	sigpending(&s);
	for (int i = 0; i < SIGNALS; i++)
		fold(sigismember(&s, signal_number[i]));
}
static void await_signal(int which, int timed)
{
	sigset_t s = set_of(which);
	siginfo_t info = {0};
	int r = -1;
	POINT(r = timed ? sigtimedwait(&s, &info, &soon) : sigwaitinfo(&s, &info));
	fold_result(r);
}
/* In a handler, which that may call again. */
static void send_once(int which)
{
	if (!__atomic_fetch_add(&sent, 1, __ATOMIC_SEQ_CST))
		fold(pthread_kill(thread[0], signal_number[which]));
}
static void suspend(int which)
{
	sigset_t s = set_of(which);
	POINT(sigsuspend(&s));
	fold(errno);
}
static void act(int which, void (*handler)(int), int flags)
{
	struct sigaction a = {.sa_handler = handler, .sa_flags = flags}, old;
	sigaction(signal_number[which], &a, &old);
	fold(old.sa_handler == SIG_IGN ? 1 : old.sa_handler == SIG_DFL ? 2 : 3);
}
static void set_timer(long ns)
{
	struct itimerspec s = {.it_value = {.tv_nsec = ns}};
	fold_result(timer_settime(timer, 0, &s, NULL));
}
static void timer_left(void)
{
	struct itimerspec s = {{0}, {0}};
	timer_gettime(timer, &s);
	fold(s.it_value.tv_nsec || s.it_value.tv_sec);
}
static void set_interval(long us, long again)
{
	struct itimerval v = {.it_value = {.tv_usec = us}, .it_interval = {.tv_usec = again}}, old;
	setitimer(ITIMER_REAL, &v, &old);
	fold(old.it_value.tv_usec || old.it_value.tv_sec);
}
static void set_clock(long ns)
{
	struct itimerspec s = {.it_value = {.tv_nsec = ns}};
	fold_result(timerfd_settime(clock_fd, 0, &s, NULL));
}
static void doze(void)
{
	int r = -1;
	POINT(r = nanosleep(&soon, NULL));
	fold_result(r);
}

/* ---- threads ---- */

static void *(*body_of[MOST])(void *);
static int gone[MOST], first_posting;
static unsigned made; /* by others than the first thread: those post at their end */
static void make(int t, int detached)
{
	if (t >= first_posting)
		__atomic_fetch_add(&made, 1, __ATOMIC_SEQ_CST);
	pthread_attr_t a;
	pthread_attr_init(&a);
	pthread_attr_setdetachstate(&a, detached ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE);
	if (pthread_create(&thread[t], &a, body_of[t], (void *)(long)t))
		abort();
	pthread_attr_destroy(&a);
	gone[t] = detached;
}
static void join_now(int t)
{
	int r = pthread_join(thread[t], NULL);
	fold(r);
	gone[t] |= !r;
}
static void try_join(int t, int timed)
{
	if (gone[t])
		return;
	int r = timed ? pthread_timedjoin_np(thread[t], NULL, &later) : pthread_tryjoin_np(thread[t], NULL);
	fold(r);
	gone[t] |= !r;
}

/* The process ends here, whatever others do. */
static void leave(void)
{
	if (reg[me] & 1) {
		heddle_outcome(reg[me] + (unsigned)me * 1000003u);
		_exit(0);
	}
}

static void prepare(int threads, int first, int second, int arrive, int nonblocking)
{
	first_posting = threads;
	if (!mkdtemp(home) || chdir(home))
		abort();
	for (int i = 0; i < KINDS; i++)
		pthread_spin_init(&spin[i], 0);
	pthread_barrier_init(&barrier, NULL, (unsigned)arrive);
	sem_init(&semaphore[0], 0, (unsigned)first);
	sem_init(&semaphore[1], 0, (unsigned)second);
	sem_init(&done, 0, 0);
	pthread_key_create(&key, end_of_key);
	if (pipe2(channel, nonblocking ? O_NONBLOCK : 0) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		abort();
	event = eventfd(0, nonblocking ? EFD_NONBLOCK : 0);
	clock_fd = timerfd_create(CLOCK_MONOTONIC, nonblocking ? TFD_NONBLOCK : 0);
	set = epoll_create1(0);
	struct epoll_event e = {.events = EPOLLIN, .data.u32 = 1};
	epoll_ctl(set, EPOLL_CTL_ADD, channel[0], &e);
	e.data.u32 = 2;
	epoll_ctl(set, EPOLL_CTL_ADD, event, &e);
	server();
	thread[0] = pthread_self();
}

/* Which thread is it? A signal may come before it has been able to say. */
#define HANDLE(sig, does) \
	do { \
		for (me = 0; me < MOST - 1 && !pthread_equal(thread[me], pthread_self()); me++) \
			; \
		fold(sig); \
		does(); \
	} while (0)

/* In a thread of its own, of which nobody knows. */
static void expired(union sigval value)
{
	__atomic_fetch_add(&word[1], (unsigned)value.sival_int, __ATOMIC_SEQ_CST);
	sem_post(&semaphore[0]);
}
static void make_timer(int how, int which)
{
	struct sigevent e = {.sigev_notify = how, .sigev_signo = signal_number[which]};
	e.sigev_value.sival_int = 9;
	if (how == SIGEV_THREAD)
		e.sigev_notify_function = expired;
	else
		e._sigev_un._tid = gettid();
	if (timer_create(CLOCK_MONOTONIC, &e, &timer))
		abort();
}

/* Joins the first threads, which may have been cancelled; those that others made post. */
static void finish(int first, int all)
{
	unsigned sum = 0;
	for (int t = 1; t < first; t++)
		pthread_join(thread[t], NULL);
	for (unsigned n = __atomic_fetch_add(&made, 0, __ATOMIC_SEQ_CST); n; n--)
		while (sem_wait(&done))
			;
	for (int i = 0; i < all; i++)
		sum = sum * 131 + reg[i];
	for (int i = 0; i < KINDS; i++)
		sum = (sum * 131 + guarded[i] * 7 + under[i] * 5 + spun[i] * 3 + flag[i]) * 17 +
		      __atomic_fetch_add(&word[i], 0, __ATOMIC_SEQ_CST);
	heddle_outcome(sum);
}
