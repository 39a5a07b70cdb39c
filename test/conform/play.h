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
/* From now on, this argument of every call points nowhere, if it is a pointer; 0: none. */
void spoil_argument(unsigned number);

struct step {
	uint8_t op;
	uint8_t path, path2; /* into the list of names */
	int8_t fd, fd2;
	uint32_t n, flags;
	long offset;
	uint8_t bad; /* this argument of its calls, if it points somewhere, points nowhere; from 1, 0: none */
};

struct answer {
	long ret;
	size_t len; /* of data: everything the call gave back */
	unsigned char data[16384];
};

/* What a call has given back; the same bytes for the same number. */
void answer_add(struct answer *out, const void *p, size_t n);
void answer_add_long(struct answer *out, long value);
void answer_pattern(char *buf, size_t n, uint32_t seed);

typedef void play_function(kernel *k, const struct step *s, struct answer *out);

struct step random_step(uint64_t *rng);
void play_step(kernel *k, const struct step *s, struct answer *out);
int step_is(const struct step *s, const char *call);
/*
 * Calls that mean little on an eventfd, and that kernels have changed their minds about; and locks: one inode
 * stands for all eventfds of the machine, so that other processes would be in the way.
 */
int step_is_unusual(const struct step *s);
void print_step(FILE *to, const struct step *s);
uint64_t random_next(uint64_t *rng);
/* Below n. */
uint32_t pick(uint64_t *rng, uint32_t n);
/* One step in a few has a bad pointer. */
uint8_t pick_bad(uint64_t *rng);

/* A call of a list; it appears as often as its weight. */
struct play {
	const char *call;
	play_function *play;
	unsigned weight;
};
uint8_t pick_play(uint64_t *rng, const struct play *plays, size_t count);

#endif
