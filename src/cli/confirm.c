#include "cli/confirm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "iocache/tree.h"
#include "report/play.h"
#include "report/trees_file.h"

static void on_started(void *self, pid_t pid)
{
	(void)self;
	interrupt_watch(pid);
}

static bool on_give_up(void *self)
{
	(void)self;
	return interrupt_count() >= 2;
}

static char **copy_list(char *const *list)
{
	size_t n = 0, i;
	char **copy;

	while (list && list[n])
		n++;
	copy = calloc(n + 1, sizeof(*copy));
	for (i = 0; copy && i < n; i++)
		copy[i] = strdup(list[i]);
	return copy;
}

/* Everything a later replay needs, but the story. */
static int trace_prepare(struct trace *t, const struct launch *l, const struct found *f,
			 const struct found_violation *v)
{
	t->argv = copy_list(l->argv);
	t->extra = copy_list(l->extra);
	t->program = *l->program;
	if (!getcwd(t->cwd, sizeof(t->cwd)))
		t->cwd[0] = 0;
	t->environment = f->environment;
	t->config = l->config;
	t->config.net.live = 0; /* the peers' part is recorded */
	t->path_len = v->path_len;
	t->learnt = malloc(sizeof(*t->learnt));
	t->path = malloc((v->path_len + 1) * sizeof(u32));
	if (!t->argv || !t->extra || !t->learnt || !t->path)
		return -1;
	*t->learnt = f->learnt;
	memcpy(t->path, v->path, v->path_len * sizeof(u32));
	return 0;
}

/* A Rust program that ends because it panicked has said where; the stack of that moment is gone. */
static void panic_where(const char *message, char *out, size_t cap)
{
	static const char mark[] = " panicked at ";
	const char *file = strstr(message, mark), *slash;
	size_t len, digits;

	if (!file)
		return;
	file += sizeof(mark) - 1;
	len = strcspn(file, ":");
	while ((slash = memchr(file, '/', len))) {
		len -= (size_t)(slash + 1 - file);
		file = slash + 1;
	}
	digits = file[len] ? strspn(file + len + 1, "0123456789") : 0;
	if (digits)
		snprintf(out, cap, "%.*s", (int)(len + 1 + digits), file);
}

static void trace_judge(struct trace *t)
{
	const struct story_line *who = story_culprit(&t->story);

	t->kind = t->story.violation_kind;
	t->thread = who->thread;
	snprintf(t->message, sizeof(t->message), "%s", t->story.violation.text);
	frames_where(who->frame, who->frames, t->where, sizeof(t->where));
	if (!t->where[0] && t->kind == VIOLATION_ASSERT)
		panic_where(t->message, t->where, sizeof(t->where));
}

/* A deadlock belongs to all threads; the others must happen to the same one. */
static bool same_violation(const struct story *s, const struct found_violation *v)
{
	return s->violation_kind == v->kind &&
	       (violation_is_shared(v->kind) || s->violation.thread == v->thread + 1);
}

static void say_unconfirmed(struct outcome *o, const struct found_violation *v, enum play_end end,
			    const struct story *story, const struct problem *why)
{
	const char *kind = violation_kind_name(v->kind);

	o->unconfirmed++;
	if (end == PLAY_VIOLATION)
		snprintf(o->unconfirmed_why, sizeof(o->unconfirmed_why),
			 "the search found: %s; the fresh process: %s (%.900s)", kind,
			 violation_kind_name(story->violation_kind), story->violation.text);
	else if (end == PLAY_NO_VIOLATION)
		snprintf(o->unconfirmed_why, sizeof(o->unconfirmed_why),
			 "the search found: %s (%.900s); the fresh process ran through", kind, v->message);
	else if (end == PLAY_GIVEN_UP)
		snprintf(o->unconfirmed_why, sizeof(o->unconfirmed_why), "%s; the re-run was interrupted",
			 kind);
	else
		snprintf(o->unconfirmed_why, sizeof(o->unconfirmed_why), "%s; %.1000s", kind, why->text);
}

/* The name of the variable that is raced for, while the process is there to be asked. */
struct variable {
	u64 address;
	char name[512];
};

static void look_up_variable(void *self, struct symbols *symbols)
{
	struct variable *v = self;

	if (v->address)
		symbols_name(symbols, v->address, v->name, sizeof(v->name));
}

static const struct story_line *side_of(const struct story *s, u32 thread)
{
	size_t i;

	for (i = 0; i < s->fibers; i++)
		if (s->fiber[i].thread == thread)
			return &s->fiber[i];
	return NULL;
}

/* Suppressed: noted in `out`, exactly as far as the user named it. 0: it is not. */
static int suppress(const struct suppressions *s, const struct story *story, const struct found_violation *v,
		    const char *variable, struct ignored *out, struct problem *p)
{
	const struct suppressed_race race = {.side = {&story->violation, side_of(story, v->other_thread + 1)},
					     .variable = variable};
	enum suppression_match match;

	if (v->kind != VIOLATION_RACE || (match = suppressions_match(s, &race)) == SUPPRESSION_NONE)
		return 0;
	if (out->count == WIRE_MAX_IGNORED)
		return problem_set(p, "more than %d suppressed races; --races ignore leaves out all of them",
				   WIRE_MAX_IGNORED);
	out->race[out->count] = v->race;
	if (match == SUPPRESSION_CODE)
		out->race[out->count].address = 0;
	out->count++;
	return 1;
}

