/*
 * fake_sched.h: a scheduler for tests of the virtual kernel: one fiber at a time, whichever the test
 * says; steps are recorded; what would end or block a fiber jumps back to the test.
 */
#ifndef HEDDLE_TEST_FAKE_SCHED_H
#define HEDDLE_TEST_FAKE_SCHED_H

#include "runtime/sched/sched.h"
#include "runtime/vkernel/vk.h"
#include "search/footprint.h"

/* How a call ended. */
enum fake_end { FAKE_RETURNED, FAKE_BLOCKED, FAKE_VIOLATION, FAKE_EXIT };

struct fake_sched {
	bool joined; /* all other threads have been joined */
	u32 slot;    /* who runs */
	u32 steps;   /* how many steps so far */
	struct op last;
	u32 alt;                   /* the outcome that steps have, if they have so many; else their last */
	void (*during_step)(void); /* what others do while a fiber waits for its turn */
	u64 now;
	u32 clock_reads;
	enum violation_kind violation;
	char message[256];
	int exit_status;
	u32 refused;
	char refused_call[64];
	char output[256];
	size_t output_len;
	int output_fd;
	u32 protects;             /* calls of track_protect */
	struct footprint touched; /* all that was declared since fake_reset() */
};
extern struct fake_sched fake;

/* A fresh world: empty model, no lessons learnt, vk_setup() done. */
void fake_reset(void);
/* One system call of the fiber fake.slot. */
long fake_call(long nr, long a, long b, long c, long d, long e, long f);
/* How the last call ended; if not FAKE_RETURNED its result means nothing. */
enum fake_end fake_how(void);

#define CALL_1(nr, a) fake_call(nr, (long)(a), 0, 0, 0, 0, 0)
#define CALL_2(nr, a, b) fake_call(nr, (long)(a), (long)(b), 0, 0, 0, 0)
#define CALL_3(nr, a, b, c) fake_call(nr, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define CALL_4(nr, a, b, c, d) fake_call(nr, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)

#endif
