#include "session/replay_run.h"

#include <stdio.h>
#include <stdlib.h>

#include "report/rust_mutex.h"
#include "report/variables.h"
#include "wire/op_kinds.h"

/* Looking at variables costs more: those of the last steps only. */
#define STEPS_WITH_VALUES 600
/* Backtraces cost time: steps longer ago than this have none. */
#define STEPS_WITH_FRAMES 2000
#define POLL_MS 100
#define POLL_GDB_MS 10
#define KNOWN_BLOCKS 256

struct replay {
	struct sut *sut;
	const struct launch *launch;
	const struct replay_listener *listener;
	struct execution_log *log;
	struct symbols *symbols;
	struct problem *problem;
	u64 last_step;
	bool out_of_memory;
	bool held; /* gdb has it */
	/* of replay_open */
	struct sut own_sut;
	struct execution_log own_log;
	struct variables *variables;    /* NULL: not opened yet */
	const struct wire_event *event; /* that is being told */
	struct rust_mutexes rust;
	struct known_block {
		u64 address, start, bytes;
	} block[KNOWN_BLOCKS];
	bool looked_again; /* at variables, in the middle of its step */
};

static bool wants_values(const struct replay *r, const struct wire_event *e)
{
	return e->kind != WIRE_EV_OUTPUT && e->step + STEPS_WITH_VALUES >= r->launch->task.path_len;
}

/* The block around an address is told with the event that is about it; others name it later. */
static void remember_block(struct replay *r, const struct wire_event *e)
{
	struct known_block *b = &r->block[(e->object >> 3) % KNOWN_BLOCKS];

	if (e->object && e->kind != WIRE_EV_OUTPUT)
		*b = (struct known_block){e->object, e->block, e->block_bytes};
}

static bool name_now(struct replay *r, u64 address, char *out, size_t cap)
{
	const struct wire_event *e = r->event;
	const struct known_block *b = &r->block[(address >> 3) % KNOWN_BLOCKS];
	bool speaks = e->kind != WIRE_EV_VIOLATION && e->kind != WIRE_EV_END, known = b->address == address;

	return variables_name(r->variables, speaks ? e->thread + 1 : 0, address, known ? b->start : 0,
			      known ? b->bytes : 0, out, cap);
}

/* What was made in the step that is under way is not known from its beginning. */
static bool name_address(void *self, u64 address, char *out, size_t cap)
{
	struct replay *r = self;

	if (!r->variables || !r->event)
		return false;
	if (name_now(r, address, out, cap))
		return true;
	if (r->event->kind != WIRE_EV_ASIDE || r->looked_again)
		return false;
	r->looked_again = true;
	variables_stand(r->variables, r->event->thread + 1, &r->event->regs);
	variables_glance(r->variables);
	return name_now(r, address, out, cap);
}

/*
 * Before a step, and where a violation is found: what the step before it has changed. Inside a step only the
 * violation counts.
 */
static void look_at_values(struct replay *r, const struct wire_event *e)
{
	char *changed;

	if ((e->kind != WIRE_EV_STEP && e->kind != WIRE_EV_VIOLATION) || !wants_values(r, e))
		return;
	if (!r->variables && !(r->variables = variables_open(r->symbols)))
		return;
	symbols_set_namer(r->symbols, &(struct symbols_namer){r, name_address});
	if (e->last && !e->last_regs.rip)
		variables_ended(r->variables, e->last);
	else if (e->last)
		variables_stand(r->variables, e->last, &e->last_regs);
	else if (e->kind == WIRE_EV_VIOLATION)
		variables_stand(r->variables, e->thread + 1, &e->regs);
	if (e->kind == WIRE_EV_STEP)
		variables_stand(r->variables, e->thread + 1, &e->regs);
	changed = variables_look(r->variables);
	if (!changed)
		return;
	if (r->listener->changed)
		r->listener->changed(r->listener->self, changed);
	execution_log_changed(r->log, changed);
}

static bool wants_frames(const struct replay *r, const struct wire_event *e)
{
	if (e->kind == WIRE_EV_OUTPUT)
		return false;
	return (e->kind != WIRE_EV_STEP && e->kind != WIRE_EV_ASIDE) ||
	       e->step + STEPS_WITH_FRAMES >= r->launch->task.path_len;
}

/* The process may have scribbled over the wire: nothing in the event is trusted to be terminated. */
static void copy_event(struct wire_event *to, const struct wire_event *from)
{
	*to = *from;
	to->text_len = HD_MIN(to->text_len, (u32)sizeof(to->text) - 1);
	to->text[to->kind == WIRE_EV_OUTPUT ? to->text_len : sizeof(to->text) - 1] = 0;
	to->thread_name[sizeof(to->thread_name) - 1] = 0;
}