/* Of all that was ever said, what this execution heard: enough to run it again. */
static int keep_used_trees(const struct sut *s, struct trace *t, struct problem *p)
{
	struct trees *all = s->shared ? trees_attach(sut_trees(s), WIRE_TREES_SIZE) : NULL;
	struct trees_blob used;

	if (!all || !trees_count(all))
		return 0;
	if (trees_blob_copy_used(all, &used))
		return problem_set(p, "out of memory");
	t->trees = used.memory;
	t->trees_len = used.len;
	return 0;
}

static int confirm_one(const struct launch *search, const struct found *f, const struct found_violation *v,
		       const struct suppressions *suppressions, struct ignored *ignored, struct outcome *o,
		       struct problem *p)
{
	struct variable variable = {.address = v->kind == VIOLATION_RACE ? v->race.address : 0};
	const struct play_listener listener = {
		.self = &variable, .started = on_started, .at_end = look_up_variable, .give_up = on_give_up};
	struct trace *t = &o->violation[o->violations].trace;
	struct launch l = *search;
	struct sut s = {0};
	struct problem why = {.text = "its path is lost"};
	enum play_end end = PLAY_FAILED;
	int kept;

	if (v->path) {
		if (trace_prepare(t, search, f, v))
			return problem_set(p, "out of memory");
		l.config = t->config;
		l.learnt = t->learnt;
		l.task = (struct wire_task){.mode = WIRE_REPLAY, .show_output = 1, .path_len = t->path_len};
		l.path = t->path;
		l.trees = f->trees;
		l.trees_len = f->trees_len;
		end = play(&s, &l, &listener, &t->story, &why);
		interrupt_watch(0);
		kept = keep_used_trees(&s, t, p);
		sut_end(&s);
		if (kept)
			return -1;
	}
	if (end == PLAY_VIOLATION && same_violation(&t->story, v)) {
		int known = suppress(suppressions, &t->story, v, variable.name, ignored, p);

		if (known) {
			trace_free(t);
			return known < 0 ? -1 : 0;
		}
		trace_judge(t);
		o->violations++;
		snprintf(o->violation[o->violations - 1].trace_name, sizeof(o->violation[0].trace_name),
			 "violation-%zu.trace", o->violations);
		return 0;
	}
	say_unconfirmed(o, v, end, &t->story, &why);
	trace_free(t);
	return 0;
}

int confirm_violations(const struct launch *l, const struct found *found,
		       const struct suppressions *suppressions, struct ignored *ignored, struct outcome *o,
		       struct problem *p)
{
	size_t i;

	o->violation = calloc(found->violations + 1, sizeof(*o->violation));
	if (!o->violation)
		return problem_set(p, "out of memory");
	for (i = 0; i < found->violations; i++)
		if (confirm_one(l, found, &found->violation[i], suppressions, ignored, o, p))
			return -1;
	return 0;
}

struct refused_lookup {
	const struct found *found;
	struct outcome *outcome;
};

static size_t refused_frames(struct symbols *symbols, const struct wire_refused *r, struct frame *out,
			     size_t max)
{
	size_t n = 0;

	if (r->regs.rip) {
		symbols_use_stack(symbols, r->regs.rsp, r->stack, r->stack_len);
		n = symbols_unwind(symbols, &r->regs, out, max);
		symbols_use_stack(symbols, 0, NULL, 0);
	}
	return n || !r->pc ? n : symbols_locate(symbols, r->pc, true, out, max);
}

static void look_up_refused(void *self, struct symbols *symbols)
{
	struct refused_lookup *r = self;
	struct frame frames[FRAMES_MAX];
	size_t i, n;

	for (i = 0; i < r->found->refuseds; i++) {
		n = refused_frames(symbols, &r->found->refused[i], frames, FRAMES_MAX);
		if (n)
			frames_where(frames, n, r->outcome->refused[i].where,
				     sizeof(r->outcome->refused[i].where));
	}
}

void confirm_refused(const struct launch *search, const struct found *found, struct outcome *o)
{
	struct refused_lookup lookup = {found, o};
	const struct play_listener listener = {
		.self = &lookup, .started = on_started, .at_end = look_up_refused, .give_up = on_give_up};
	const u32 no_steps[1] = {0};
	struct launch l = *search;
	struct story story = {0};
	struct sut s = {0};
	struct problem ignored;
	size_t i;

	o->refuseds = found->refuseds;
	for (i = 0; i < found->refuseds; i++) {
		memcpy(o->refused[i].call, found->refused[i].call, sizeof(o->refused[i].call));
		o->refused[i].count = found->refused[i].count;
		if (found->refused[i].pc)
			snprintf(o->refused[i].where, sizeof(o->refused[i].where), "0x%lx",
				 found->refused[i].pc);
	}
	if (!found->refuseds)
		return;
	/* Addresses are the same in every process: one that stands in the initial state will do. */
	l.task = (struct wire_task){.mode = WIRE_REPLAY};
	l.config.net.live = 0;
	l.learnt = &found->learnt;
	l.path = no_steps;
	play(&s, &l, &listener, &story, &ignored);
	interrupt_watch(0);
	sut_end(&s);
	story_free(&story);
}
