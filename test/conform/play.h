/*
 * play.h: one system call of a random sequence, and how to play it. The same code plays it on the real
 * kernel and on the virtual one; only the function that makes the call differs.
 */
#ifndef HEDDLE_CONFORM_PLAY_H
#define HEDDLE_CONFORM_PLAY_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A call that would wait for ever. */
#define BLOCKS (-9999L)

typedef long kernel(long nr, long a, long b, long c, long d, long e, long f);
kernel real_kernel, virtual_kernel;

struct step {
	uint8_t op;
	uint8_t path, path2; /* into the list of names */
	int8_t fd, fd2;
	uint32_t n, flags;
	long offset;
};

struct answer {
	long ret;
	size_t len; /* of data: everything the call gave back */
	unsigned char data[16384];
};

struct step random_step(uint64_t *rng);
void play_step(kernel *k, const struct step *s, struct answer *out);
int step_is(const struct step *s, const char *call);
/* Calls that mean little on an eventfd, and that kernels have changed their minds about. */
int step_is_unusual(const struct step *s);
void print_step(FILE *to, const struct step *s);
uint64_t random_next(uint64_t *rng);
/* Below n. */
uint32_t pick(uint64_t *rng, uint32_t n);

/* A call of a list; it appears as often as its weight. */
struct play {
	const char *call;
	void (*play)(kernel *k, const struct step *s, struct answer *out);
	unsigned weight;
};
uint8_t pick_play(uint64_t *rng, const struct play *plays, size_t count);

#endif