/* A Rust program's locks are atomic instructions and futexes; people know them as locks. */
static void see_rust_mutex(struct replay *r, struct log_entry *l, char *words, size_t cap)
{
	static const struct {
		const char *words;
		u32 op;
	} steps[] = {
		[RUST_MUTEX_LOCK] = {"locks mutex", OP_MUTEX_LOCK},
		[RUST_MUTEX_BUSY] = {"finds mutex", OP_ATOMIC_RMW},
		[RUST_MUTEX_UNLOCK] = {"unlocks mutex", OP_MUTEX_UNLOCK},
	};
	const struct rust_mutex *m;
	enum rust_mutex_step step;
	u32 word;

	if (l->kind == WIRE_EV_STEP && l->op == OP_ATOMIC_RMW &&
	    symbols_read(r->symbols, l->object, &word, sizeof(word))) {
		step = rust_mutex_step(&r->rust, l->thread, l->object, word, l->frame, l->frames);
		if (step == RUST_MUTEX_NOT)
			return;
		l->op = steps[step].op;
		snprintf(words, cap, "%s {0x%lx}%s", steps[step].words, l->object,
			 step == RUST_MUTEX_BUSY ? " locked" : "");
	} else if (l->kind == WIRE_EV_FIBER && l->op == OP_FUTEX_SLEEP &&
		   (m = rust_mutex_at(&r->rust, l->object)) && m->holder) {
		l->op = OP_MUTEX_LOCK;
		l->waits = WIRE_WAITS_THREAD;
		l->waits_thread = m->holder;
	}
}

static void put_into_words(struct replay *r, struct log_entry *l, const struct wire_event *e, char *text,
			   size_t cap)
{
	char words[2 * sizeof(e->text)];

	if (e->kind == WIRE_EV_OUTPUT) {
		snprintf(text, cap, "%s", e->text);
		return;
	}
	rust_mutex_words(&r->rust, e->text, words, sizeof(words));
	see_rust_mutex(r, l, words, sizeof(words));
	symbols_expand(r->symbols, words, text, cap);
	rust_condvar_words(text);
	if (rust_condvar_is(text) && l->kind != WIRE_EV_VIOLATION)
		l->op = l->op == OP_FUTEX_WAIT    ? OP_COND_ENTER
			: l->op == OP_FUTEX_SLEEP ? OP_COND_WAIT
			: l->op == OP_FUTEX_WAKE  ? OP_COND_SIGNAL
						  : l->op;
}

/* A thread that has not begun stands nowhere; the function that it will begin with tells which one it is. */
static u32 first_place(struct replay *r, const struct wire_event *e, struct frame *out)
{
	size_t n = e->entry ? symbols_locate(r->symbols, e->entry, false, out, 1) : 0;

	return n && out->file[0] && !frame_is_library(out) ? 1 : 0;
}

static void tell(struct replay *r, const struct wire_event *e)
{
	struct frame frames[FRAMES_MAX];
	char text[2 * sizeof(e->text)];
	struct log_entry l = {
		.kind = e->kind,
		.thread = e->thread + 1,
		.op = e->op,
		.patient = e->patient,
		.alt = e->alt,
		.step = e->kind == WIRE_EV_STEP || e->kind == WIRE_EV_PAUSE ? e->step : r->last_step,
		.arg = e->arg,
		.object = e->object,
		.object2 = e->object2,
		.waits = e->waits < WIRE_WAITS_KINDS ? e->waits : WIRE_WAITS_NOT,
		.waits_thread = e->waits == WIRE_WAITS_THREAD && e->waits_thread < LAYOUT_MAX_FIBERS
					? e->waits_thread + 1
					: 0,
		.text = text,
		.frame = frames,
		.regs = e->regs,
	};

	look_at_values(r, e);
	r->event = e;
	r->looked_again = false;
	remember_block(r, e);
	snprintf(l.name, sizeof(l.name), "%s", e->thread_name);
	if (wants_frames(r, e))
		l.frames = (u32)symbols_unwind(r->symbols, &e->regs, frames, FRAMES_MAX);
	if (!l.frames && e->kind == WIRE_EV_STEP)
		l.frames = first_place(r, e, frames);
	put_into_words(r, &l, e, text, sizeof(text));
	if (e->kind == WIRE_EV_STEP) {
		r->last_step = e->step;
		execution_log_forget_fibers(r->log);
	}
	if (e->kind == WIRE_EV_VIOLATION)
		r->log->violation_kind = e->violation;
	if (e->kind != WIRE_EV_PAUSE && !execution_log_add(r->log, &l))
		r->out_of_memory = true;
	if (r->listener->line)
		r->listener->line(r->listener->self, &l);
	r->event = NULL;
}

