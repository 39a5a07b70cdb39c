/*
 * target.h: what a search needs to know of the thing it searches. The real
 * target is the SUT in its process (runtime/engine/); unit tests link toy
 * graphs. The search never looks behind this interface.
 *
 * A target is always in exactly one state. An action is a number that means the
 * same thing in every execution (which fiber, which outcome), so a list of
 * actions from the initial state is a path that can be replayed elsewhere.
 */
#ifndef HEDDLE_SEARCH_TARGET_H
#define HEDDLE_SEARCH_TARGET_H

#include "base/base.h"
#include "search/footprint.h"
#include "wire/search_options.h"

/* How a step ended. */
enum step_result {
	STEP_OK = 0,
	STEP_VIOLATION, /* a property failed during the step; the state after it is not to be extended */
	STEP_PRUNED,    /* heddle_assume was false: this path does not count */
	STEP_RESTART,   /* the target learnt that its steps were too coarse (see target.h:restart) */
	STEP_NO_MEMORY, /* there is no room to log what the step changed: the search ends here, bounded */
	STEP_STOP,      /* the target can't go on, and tells why elsewhere */
};

/* What a state without enabled actions is. */
enum terminal_kind {
	TERMINAL_END = 0,   /* everything ended as it should */
	TERMINAL_VIOLATION, /* deadlock, or a property of end states failed */
};

/*
 * What an enabled action is, in terms that mean something outside this process: for search
 * scripts (tape.h).
 */
struct target_label {
	u32 kind; /* of operation */
	u64 pc;   /* where in the program it is asked for; 0: nowhere */
};

/* A position in the target's undo log. */
typedef u64 target_mark;

/*
 * For the audit of footprints (audit.h), at --sanity 2 and above. Texts are for people; a buffer is always
 * terminated.
 */
struct target_audit {
	/*
	 * Did the last step, `action`, change something that belongs neither to its fiber nor to an object
	 * that it declared as changed? True: `why` says what.
	 */
	bool (*undeclared)(void *t, u32 action, char *why, size_t cap);
	/* What the enabled action is about to do. */
	void (*describe)(void *t, u32 action, char *buf, size_t cap);
	/* Keep the present state, ... */
	void (*remember)(void *t);
	/* ... and tell the first thing in which the present state differs from it. False: none. */
	bool (*difference)(void *t, char *buf, size_t cap);
	/*
	 * a and b are enabled here, and lead to different states in different orders. Is that because one
	 * of them depends on memory that the other writes without saying so, as unmodified programs that
	 * race do? The address of the word; 0: no. Executes steps, and undoes them.
	 */
	u64 (*race)(void *t, u32 a, u32 b);
	/*
	 * For the eye (search/eye.h); NULL: it is not wanted. Is this a program whose loads
	 * and stores are not declared?
	 */
	bool (*unmodified)(void *t);
	/* A number for the place in the program where the action's fiber stands. */
	u64 (*point)(void *t, u32 action);
	/* A word to which both enabled actions store, without saying so; 0: none. */
	u64 (*both_store)(void *t, u32 a, u32 b);
	/* A number for what the last step told the outside that is no part of the state. May be NULL. */
	u64 (*output)(void *t);
	/* Such a pair was found, here: the report will name the word and the places. May be NULL. */
	void (*note_race)(void *t, u64 address, u32 a, u32 b);
	/*
	 * May steps be cut in places that are no operations (the next three; NULL: no)? Not any more, if
	 * that took long. In an experiment, what steps say does not count, and none of them runs for long.
	 */
	bool (*pauses)(void *t);
	void (*experiment)(void *t, bool begins);
	/*
	 * Steps of the action's fiber end behind the k-th place where they let others go on (1: behind the
	 * operation that they begin with); 0: they don't. Then rest() is what remains.
	 */
	void (*pause)(void *t, u32 action, u32 k);
	/* Has such a step ended so since? */
	bool (*paused)(void *t);
	/* How many uses were merged into the last step (all may be NULL: the target does not merge); ... */
	u32 (*merged)(void *t);
	/* ... let the next step end before the k-th of them (from 1); ... */
	void (*split)(void *t, u32 k);
	/* ... and the action that goes on with `action` after that. */
	u32 (*rest)(void *t, u32 action);
};

