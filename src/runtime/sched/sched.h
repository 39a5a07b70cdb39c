/*
 * sched.h: fibers and visible operations, as seen by the rest of the runtime.
 *
 * Law of this layer: code that runs on a fiber may change model memory freely
 * between two visible operations; at a visible operation it calls sched_step(), which
 * hands control to the engine. When sched_step() returns, the engine has chosen this
 * fiber and one outcome of its operation; the operation itself is then executed by the
 * caller. Nothing that must be rolled back may live outside tracked memory, and
 * nothing that must not be rolled back inside it.
 */
#ifndef HEDDLE_RUNTIME_SCHED_H
#define HEDDLE_RUNTIME_SCHED_H

#include "base/base.h"
#include "base/text.h"
#include "wire/action.h"
#include "wire/regs.h"
#include "wire/violation.h"

struct fiber;
struct net_faults; /* vkernel/sockets/sock_fault.h */

/* A pending visible operation; lives in the fiber, in model memory. Unused fields are zero. */
struct op {
	u16 kind;   /* enum op_kind, wire/op_kinds.h */
	u16 flags;  /* OPF_* */
	u32 n;      /* free for the class */
	u64 object; /* what it is about, for descriptions and for wakers; each class says what that is */
	u64 arg, arg2;
	/* virtual nanoseconds + 1; 0: none. With one, ALT_TIMEOUT is an outcome while there is no other */
	u64 deadline;
	u64 watch; /* vk_watch_changed() of it: ALT_FD_CHANGED is an outcome (or ALT_FD_KEPT); 0: none */
};
#define OPF_CANCEL 1       /* a cancellation point */
#define OPF_SPURIOUS 2     /* may wake spuriously when the option is on */
#define OPF_CANCEL_SELF 4  /* with OPF_CANCEL: sched_step returns ALT_CANCEL and the caller acts */
#define OPF_EINTR 16       /* a handler that runs while it waits ends the wait: ALT_EINTR */
#define OPF_RESTART 32     /* with OPF_EINTR: not if the handler was set with SA_RESTART */
#define OPF_INSIDE 64      /* it has begun already: no handler runs before it (but one can end the wait) */
#define OPF_WAITER 128     /* others must find it waiting, also while a handler runs */
#define OPF_SLEEP 256      /* it waits for its deadline, nothing else */
#define OPF_CANCEL_MAY 512 /* with OPF_CANCEL: a request need not be seen where it does not wait */
#define OPF_LATE \
	8 /* what it waits for may come after the deadline, or a signal: giving up is an outcome as well */

/* Who can end the wait of an operation that has no outcome. */
enum op_wait_for {
	WAIT_ANYONE, /* any fiber that runs: a signal, a post, data in a pipe */
	WAIT_FIBER,  /* one fiber: it holds the lock, or is to end */
	WAIT_CLIENT, /* a client that connects */
	WAIT_PEER,   /* a peer that says something */
	WAIT_WORLD,  /* somebody outside who need not exist: a signal from another process */
};
struct cache_pos;
struct op_wait {
	enum op_wait_for what;
	u32 slot;                     /* WAIT_FIBER: which; no valid slot: it is gone */
	const struct cache_pos *peer; /* WAIT_PEER: the (first) connection */
};

/*
 * All there is to know about a kind of operation. Nothing outside the classes asks for kinds. The callbacks
 * depend on the state alone and change nothing (but see resolve); they are called for any fiber, on the
 * engine's stack.
 */