static enum replay_end how_it_ended(struct replay *r, const struct wire_event *e)
{
	r->event = e;
	if (r->listener->at_end)
		r->listener->at_end(r->listener->self, r->symbols);
	if (e->arg == 2) {
		problem_set(r->problem, "the recorded path could not be followed: %s",
			    e->text[0] ? e->text : "an action is not possible");
		return REPLAY_NOT_FOLLOWED;
	}
	return e->arg == 1 && r->log->violation.text ? REPLAY_VIOLATION : REPLAY_NO_VIOLATION;
}

/* After the last event the process ends, or stops for gdb. */
static void let_go(struct replay *r)
{
	enum sut_news news;

	sut_acknowledge(r->sut);
	if (r->held)
		return;
	do
		news = sut_wait_end(r->sut, POLL_MS);
	while (news == SUT_NOTHING && !(r->listener->give_up && r->listener->give_up(r->listener->self)));
	r->held = news == SUT_STOPPED;
}

static enum replay_end died(struct replay *r)
{
	const struct wire_result *result = &r->sut->worker->result;
	char how[1024], why[sizeof(result->error)];

	snprintf(why, sizeof(why), "%.*s", (int)sizeof(why) - 1, result->error);
	sut_describe_death(r->sut, how, sizeof(how));
	problem_set(r->problem, "the program's process ended in the middle of the replay: %s",
		    why[0] ? why : how);
	return REPLAY_FAILED;
}

static bool handle_event(struct replay *r, enum replay_end *end)
{
	struct wire_event e;

	copy_event(&e, &r->sut->worker->event);
	if (!r->symbols) {
		r->symbols = symbols_open(r->sut->pid, r->sut->shared->config.runtime_path, r->problem);
		if (!r->symbols) {
			*end = REPLAY_FAILED;
			return true;
		}
	}
	if (e.kind == WIRE_EV_END) {
		*end = how_it_ended(r, &e);
		r->event = NULL;
		let_go(r);
		return true;
	}
	tell(r, &e);
	r->event = NULL;
	if (e.kind == WIRE_EV_PAUSE) {
		*end = REPLAY_PAUSED;
		let_go(r);
		return true;
	}
	sut_acknowledge(r->sut);
	return false;
}

static enum replay_end listen_to(struct replay *r)
{
	enum replay_end end;

	for (;;) {
		switch (sut_wait_event(r->sut, r->launch->task.gdb ? POLL_GDB_MS : POLL_MS)) {
		case SUT_EVENT:
			if (handle_event(r, &end))
				return end;
			break;
		case SUT_ENDED:
			return died(r);
		case SUT_REQUEST: /* a replay has no peers */
		case SUT_STOPPED:
		case SUT_NOTHING:
			break;
		}
		if (r->listener->give_up && r->listener->give_up(r->listener->self))
			return REPLAY_GIVEN_UP;
	}
}

enum replay_end replay_process(struct sut *s, const struct launch *l, const struct replay_listener *listener,
			       struct execution_log *log, struct problem *p)
{
	struct replay r = {.sut = s, .launch = l, .listener = listener, .log = log, .problem = p};
	enum replay_end end;

	if (sut_start(s, l, NULL, 0, p))
		return REPLAY_FAILED;
	if (listener->started)
		listener->started(listener->self, s->pid);
	end = listen_to(&r);
	variables_close(r.variables);
	symbols_close(r.symbols);
	if (r.out_of_memory) {
		problem_set(p, "out of memory while the execution was replayed");
		return REPLAY_FAILED;
	}
	return end;
}

struct replay *replay_open(const struct launch *l, const struct replay_listener *listener, struct problem *p)
{
	struct replay *r = calloc(1, sizeof(*r));

	if (!r) {
		problem_set(p, "out of memory");
		return NULL;
	}
	*r = (struct replay){.launch = l, .listener = listener, .problem = p};
	r->sut = &r->own_sut;
	r->log = &r->own_log;
	if (sut_start(r->sut, l, NULL, 0, p)) {
		free(r);
		return NULL;
	}
	if (listener->started)
		listener->started(listener->self, r->sut->pid);
	return r;
}

enum replay_end replay_listen(struct replay *r)
{
	return listen_to(r);
}

void replay_pause_at(struct replay *r, u64 step)
{
	__atomic_store_n(&r->sut->worker->task.pause_at, step, __ATOMIC_RELEASE);
}

pid_t replay_pid(const struct replay *r)
{
	return r->sut->pid;
}

const struct execution_log *replay_log(const struct replay *r)
{
	return r->log;
}

void replay_close(struct replay *r)
{
	if (!r)
		return;
	variables_close(r->variables);
	symbols_close(r->symbols);
	sut_end(r->sut);
	execution_log_free(r->log);
	free(r);
}