/*
 * For partial-order reduction (reduction.h). A footprint's objects of class OBJECT_THREAD stand for fibers: a
 * step that moves another one to a new control point, or makes it, writes to one of its own.
 */
#define TARGET_NOBODY 0xffffffffu
struct target_reduction {
	/*
	 * May some of the enabled actions of the current state be left out? No, if more decides on what is
	 * possible than footprints say. Asked after `actions`.
	 */
	bool (*usable)(void *t);
	/*
	 * The live fibers, and others who act like one (timers); returns their number, even if there is no
	 * room for all.
	 */
	u32 (*fibers)(void *t, u32 *out, u32 room);
	/*
	 * Which of them an action belongs to. TARGET_NOBODY: it is possible only where nothing else is. NULL:
	 * action_fiber tells.
	 */
	u32 (*actor)(void *t, u32 action);
	/* Does the fiber do something else (take a signal) before its pending operation? NULL: never. */
	bool (*aside)(void *t, u32 action);
	/* The fiber's control point, different from those of all other fibers; 0: there is no such fiber. */
	u64 (*point)(void *t, u32 fiber);
	/*
	 * More of where it stands: a hash of what nobody but the fiber itself ever writes. Tells visits of
	 * one control point apart, as long as there are few of them. NULL: there is no more.
	 */
	u64 (*detail)(void *t, u32 fiber);
	/*
	 * What the fiber's pending operation would touch, and whatever decides which of its actions are
	 * enabled.
	 */
	void (*pending)(void *t, u32 fiber, struct footprint *out);
	/*
	 * 1 + the fiber whose end alone lets the pending operation go on; 0: it is no such wait. Depends on
	 * the control point alone. NULL: always 0.
	 */
	u32 (*joins)(void *t, u32 fiber);
	/* An action of the fiber, enabled or not: for texts. */
	u32 (*action)(u32 fiber);
};

/*
 * For several workers that search the same thing, each with a target of its own (parallel.h). What a target
 * learns from all executions together, rather than from the state it is in, has to be told to the others.
 */
enum target_alone {
	TARGET_ALONE_LIVELOCK, /* there is one; one worker looks for the way to it */
	TARGET_ALONE_NOTES,    /* there is no room for what workers have to tell each other */
};
struct target_team {
	/* The target takes part, from its initial state on: it passes on with say() what it learns. */
	void (*join)(void *t, void (*say)(void *to, const u64 *word, u32 words), void *to);
	/* It goes on alone. */
	void (*leave)(void *t);
	/* What another worker's target passed on. True: the search must start again because of it. */
	bool (*hear)(void *t, const u64 *word, u32 words);
	/* Something was learnt that one worker has to see the consequences of: the others leave. */
	bool (*wants_alone)(void *t);
	/* The search is stale (target_ops.stale), but goes on for a while, to learn more. NULL: never. */
	bool (*learns_on)(void *t);
	/*
	 * All workers have explored all there is, up to a bound of the target's own, and nobody learns
	 * anything. True: the bound is wider from now on, and the search starts again. Each worker is asked,
	 * and each has to say the same. NULL: there is none.
	 */
	bool (*widens)(void *t);
	/* The search decides that one goes on alone. NULL: nobody wants to know why. */
	void (*goes_alone)(void *t, enum target_alone why);
};

/* What is known of a loop of states that nothing leads out of. */
#define LOOP_WAITS 1u /* it has steps of busy waiting, */
#define LOOP_LOOKS 2u /* … steps that take a lock, */
#define LOOP_WORKS 4u /* … other ones, */
#define LOOP_SAYS 8u  /* … and some that tell the outside something (target_audit.output) */
struct target_loop {
	u32 steps;    /* LOOP_ … */
	u32 waits;    /* how many are of busy waiting */
	u32 fiber;    /* 1 + whose they are, if they are of one fiber */
	bool several; /* they are not */
};

