/*
 * prelude_threads.h: more calls of generated programs: ends of threads, a robust mutex, a semaphore, cancellation points of all
 * kinds. Part of prelude.h.
 */
#include <sys/random.h>
#include <sys/select.h>
#include <sys/uio.h>
#include <sys/wait.h>

/* ---- ends of threads: one thread asks ---- */

static int joined[MOST];
static void fold_joined(unsigned *reg, int t, int r)
{
	if (!r)
		joined[t] = 1;
	fold(reg, -r);
}
static void call_tryjoin(unsigned *reg, int t)
{
	if (joined[t])
		fold(reg, 3);
	else
		fold_joined(reg, t, pthread_tryjoin_np(thread[t], NULL));
}
static void call_timedjoin(unsigned *reg, int t)
{
	struct timespec then = {.tv_sec = 4000000000};
	int r = 0;
	if (joined[t]) {
		POINT(pthread_testcancel());
		fold(reg, 3);
		return;
	}
	POINT(r = pthread_timedjoin_np(thread[t], NULL, &then));
	fold_joined(reg, t, r);
}
static void call_join(unsigned *reg, int t)
{
	int r = 0;
	if (joined[t]) {
		POINT(pthread_testcancel());
		fold(reg, 3);
		return;
	}
	POINT(r = pthread_join(thread[t], NULL));
	fold_joined(reg, t, r);
}

/* ---- a robust mutex ---- */

static pthread_mutex_t robust;
static __thread int owner_died; /* only who was told may mend it */
static void prepare_robust(void)
{
	pthread_mutexattr_t a;
	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &a);
}
static void fold_locked(unsigned *reg, int r)
{
	if (r == EOWNERDEAD)
		owner_died = 1;
	fold(reg, -r);
}
static void call_lock(unsigned *reg)
{
	fold_locked(reg, pthread_mutex_lock(&robust));
}
static void call_trylock(unsigned *reg)
{
	fold_locked(reg, pthread_mutex_trylock(&robust));
}
static void call_unlock(unsigned *reg)
{
	int r = pthread_mutex_unlock(&robust);
	if (!r)
		owner_died = 0;
	fold(reg, -r);
}
static void call_consistent(unsigned *reg)
{
	fold(reg, owner_died ? -pthread_mutex_consistent(&robust) : -EINVAL);
	owner_died = 0;
}

/* ---- a semaphore ---- */

static sem_t semaphore;
static void call_semwait(unsigned *reg)
{
	int r = -1;
	POINT(r = sem_wait(&semaphore));
	fold_result(reg, r);
}
static void call_semtry(unsigned *reg)
{
	fold_result(reg, sem_trywait(&semaphore));
}
static void call_sempost(unsigned *reg)
{
	fold_result(reg, sem_post(&semaphore));
}

/* ---- cancellation points ---- */

static void call_fsync(unsigned *reg, int fd)
{
	int r = -1;
	POINT(r = fsync(fd));
	fold_result(reg, r);
}
static void call_fdatasync(unsigned *reg, int fd)
{
	int r = -1;
	POINT(r = fdatasync(fd));
	fold_result(reg, r);
}
static void call_msync(unsigned *reg, int p)
{
	int r = -1;
	POINT(r = msync(page[p], PAGE, MS_SYNC));
	fold_result(reg, r);
}
static void call_getrandom(unsigned *reg)
{
	char data[4];
	long r = -1;
	POINT(r = getrandom(data, sizeof(data), 0));
	fold_result(reg, r);
}
static void call_nap(unsigned *reg)
{
	struct timespec soon = {0, 1000};
	int r = -1;
	POINT(r = nanosleep(&soon, NULL));
	fold_result(reg, r);
}
static void call_waitpid(unsigned *reg)
{
	int r = -1;
	POINT(r = waitpid(-1, NULL, WNOHANG));
	fold_result(reg, r);
}
static void call_select(unsigned *reg, int fd)
{
	struct timeval none = {0, 0};
	fd_set set;
	int r = -1;
	FD_ZERO(&set);
	FD_SET(fd, &set);
	POINT(r = select(fd + 1, &set, NULL, NULL, &none));
	fold_result(reg, r);
}
static void call_readv(unsigned *reg, int fd, int count)
{
	unsigned char data[8];
	struct iovec v = {data, (size_t)count};
	long r = -1;
	POINT(r = readv(fd, &v, 1));
	fold_bytes(reg, r, data);
}
static void call_writev(unsigned *reg, int fd, int byte)
{
	unsigned char c = (unsigned char)byte;
	struct iovec v = {&c, 1};
	long r = -1;
	POINT(r = writev(fd, &v, 1));
	fold_result(reg, r);
}
static void call_pwrite(unsigned *reg, int fd, int byte, int at)
{
	unsigned char c = (unsigned char)byte;
	long r = -1;
	POINT(r = pwrite(fd, &c, 1, at));
	fold_result(reg, r);
}
static void call_send(unsigned *reg, int fd, int byte)
{
	unsigned char c = (unsigned char)byte;
	long r = -1;
	POINT(r = send(fd, &c, 1, 0));
	fold_result(reg, r);
}
static void call_recv(unsigned *reg, int fd, int count)
{
	unsigned char data[8];
	long r = -1;
	POINT(r = recv(fd, data, (size_t)count, 0));
	fold_bytes(reg, r, data);
}
