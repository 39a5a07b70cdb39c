/*
 * engine_priv.h: what the files of this folder share.
 */
#ifndef HEDDLE_RUNTIME_ENGINE_PRIV_H
#define HEDDLE_RUNTIME_ENGINE_PRIV_H

#include "base/text.h"
#include "runtime/sched/run.h"
#include "search/follow.h"
#include "search/tape.h"
#include "search/target.h"
#include "wire/wire.h"

/* The SUT as a target; t is not used. */
extern const struct target_ops engine_ops;
u32 engine_actions(void *t, u32 *out);
enum step_result engine_step(void *t, u32 action);
/* The loop in which f counts went round (sched/fair.c): its last step is taken back, and leads nowhere. */
void engine_forget_rounds(struct fiber *f);
enum terminal_kind engine_terminal(void *t);
/* The search is at an end state: its path may be kept (wire_result.sample). */
void engine_keep_sample(void);
/* The current state is part of a livelock: makes that the last violation. */
void engine_livelock(void *t);

/* The last violation: set, or taken over from the fiber that told of it. */
struct wire_violation *violation_last(void);
void violation_set(enum violation_kind kind, u32 slot, u64 pc, u64 address, u32 signo, const char *message);
/* Of a race: the other side. */
void violation_set_other(u32 slot, u64 pc);
void violation_take(const struct run_failure *f);

/* Where a copy of the path lies in the worker's part; 0: there is no room. */
u64 engine_keep_path(const u32 *path, u64 len);
/* WIRE_SHRINK. */
void engine_shrink(void);

extern const struct target_reduction engine_reduction;
/* target_ops.work */
u64 engine_work(void *t);
/* Where the fiber went into the runtime, or its thread's function. */
u64 engine_program_pc(u32 slot);
/* Of what lies on its kernel stack, and of the program's rbp. */
u64 engine_stack_hash(u32 slot);

/* What the operation does, in words. alt: the outcome, or OP_DESCRIBE_PENDING. */
void op_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t);
/* "WHAT thread 2 waits for …; thread 3 …": all live fibers. Returns the first slot, or LAYOUT_MAX_FIBERS. */
u32 fiber_describe_all(const char *what, char *buf, size_t cap);

/* target_ops.label */
void engine_label(void *t, u32 action, struct target_label *out);
/* The tape at WIRE_TAPE_FD, if this worker's task says that there is one (wire_task.script); else NULL. */
const struct tape_sink *engine_record_to(void);
struct follow *engine_follow(void);

/*
 * One rank of many: 1 + how many threads had a name at the start. A new one gets its slot from all ranks
 * together. 0: it is none.
 */
extern u32 engine_names_given;

/* Several workers (search/parallel.h). */
extern const struct target_team engine_team;
/* After each step: the others are told what it taught. */
void engine_say_all(void);
/* At the start of a search that others take part in, and at each restart: what all workers have learnt. */
void engine_load_lessons(void);
#endif