struct target_ops {
	/*
	 * Enabled actions of the current state, in a fixed order that depends on
	 * the state alone. Returns their number (the buffer has room for TARGET_MAX_ACTIONS).
	 */
	u32 (*actions)(void *t, u32 *out);
	/* Execute one enabled action. */
	enum step_result (*step)(void *t, u32 action);
	/* Called in states without actions. */
	enum terminal_kind (*terminal)(void *t);
	/* Incremental fingerprint of the current state: cheap. */
	struct fingerprint (*fingerprint)(void *t);
	/* The same from scratch: slow, for --sanity. */
	struct fingerprint (*full_fingerprint)(void *t);

	/* The current position in the undo log ... */
	target_mark (*mark)(void *t);
	/* ... and back to it. Also undoes a step that ended in anything but STEP_OK. Marks above `to` die. */
	void (*undo)(void *t, target_mark to);

	/*
	 * For strategies that jump between states (bfs): the difference between the
	 * state at `from` (a live mark) and the current one, as an opaque blob.
	 * delta_size bytes are needed; applying a blob toggles: from the older state it
	 * leads to the newer one and back. After delta_apply the undo log is empty
	 * (marks die), the fingerprint is right.
	 */
	size_t (*delta_size)(void *t, target_mark from);
	void (*delta_save)(void *t, target_mark from, void *out);
	void (*delta_apply)(void *t, const void *blob);

	/*
	 * A step found that an operation which had been merged into a longer step can
	 * be told apart by another fiber. The lesson is remembered by the target; the search
	 * goes back to the initial state, forgets all visited states and counts, and starts
	 * again. Called in the initial state.
	 */
	void (*restart)(void *t);
	/*
	 * Has the target learnt something of the kind, but let the search go on to learn more at a time? Then
	 * nothing that it finds counts; it starts again at its end, at the latest. May be NULL: never.
	 */
	bool (*stale)(void *t);
	/* The violation of the last step or terminal: the same number for the same kind and place. */
	u64 (*violation_key)(void *t);
	/*
	 * May it be that this execution does not exist, because it used something that the target only
	 * imitates? Then the violation is told, but neither counts nor ends the search. NULL: never.
	 */
	bool (*doubtful)(void *t);
	/* For preemption-aware strategies (random, pct): the fiber an action belongs to. */
	u32 (*action_fiber)(void *t, u32 action);
	/*
	 * Busy waiting (may both be NULL). busy: would this enabled action be a step of it (a look at
	 * memory, a yield, a try)? can_livelock: has the target such steps at all? Asked at the start of
	 * each search; when the answer changes during one, the target asks for a restart. livelock: the
	 * current state is part of a loop of such steps that nothing leads out of; the violation of that.
	 */
	bool (*busy)(void *t, u32 action);
	bool (*can_livelock)(void *t);
	/*
	 * Or would it take a lock, be it to look at what it guards, be it to work on that (NULL: never)?
	 * in_vain: the current state is part of a loop of both kinds of steps that nothing leads out of. Is
	 * that a livelock, too?
	 */
	bool (*looks)(void *t, u32 action);
	bool (*in_vain)(void *t, const struct target_loop *loop);
	void (*livelock)(void *t);
	/* Is the loop that the current state belongs to no livelock, but how the target idles? NULL:
	   never. would_idle: the same, but it is not known yet whether there is such a loop. */
	bool (*idles)(void *t);
	bool (*would_idle)(void *t);
	/*
	 * What the last step touched, from its pending operation to just before the next one; valid until
	 * the next step. NULL: the target keeps no footprints (then nothing is known to commute).
	 */
	const struct footprint *(*footprint)(void *t);
	/* What the enabled action is. NULL: targets that are never recorded. */
	void (*label)(void *t, u32 action, struct target_label *out);
	/* NULL: nothing is left out. */
	const struct target_reduction *reduction;
	/* NULL: footprints can't be audited. */
	const struct target_audit *audit;
	/* NULL: there is nothing to tell others. */
	const struct target_team *team;
	/* Bytes of undo log and the like: for limits and statistics. */
	u64 (*memory)(void *t);
	/* How much work all steps so far were, changed words, say; the same in every run. NULL: unknown. */
	u64 (*work)(void *t);
};

#define TARGET_MAX_ACTIONS 65536

struct target {
	const struct target_ops *ops;
	void *self;
};

#endif