#define OP_DESCRIBE_PENDING 0xfff0u /* in place of an outcome: it is not decided yet */
struct op_class {
	const char *name; /* "lock mutex" */
	/*
	 * Ask the network for what `outcomes` will look at: the only callback that may do I/O and wait.
	 * Called before `outcomes`, once for a state. NULL: there is nothing to ask.
	 */
	void (*resolve)(const struct fiber *f, const struct op *o);
	/*
	 * How many outcomes (0 … n-1) the operation has in the current state; 0: it waits. NULL: always
	 * exactly one. Time-out, spurious wake-up and cancellation are not counted: they come from deadline
	 * and flags.
	 */
	u32 (*outcomes)(const struct fiber *f, const struct op *o);
	/* For people: what the fiber does or waits for; NULL: name and object. */
	void (*describe)(const struct fiber *f, const struct op *o, u32 alt, struct text *t);
	/*
	 * Declare (access_declare) what carrying out this outcome touches, and what its being possible
	 * depends on, apart from the fiber itself. Called when the outcome was chosen, before the fiber
	 * goes on. NULL: nothing others can see.
	 */
	void (*accesses)(const struct fiber *f, const struct op *o, u32 alt);
	/* With OPF_LATE: may it give up although it has outcomes? NULL: yes. */
	bool (*late)(const struct fiber *f, const struct op *o);
	/* Who can end its wait. NULL: WAIT_ANYONE. */
	struct op_wait (*wait)(const struct op *o);
	/* 1 + the slot of the fiber whose end alone ends its wait, for the reduction; 0, NULL: none. */
	u32 (*joins)(const struct op *o);
	/*
	 * An object it will use when its wait is over, besides op.object; destroying that meanwhile is a
	 * mistake. NULL: none.
	 */
	u64 (*returns_to)(const struct op *o);
	/*
	 * The faults of the network that could happen before it goes on (--net-faults), each an action
	 * ALT_FAULT + n. Pure, behind resolve. NULL: none.
	 */
	void (*faults)(const struct op *o, struct net_faults *out);
	/*
	 * With a single outcome, of a fiber that is alone: may it go without a state of its own
	 * (sched_merges_alone)? Not if a loop of such steps would lead back to where it began. NULL: no.
	 */
	bool (*merges)(const struct op *o);
	bool patient; /* waits for a thread's end or for clients: never the cause of a deadlock */
	bool busy;    /* a thread does it while it waits for something by looking again and again */
	bool looks;   /* takes a lock, perhaps to look at what it guards again and again */
	/* … or, with this outcome, it is such a look: it does not get what it tries to. NULL: never. */
	bool (*in_vain)(const struct fiber *f, const struct op *o, u32 alt);
	bool sleeps;      /* lets time pass, and does nothing else */
	bool yields;      /* gives others a chance, and does nothing else */
	bool instruction; /* the program's own, which is executed when the step is taken */
	bool memory;      /* a pending access to memory (op.object, op.n bytes), which may race with others */
};
extern const struct op_class *const op_classes[]; /* by kind; engine/op_table.c */
static inline const struct op_class *op_class_of(const struct op *o)
{
	return op_classes[o->kind];
}

/* The fiber that runs now; its slot number; a fiber's thread number for people (main = 1). */
struct fiber *sched_self(void);
u32 sched_self_slot(void);
u32 sched_thread_number(const struct fiber *f);
/* True once the search runs; before that (constructors) operations don't yield. */
bool sched_active(void);
void sched_main_starts(void);
/*
 * Is a fiber running (as opposed to engine code)? Which transition is it, counted from the start? For
 * signal handlers.
 */
bool sched_in_fiber(void);
u64 sched_steps(void);

/*
 * Make `o` the pending operation and let the engine decide. Returns the outcome: 0 … n-1, ALT_TIMEOUT,
 * ALT_SPURIOUS. Cancellation does not return (the fiber unwinds), unless OPF_CANCEL_SELF is set. With
 * OPF_EINTR also ALT_EINTR, with OPF_INSIDE and OPF_RESTART too ALT_RESTART.
 */
u32 sched_step(const struct op *o);
/*
 * The same without an operation, for access.h: it can go on at once. kind: OP_NONE or OP_RETURN, which tell
 * the two reasons apart.
 */
void sched_pause(u32 kind);
/*
 * Is nobody there but this fiber, and does the operation it stands before have one outcome? Where its class
 * allows, it is then part of the step before (event loops have several such operations between two looks at
 * the network), up to SCHED_MERGED_MAX of them, so that a loop has states. A replay takes them as steps, for
 * the trace. Depends on the state alone. May ask the network (op_class.resolve).
 */
#define SCHED_MERGED_MAX 64u
bool sched_merges_alone(const struct fiber *f, const struct op *o);
/* The fiber's pending operation is carried out now, with this outcome: declares what that touches. */
void sched_declare_step(const struct fiber *f, u32 alt);
/* Was there any operation of a busy class? */
bool sched_busy_seen(void);
/*
 * Before a step that does not wait: threads that do it in a loop may go round in circles. A call and not a
 * flag of the operation, because whether it will have to wait may be for other threads to decide, and what is
 * in the operation is state. Called in any case, with false where it does wait: else what the caller keeps on
 * its stack would tell (kstack/kstack.h, "What remains").
 */
void sched_tries(bool tries);
/* A step only if somebody else is alive to notice. */
bool sched_alone(void);
/*
 * Fiber by slot, NULL if free: to look for waiters. sched_fiber_limit(): one above the highest slot in use.
 */
struct fiber *sched_fiber(u32 slot);
/* … and it has not ended. */
bool sched_alive(u32 slot);
u32 sched_fiber_limit(void);
/* What it waits for, as wakers see it: even while a handler runs that interrupted the wait. */
const struct op *fiber_op(const struct fiber *f);
/*
 * The first fiber from slot `from` on that stands before an operation of this kind on this object; NULL:
 * none.
 */
