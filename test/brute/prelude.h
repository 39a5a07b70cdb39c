/*
 * prelude.h: what generated programs (emit.py) use: the objects, and short names for
 * operations that depend on an object's kind.
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <heddle/heddle.h>

enum { MOST = 4 };
static pthread_mutex_t mutex[MOST];
static pthread_spinlock_t spin[MOST];
static int is_spin[MOST];
static sem_t sem[MOST], gate;
static pthread_rwlock_t rw[MOST];
static pthread_cond_t cond[MOST] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
static pthread_barrier_t barrier[MOST];
static pthread_t thread[MOST];
static int pipes[MOST][2];
static unsigned var[2 * MOST], reg[MOST];
/* Far away: looking at the clock would make time part of the state. Natively it is soon. */
static struct timespec later = {4000000000, 0};

#define FOLD(v) (reg = reg * 31 + (unsigned)(v) + 1)

static inline void make_mutex(int m, int kind)
{
	pthread_mutexattr_t attr;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, kind);
	pthread_mutex_init(&mutex[m], &attr);
	pthread_mutexattr_destroy(&attr);
}

static inline void make_spin(int m)
{
	is_spin[m] = 1;
	pthread_spin_init(&spin[m], PTHREAD_PROCESS_PRIVATE);
}

static inline void make_rw(int r, int prefer_writers)
{
	pthread_rwlockattr_t attr;
	pthread_rwlockattr_init(&attr);
	if (prefer_writers)
		pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&rw[r], &attr);
	pthread_rwlockattr_destroy(&attr);
}

static inline void lock(int m)
{
	if (is_spin[m])
		pthread_spin_lock(&spin[m]);
	else
		pthread_mutex_lock(&mutex[m]);
}

static inline void unlock(int m)
{
	if (is_spin[m])
		pthread_spin_unlock(&spin[m]);
	else
		pthread_mutex_unlock(&mutex[m]);
}

static inline int trylock(int m)
{
	return (is_spin[m] ? pthread_spin_trylock(&spin[m]) : pthread_mutex_trylock(&mutex[m])) == 0;
}

static inline int value(int s)
{
	int v;
	sem_getvalue(&sem[s], &v);
	return v;
}

static inline void put(int p, unsigned char c)
{
	if (write(pipes[p][1], &c, 1) != 1)
		abort();
}

static inline unsigned get(int p)
{
	unsigned char c;
	if (read(pipes[p][0], &c, 1) != 1)
		abort();
	return c;
}

/* The outcome: a hash of all registers and variables; natively it is printed. */
static inline void report(int threads, int vars)
{
	unsigned h = 0;
	for (int i = 0; i < threads; i++)
		h = h * 1000003 + reg[i];
	for (int i = 0; i < vars; i++)
		h = h * 1000003 + var[i];
	heddle_outcome(h);
	if (!heddle_running())
		printf("%u\n", h);
}

struct entry {
	const char *name;
	void (*run)(void);
};

static inline int run_entry(const struct entry *table, size_t n, int argc, char **argv)
{
	sem_init(&gate, 0, 0);
	if (!heddle_running()) {
		clock_gettime(CLOCK_REALTIME, &later);
		later.tv_sec++;
	}
	for (size_t i = 0; argc > 1 && i < n; i++)
		if (!strcmp(table[i].name, argv[1])) {
			table[i].run();
			return 0;
		}
	fprintf(stderr, "usage: %s PROGRAM\n", argv[0]);
	return 2;
}
