/*
 * access.h: the one door through which the runtime says what the running step touches.
 *
 * Every visible operation, and every use that is merged into a longer step, passes here. A use does two
 * things: it joins the footprint of the step (search/footprint.h), and it teaches: when fibers use one
 * object in modes that can't be merged, the object becomes observed, for good, and the search starts again
 * with shorter steps ("What is a step", docs/ARCHITECTURE.md; which modes commute and which merge:
 * docs/DEPENDENCY.md).
 *
 *   a use without a step       if (access_use(object, mode)) { sched_step(…); }       then do it
 *   one that is a step anyway  access_learn(object, mode); sched_step(…);             then do it
 *   what a step touches        access_declare() in the accesses() of its class (sched.h)
 *   an effect on the side      access_declare(), where it happens (a fiber is woken, a clock is set …)
 */
#ifndef HEDDLE_RUNTIME_ACCESS_H
#define HEDDLE_RUNTIME_ACCESS_H

#include "runtime/heap/heap.h"
#include "search/footprint.h"
#include "wire/layout.h"

/* Keys of OBJECT_PROCESS for the scheduler's own state; the virtual kernel's begin at 0x100. */
enum process_object {
	PROCESS_CLOCK = 1, /* model.now */
	PROCESS_THREADS,   /* which exist, whether one was ever detached; a thread itself is OBJECT_THREAD */
	PROCESS_KEYS,      /* model.key: which numbers pthread_key_create gave out, and their destructors */
	PROCESS_PANIC,     /* model.panic */
	PROCESS_FAIR,      /* who yielded how often: sched/fair.c */
	PROCESS_REFUSED,   /* model.refused */
	PROCESS_RESULTS,   /* what threads return: whether anybody looks */
	PROCESS_STREAMS,   /* the order of libc's list of streams: whether it shows (libc/streams.h) */
};
static inline u64 process_object(enum process_object which)
{
	return object_id(OBJECT_PROCESS, which);
}
/* One key of thread-specific data: is it one? No words of its own. */
#define PROCESS_FIRST_KEY 0x20000u
static inline u64 process_key_object(u32 key)
{
	return object_id(OBJECT_PROCESS, PROCESS_FIRST_KEY + key);
}
static inline u64 thread_object(u32 slot)
{
	return object_id(OBJECT_THREAD, slot);
}
/* Which blocks of an arena are in use; which of them others have given back, so that they retire. */
static inline u64 heap_object(u64 arena)
{
	return object_id(OBJECT_HEAP, arena);
}
static inline u64 heap_retired_object(u64 arena)
{
	return object_id(OBJECT_HEAP, arena | 1u << 16);
}
/* The moment of its end, which a join that does not wait can tell; no words of the model. */
static inline u64 thread_end_object(u32 slot)
{
	return object_id(OBJECT_THREAD, (u64)slot | 1u << 16);
}
/* Whether its name is in use, which decides on the names of threads to come, and whether it was detached; no
   words of the model, either. */
static inline u64 thread_name_object(u32 slot)
{
	return object_id(OBJECT_THREAD, (u64)slot | 2u << 16);
}
/* Whether all others have ended. */
static inline u64 thread_alone_object(u32 slot)
{
	return object_id(OBJECT_THREAD, (u64)slot | 3u << 16);
}
/* What it waits for, which a waker replaces. Who waits declares the object that the waker uses, so its own
   steps don't declare this one. */
static inline u64 thread_wait_object(u32 slot)
{
	return object_id(OBJECT_THREAD, (u64)slot | 4u << 16);
}
#define WORLD_OBJECT object_id(OBJECT_WORLD, 0)

/*
 * The running fiber uses `object`. False: nobody can tell where in its step; the use is declared. True:
 * others can, and it must be a step of its own, whose class declares it.
 */
bool access_use(u64 object, enum access_mode mode);
/*
 * The same for an object that stands for many, to learn about all of them at once: it joins no footprint.
 * What is really used is declared besides.
 */
bool access_use_lesson(u64 object, enum access_mode mode);
/*
 * The same before an operation that is a step anyway: only teaches. Others' uses may have to be steps
 * because of it. Returns whether the object is observed.
 */
bool access_learn(u64 object, enum access_mode mode);
/* A fact about the program, as an object: true for good, and the search starts again; is it known? */
void access_observe(u64 object);
bool access_is_observed(u64 object);
/* Of how many objects anything of that kind is known; grows. */
u32 access_facts(void);
/*
 * access_use for a release while others may acquire all the same: a post, the unlock of a reader. Where the
 * orders of weaker atomics are followed (memory/order.c), who knows of it depends on who came first, so it is
 * a step then.
 */
bool access_release_shared(u64 object);
/* Could a handler of a signal run in the running fiber, from now on? Who waits could be interrupted by it. */
bool access_handler_may_run(void);
/*
 * The running fiber has made a step, and will go on from it: where a handler could run, it stands still once
 * more before the program does (OP_RETURN), at the end of the door or system call. The handler may find what
 * the step did, and nothing of what the program does about it; others may have sent the signal because of
 * it. Only beside other threads, and not in a handler.
 */