struct fiber *sched_find_pending(u32 from, u32 kind, u64 object);
/* Replace what another, waiting fiber waits for (a waker's business: e.g. COND_WAIT -> COND_RELOCK). */
struct op *fiber_op_mut(struct fiber *f);

/* Virtual time, nanoseconds since the start of the run. */
u64 clock_now(void);
/* The SUT looks at a clock: from then on time is part of the state (may restart the search). */
u64 clock_read(void);
/* … or at a time that the clock has left in a file: the same, once any time-out has ended. */
void clock_seen_in_file(void);
/* A deadline for struct op from a relative wait. */
u64 clock_deadline(u64 relative_ns);
/* The same from an absolute time on a clock of the SUT (CLOCK_REALTIME, CLOCK_MONOTONIC). */
u64 clock_deadline_at(int clock_id, long sec, long nsec);
/* What a clock of the SUT shows at virtual time 0, in seconds. */
#define CLOCK_EPOCH_REALTIME 1767225600L /* 2026-01-01 00:00 UTC */
#define CLOCK_EPOCH_MONOTONIC 1000L      /* up for so long; 0 is what programs take for "not set" */

/*
 * A property failed. Does not return: the transition ends here. `message` may contain {0x…}.
 */
HD_NORETURN void sched_violation(enum violation_kind kind, u64 pc, u64 address, const char *message);
/* The same by a signal; regs: where the fiber is, for unwinders. */
HD_NORETURN void sched_fail(enum violation_kind kind, u64 pc, u64 address, u32 signo,
			    const struct wire_regs *regs, const char *message);
/*
 * The transition can't be finished: this path does not count; or the search can't go on (and tells why
 * elsewhere).
 */
HD_NORETURN void sched_prune(void);
HD_NORETURN void sched_stop(void);
/* heddle's own limit was hit: the search ends, and the verdict is "incomplete", with this reason. */
HD_NORETURN void sched_limit(const char *what);
/* A lesson was learnt: the search has to start again (ignored in replay). */
void sched_want_restart(void);
/* The same, but the search may go on for a while, to learn more at a time. */
void sched_want_restart_soon(void);
/* The same for a lock or the like that is used wrongly: "unlock of an unlocked", "spin lock". */
HD_NORETURN void sched_misuse(const char *what, const char *kind, u64 object, u64 pc);
/* A call outside the model: noted with the caller's address, the verdict will be "incomplete". */
void sched_refused(const char *call, u64 pc);
/* The whole process ends (exit_group). */
HD_NORETURN void sched_exit(int status);

/* ---- who is told of what ---- */

/* What the virtual kernel does when fibers come and go. */
struct sched_kernel {
	void (*fiber_start)(u32 slot, u32 creator);
	void (*fiber_end)(u32 slot);
	void (*call_ends)(u32 slot); /* it will not come back from the call it is in, if any */
	/*
	 * The running fiber takes the signals that are ready for it: their handlers run. Returns whether the
	 * first of them wants calls to be restarted (SA_RESTART).
	 */
	bool (*signals_take)(void);
	/*
	 * What a step of this fiber touches because signals are among what it could do next; taken: it does
	 * take them. Beside what its pending operation declares.
	 */
	void (*signals_access)(u32 slot, bool taken);
	/* Could a handler run in this fiber, if a signal came? */
	bool (*signals_open)(u32 slot);
	/* Timer n of the process expires, and what that touches. Returns its deadline, as in struct op. */
	u64 (*timer_expires)(u32 n);
	void (*timer_access)(u32 n);
	/* What all that are armed would touch, and what decides which of them can expire. */
	void (*timers_access)(void);
	/* The nth fault of the network that could concern a fiber's operation happens; what it touches. */
	void (*fault_happens)(const struct op *o, u32 n);
	void (*fault_access)(const struct op *o, u32 n);
	/* A time-out of client peer n + 1 ends, and what that touches. */
	void (*peer_acts)(u32 n);
	void (*peer_access)(u32 n);
	/*
	 * A time-out of the running fiber ends; sleeps: it waited for nothing else. Are servers told? Then
	 * time is part of the state.
	 */
	bool (*time_passes)(u64 until, bool sleeps);
};
void sched_register_kernel(const struct sched_kernel *k);
/* Handlers of faults run on this stack: nobody can wait there. */
void sched_register_signal_stack(u64 low, u64 size);

/*
 * Have all other threads that ever were been joined? Then nobody sees what this one does, until it makes
 * another.
 */
bool sched_all_joined(void);

#endif
