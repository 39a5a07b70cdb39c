/*
 * prelude.h: what generated programs (emit.py) use. An area of memory is a union, so that accesses of several
 * sizes can meet in it; it is reached as global[i], or through cell[i] when it lies on the heap or on main's stack.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <heddle/heddle.h>

enum { MOST = 8 };
union cell {
	uint8_t b[8];
	uint16_t h[4];
	uint32_t w[2];
	uint64_t d[1];
};

static union cell global[MOST], *cell[MOST];
static pthread_mutex_t mutex[MOST];
static sem_t sem[2 * MOST];
/* Not every binary has programs with these. */
static pthread_rwlock_t rwlock[MOST] __attribute__((unused));
static pthread_barrier_t barrier[MOST] __attribute__((unused));
static pthread_t thread[MOST];
static uint32_t registers[MOST];

#define FOLD(v) (reg = reg * 31 + (uint32_t)(v) + 1)
#define VOLATILE(x) (*(volatile __typeof__(x) *)&(x))
#define ATOMIC(x) ((_Atomic __typeof__(x) *)&(x))

static inline uint32_t digest(uint32_t h, const uint32_t *word, int n)
{
	for (int i = 0; i < n; i++)
		h = h * 1000003 + word[i];
	return h;
}

/* The outcome: a hash of all registers and of the whole memory; natively it is printed. */
static inline void report(int threads, int areas)
{
	uint32_t h = digest(0, registers, threads);
	for (int i = 0; i < areas; i++)
		h = digest(h, cell[i]->w, 2);
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
	for (size_t i = 0; argc > 1 && i < n; i++)
		if (!strcmp(table[i].name, argv[1])) {
			table[i].run();
			return 0;
		}
	fprintf(stderr, "usage: %s PROGRAM\n", argv[0]);
	return 2;
}