void access_returns(void);
/* Whose code is no program's, so that it does not stand still there. */
void access_libraries(bool (*contain)(u64 pc));
/* The program is about to look at errno, which a handler may have changed. */
void access_look_at_errno(void);
/* All of libc's streams are about to be flushed. */
void access_streams(void);
/* access_use for destroying an object: a write, unless all other threads that ever were have been joined. */
bool access_destroy(u64 object);
/*
 * The same for giving back heap memory: destroys every object in it that anybody ever used. False also when
 * there is none.
 */
bool access_free(u64 block, u64 bytes);
/*
 * Joins the footprint of the running step, teaches nothing: for uses that are steps, or that no step could
 * hide.
 */
void access_declare(u64 object, u32 bytes, enum access_mode mode);

/*
 * Until the running step ends, no release is merged into it any more: it has accessed memory that threads
 * hand over to each other, and others must be able to tell what was done before a release from what was not
 * (memory/memory.c). access_holds: what is a release, but no use of an object, has to be a step as well.
 */
void access_hold(void);
bool access_holds(void);

/*
 * The running fiber takes a block of its own arena, or gives back this one, or changes its size (it may grow
 * in place or not), of any arena. Where blocks will lie depends on what is free in the arena, but not on the
 * order in which it became so, and not at all on what retires (heap/heap.h).
 */
void access_heap_take(void);
void access_heap_give(const void *block);
void access_heap_resize(const void *block);
/* A freed block of this arena is set aside (ADD) or taken again (WRITE): sched/recycle.h. */
void access_heap_aside(u64 arena, enum access_mode mode);
/* What the heap said to it: whether its rule for blocks of others has to be another one. */
enum heap_status access_heap_done(enum heap_status status);

/*
 * Condition variables have a rule of their own. A signal sent with the waiters' mutex held can't overtake a
 * thread that is about to wait, so it is merged, although it decides who wakes up. Both return true when
 * entering the wait and signalling must be steps: the variable is signalled without the mutex, or used with
 * several. `held`: does the running fiber hold this mutex?
 */
bool access_cond_wait(u64 cond, u64 mutex);
bool access_cond_signal(u64 cond, bool (*held)(u64 mutex));

/* ---- for the engine ---- */

/* Before the program starts: loads what an earlier search learnt. */
void access_setup(void);
/* At each restart: loads what other workers have learnt since. */
void access_load_lessons(void);
/*
 * With several workers, what is learnt comes from the executions of all of them: each is told of the uses
 * that the others have seen. news() gets what is new here and is to be heard there. `how`: modes as bits, of
 * a fiber that used the object; ACCESS_WAITED, with `mutex`; or ACCESS_SIGNALLED_EARLY.
 */
#define ACCESS_WAITED 0x100u
#define ACCESS_SIGNALLED_EARLY 0x200u
void access_share(void (*news)(u64 object, u64 mutex, u32 slot, u32 how));
void access_hear(u64 object, u64 mutex, u32 slot, u32 how);
/* A step of this fiber begins: its footprint is empty but for the fiber itself, which it reads. */
void access_step_begins(u32 slot);
const struct footprint *access_footprint(void);
/*
 * What the fiber's pending operation would touch, and what could make it possible, or make more of it
 * possible: for the reduction (search/reduction.h). Of what is merged behind it nothing is known here.
 * ACCESS_TIMERS, in place of a slot: the same of the timers of the process.
 */
#define ACCESS_TIMERS LAYOUT_MAX_FIBERS
void access_pending(u32 slot, struct footprint *out);

/* ---- for the audit of footprints (search/audit.h) ---- */

/*
 * The runtime itself changes these bytes of the program's memory: a lock's. By that the audit tells them
 * from the program's own stores, and sees whether the step has declared a change of `address`. 0 bytes: the
 * program does it, by an instruction that is a step.
 */
void access_wrote(u64 address, u32 bytes);
const struct access *access_wrote_list(u32 *n);
/* Below --sanity 2 nobody asks, and nothing is kept but while somebody listens. */
void access_listen(bool on);
/* How many uses were merged into the step. */
u32 access_merged(void);
/* From now on the k-th use of each step that could be merged is a step of its own; 0: none. */
void access_split(u32 k);
/*
 * Where another fiber's step may come in between, for the eye (search/eye.h): behind the operation that a
 * step begins with (1), and behind each release that is merged into it and each thread that it makes
 * (access_births). From now on each step of this fiber pauses behind its k-th such point, or as soon after
 * that as program code goes on at an address that may_pause() allows; 0: none does. Who has paused has no
 * operation, and can go on. access_paused: has it done so since k was set?
 */
void access_pause(u32 slot, u32 k, bool (*may_pause)(u64 pc));
bool access_paused(void);
void access_births(void);

#endif
