/*
 * ranks.h: for tests of the search by many machines (search/spread.h): each rank is a process, and between
 * each two of them are rings in shared memory.
 */
#ifndef HEDDLE_TEST_RANKS_H
#define HEDDLE_TEST_RANKS_H

#include <sched.h>

#include "search/spread.h"
#include "together.h"
#include "wire/wire_spread.h"

#define RANKS_MAX 5u

struct rank_rings {
	struct spread_ring ring[RANKS_MAX][RANKS_MAX]; /* from, to */
};

struct rank_ends {
	struct rank_rings *rings;
	u32 rank, ranks;
};

static inline void rank_send(void *self, u32 to, u16 kind, const void *bytes, u32 len)
{
	struct rank_ends *e = self;
	const struct spread_message head = {len, kind, (u16)e->rank};
	while (!spread_ring_put(&e->rings->ring[e->rank][to], head, bytes))
		sched_yield();
}

static inline long rank_receive(void *self, u32 *from, u16 *kind, void *bytes)
{
	struct rank_ends *e = self;
	for (u32 i = 0; i < e->ranks; i++) {
		struct spread_message head;
		if (!spread_ring_get(&e->rings->ring[i][e->rank], &head, bytes, SPREAD_MESSAGE))
			continue;
		*from = i;
		*kind = head.kind;
		return head.len;
	}
	return -1;
}

static inline void rank_rest(void *self)
{
	(void)self;
	sched_yield();
}

/* fn(port, arg) in each of the processes. Returns how many of them failed. */
static inline u32 ranks_run(u32 ranks, void (*fn)(struct spread_port *port, void *arg), void *arg)
{
	struct rank_rings *rings = together_memory(sizeof(*rings));
	pid_t child[RANKS_MAX];
	u32 failed = 0;
	for (u32 i = 0; i < ranks; i++) {
		child[i] = fork();
		if (child[i])
			continue;
		struct rank_ends ends = {rings, i, ranks};
		struct spread_port port = {.self = &ends,
					   .rank = i,
					   .ranks = ranks,
					   .send = rank_send,
					   .receive = rank_receive,
					   .rest = rank_rest};
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (int signo = 1; signo < NSIG; signo++)
			signal(signo, SIG_DFL); /* cmocka's would go on with the next test */
		alarm(600);
		fn(&port, arg);
		_exit(0);
	}
	for (u32 i = 0; i < ranks; i++) {
		int status;
		hd_assert(waitpid(child[i], &status, 0) == child[i]);
		failed += status != 0;
	}
	munmap(rings, sizeof(*rings));
	return failed;
}

#endif
