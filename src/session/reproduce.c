#include "session/reproduce.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "iocache/tree.h"
#include "report/trees_file.h"
#include "session/live_replay.h"
#include "session/profile_names.h"
#include "session/replay_run.h"
#include "session/shrink_run.h"
#include "session/unseen_names.h"

#define CLIENT_TRIES 3

/* A replay, and what its listeners need. */
struct replayed {
	const struct session_observer *observer;
	struct sut sut;
	u64 race_address; /* the variable there is to be named; 0: none */
	char variable[512];
	const struct findings *found; /* refused calls whose lines are to be found, and where they go */
	struct outcome *outcome;
};

static void on_started(void *self, pid_t pid)
{
	const struct replayed *r = self;

	r->observer->process(r->observer->self, pid, true);
}

static bool on_give_up(void *self)
{
	const struct replayed *r = self;

	return r->observer->stop_requests(r->observer->self) >= 2;
}

static enum replay_end replay(struct replayed *r, const struct launch *l, struct execution_log *log,
			      void (*at_end)(void *self, struct symbols *symbols), struct problem *p)
{
	const struct replay_listener listener = {
		.self = r, .started = on_started, .at_end = at_end, .give_up = on_give_up};
	enum replay_end end = replay_process(&r->sut, l, &listener, log, p);

	if (r->sut.pid)
		r->observer->process(r->observer->self, r->sut.pid, false);
	return end;
}

static char **copy_list(char *const *list)
{
	size_t n = 0;
	char **copy;

	while (list && list[n])
		n++;
	copy = calloc(n + 1, sizeof(*copy));
	for (size_t i = 0; copy && i < n; i++)
		copy[i] = strdup(list[i]);
	return copy;
}

/* Everything a later replay needs, but the log. The violation moves into the trace. */
static int trace_prepare(struct trace *t, const struct launch *l, const struct findings *f,
			 struct violation *v)
{
	t->argv = copy_list(l->argv);
	t->extra = copy_list(l->extra);
	t->program = *l->program;
	if (!getcwd(t->cwd, sizeof(t->cwd)))
		t->cwd[0] = 0;
	t->environment = f->environment;
	t->config = l->config;
	t->config.net.live = 0; /* the peers' part is recorded */
	t->learnt = malloc(sizeof(*t->learnt));
	t->properties = l->properties ? malloc(sizeof(*t->properties)) : NULL;
	if (!t->argv || !t->extra || !t->learnt || (l->properties && !t->properties))
		return -1;
	if (t->properties)
		*t->properties = *l->properties;
	*t->learnt = f->learnt;
	t->violation = *v;
	memset(v, 0, sizeof(*v));
	return 0;
}

/* What the replay showed, in words. */
static int trace_describe(struct trace *t)
{
	const struct log_entry *who = execution_log_culprit(&t->log);
	char where[512] = "";

	if (t->violation.found.kind == VIOLATION_ASSERT && !execution_log_place_panic(&t->log))
		return -1;
	frames_where(who->frame, who->frames, where, sizeof(where));
	return violation_describe(&t->violation, who->thread, t->log.violation.text, where) ? 0 : -1;
}

/* A deadlock belongs to all threads, a race to two; the others must happen to the same one. */
static bool same_violation(const struct execution_log *log, const struct wire_violation *v)
{
	return log->violation_kind == v->kind &&
	       (violation_traits(v->kind)->concerns_all_threads || log->violation.thread == v->thread + 1 ||
		(v->kind == VIOLATION_RACE && log->violation.thread == v->other_thread + 1));
}

static void count_unconfirmed(struct outcome *o, const struct wire_violation *v, enum replay_end end,
			      const struct execution_log *log, const struct problem *why)
{
	const char *kind = violation_traits(v->kind)->name;

	o->unconfirmed++;
	if (end == REPLAY_VIOLATION)
		snprintf(o->unconfirmed_why, sizeof(o->unconfirmed_why),
			 "the search found: %s; the fresh process: %s (%.900s)", kind,
			 violation_traits(log->violation_kind)->name, log->violation.text);
	else if (end == REPLAY_NO_VIOLATION)
		snprintf(o->unconfirmed_why, sizeof(o->unconfirmed_why),
			 "the search found: %s (%.900s); the fresh process ran through", kind, v->message);
	else if (end == REPLAY_GIVEN_UP)
		snprintf(o->unconfirmed_why, sizeof(o->unconfirmed_why), "%s; the re-run was interrupted",
			 kind);
	else
		snprintf(o->unconfirmed_why, sizeof(o->unconfirmed_why), "%s (%.400s); %.600s", kind,
			 v->message, why->text);
}

/* The name of the variable that is raced for, while the process is there to be asked. */
static void look_up_variable(void *self, struct symbols *symbols)
{
	struct replayed *r = self;

	if (r->race_address)
		symbols_name(symbols, r->race_address, r->variable, sizeof(r->variable));
}

static const struct log_entry *side_of(const struct execution_log *s, u32 thread)
{
	for (size_t i = 0; i < s->fibers; i++)
		if (s->fiber[i].thread == thread)
			return &s->fiber[i];
	return NULL;
}

/* 1: suppressed, and noted exactly as far as the user named it. 0: it is not. */
static int suppress(const struct reproduction *how, const struct trace *t, const char *variable,
		    struct problem *p)
{
	const struct wire_violation *v = &t->violation.found;
	const struct suppressed_race race = {
		.side = {&t->log.violation, side_of(&t->log, v->other_thread + 1)}, .variable = variable};
	struct ignored_races *ignored = how->ignored;
	enum suppression_match match;

	if (v->kind != VIOLATION_RACE ||
	    (match = suppressions_match(how->suppressions, &race)) == SUPPRESSION_NONE)
		return 0;
	if (ignored->count == WIRE_MAX_IGNORED)
		return problem_set(p, "more than %d suppressed races; --races ignore leaves out all of them",
				   WIRE_MAX_IGNORED);
	ignored->race[ignored->count++] = (struct wire_ignored){{v->pc, v->other_pc},
								match == SUPPRESSION_CODE ? 0 : v->address};
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

/* The lines of both sides; false: it is no race, or has no second side. */
static bool race_lines(const struct trace *t, char lines[2][512])
{
	const struct log_entry *other = side_of(&t->log, t->violation.found.other_thread + 1);
	const struct log_entry *side[2] = {&t->log.violation, other};

	if (t->violation.found.kind != VIOLATION_RACE || !other)
		return false;
	for (int i = 0; i < 2; i++)
		frames_where(side[i]->frame, side[i]->frames, lines[i], sizeof(lines[i]));
	return lines[0][0] && lines[1][0];
}

/* n++ is two instructions, and so is the other n++: between the two lines there is one race all the same. */
static bool is_known_race(const struct outcome *o, const struct trace *t)
{
	char lines[2][512], known[2][512];

	if (!race_lines(t, lines))
		return false;
	for (size_t i = 0; i < o->violations; i++)
		if (o->trace[i].violation.found.address == t->violation.found.address &&
		    race_lines(&o->trace[i], known))
			for (int k = 0; k < 2; k++)
				if (!strcmp(lines[0], known[k]) && !strcmp(lines[1], known[!k]))
					return true;
	return false;
}

/*
 * The violation happened again: it joins the outcome, unless it is suppressed. Its trace is t, the next
 * free one.
 */
static int accept(const struct reproduction *how, struct trace *t, const char *variable, struct outcome *o,
		  struct problem *p)
{
	int suppressed = suppress(how, t, variable, p);

	if (suppressed || is_known_race(o, t)) {
		trace_free(t);
		return suppressed < 0 ? -1 : 0;
	}
	if (trace_describe(t))
		return problem_set(p, "out of memory");
	o->violations++;
	snprintf(t->name, sizeof(t->name), "violation-%zu.trace", o->violations);
	return 0;
}

/*
 * It happens with the answers of the trees: does it with fresh peers, too? Without any it cannot be
 * otherwise. Clients say what they do as fast as they can, and leave by an end or a reset as it happens: they
 * have several tries.
 */
static enum live_end confirm(const struct reproduction *how, const struct findings *f, const struct trace *t,
			     char why[LIVE_WHY])
{
	const struct wire_violation *v = &t->violation.found;

	enum live_end end = LIVE_SAME;

	if (!how->live || !t->trees)
		return end;
	for (u32 tries = how->launch->config.net.clients ? CLIENT_TRIES : 1; tries; tries--) {
		end = live_replay(how->live, f, t->violation.path, v->path_len, v->kind, why);
		if (end == LIVE_SAME)
			break;
	}
	return end;
}

static int unconfirmed_by_peers(struct outcome *o, struct trace *t, const char *why)
{
	o->unconfirmed++;
	snprintf(o->differed, sizeof(o->differed), "%.1000s", why);
	snprintf(o->unconfirmed_why, sizeof(o->unconfirmed_why), "%s; with fresh peers: %.1000s",
		 violation_traits(t->violation.found.kind)->name, why);
	trace_free(t);
	return 0;
}

/* The calls that the replay refused come first: what follows them in the path may not exist with real
   ones. */
static void note_doubtful(const struct wire_result *result, struct trace *t, struct outcome *o)
{
	char call[sizeof(result->refused_call[0].call)];

	if (o->doubtful[0] || !result->refused || trace_describe(t))
		return;
	snprintf(call, sizeof(call), "%.*s", (int)sizeof(call) - 1, result->refused_call[0].call);
	snprintf(o->doubtful_call, sizeof(o->doubtful_call), "%s", call);
	for (size_t i = 0; i < o->refused_count; i++)
		if (!strcmp(o->refused[i].call, call) && o->refused[i].where[0]) {
			snprintf(o->doubtful_call, sizeof(o->doubtful_call), "%s at %s", call,
				 o->refused[i].where);
			break;
		}
	snprintf(o->doubtful, sizeof(o->doubtful), "%s%s%.300s (%.800s)",
		 violation_traits(t->violation.found.kind)->name, t->violation.where[0] ? " at " : "",
		 t->violation.where, t->violation.message);
}

/* What a replay of the trace's path needs. */
static struct launch launch_of(const struct reproduction *how, const struct findings *f,
			       const struct trace *t)
{
	struct launch l = *how->launch;

	l.config = t->config;
	l.learnt = t->learnt;
	l.task = (struct wire_task){.mode = WIRE_REPLAY,
				    .show_output = 1,
				    .violation = t->violation.found.kind,
				    .path_len = t->violation.found.path_len};
	l.path = t->violation.path;
	l.trees = f->trees;
	l.trees_len = f->trees_len;
	return l;
}

/* 1: it did not happen again. That counts, and is told, if there is no other path to be tried. */
static int reproduce_path(const struct reproduction *how, const struct findings *f, struct violation *v,
			  bool is_last, struct outcome *o, struct problem *p)
{
	struct trace *t = &o->trace[o->violations];
	struct replayed r = {.observer = how->observer,
			     .race_address = v->found.kind == VIOLATION_RACE ? v->found.address : 0};
	struct problem why = {.text = ""};
	char differs[LIVE_WHY];
	enum replay_end end;
	bool again, doubtful;
	int kept;

	if (trace_prepare(t, how->launch, f, v))
		return problem_set(p, "out of memory");
	struct launch l = launch_of(how, f, t);

	end = replay(&r, &l, &t->log, look_up_variable, &why);
	kept = keep_used_trees(&r.sut, t, p);
	again = end == REPLAY_VIOLATION && same_violation(&t->log, &t->violation.found);
	doubtful = again && t->violation.found.doubtful;
	if (doubtful)
		note_doubtful(&r.sut.worker->result, t, o);
	sut_end(&r.sut);
	if (kept)
		return -1;
	if (doubtful) {
		trace_free(t);
		return 0;
	}
	if (again && confirm(how, f, t, differs) != LIVE_DIFFERS)
		return accept(how, t, r.variable, o, p);
	if (is_last && again)
		return unconfirmed_by_peers(o, t, differs);
	if (is_last)
		count_unconfirmed(o, &t->violation.found, end, &t->log, &why);
	trace_free(t);
	return 1;
}

/* A copy of the violation with a shorter path; false: there is none. */
static bool shorten(const struct reproduction *how, const struct findings *f, const struct violation *v,
		    u64 max_ms, struct violation *out, struct outcome *o)
{
	struct launch l = *how->launch;
	const struct shrink_plan plan = {&l, how->observer, max_ms, SHRINK_STEPS};
	struct problem why = {.text = ""};
	enum shrink_result result;

	if (!max_ms || !shrink_makes_sense(v))
		return false;
	l.config.net.live = 0;
	l.learnt = &f->learnt;
	l.trees = f->trees;
	l.trees_len = f->trees_len;
	*out = *v;
	out->path = malloc((v->found.path_len + 1) * sizeof(u32));
	if (!out->path)
		return false;
	memcpy(out->path, v->path, v->found.path_len * sizeof(u32));
	result = shrink_run(&plan, out, &why);
	if (result == SHRINK_SHORTER)
		return true;
	if (result == SHRINK_IMPOSSIBLE && f->trees && o->notes < HD_ARRAY_LEN(o->note))
		snprintf(o->note[o->notes++], sizeof(o->note[0]),
			 "a violation was not shortened, as recorded answers do not suffice: %.150s",
			 why.text);
	free(out->path);
	return false;
}

static int reproduce_one(const struct reproduction *how, const struct findings *f, struct violation *v,
			 u64 shrink_ms, struct outcome *o, struct problem *p)
{
	const struct problem lost = {.text = "its path is lost"};
	struct violation shorter;
	int ret = 1;

	if (!v->path) {
		count_unconfirmed(o, &v->found, REPLAY_FAILED, &o->trace[o->violations].log, &lost);
		return 0;
	}
	if (shorten(how, f, v, shrink_ms, &shorter, o))
		ret = reproduce_path(how, f, &shorter, false, o, p);
	if (ret == 1)
		ret = reproduce_path(how, f, v, true, o, p);
	return ret < 0 ? -1 : 0;
}

int reproduce_violations(const struct reproduction *how, struct findings *found, struct outcome *o,
			 struct problem *p)
{
	u64 end_ms = monotonic_ms() + how->shrink_ms;

	o->trace = calloc(found->violations + 1, sizeof(*o->trace));
	if (!o->trace)
		return problem_set(p, "out of memory");
	for (size_t i = 0; i < found->violations; i++) {
		u64 now = monotonic_ms(), left = now < end_ms ? end_ms - now : 0;

		if (how->observer->stop_requests(how->observer->self))
			left = 0;
		if (reproduce_one(how, found, &found->violation[i], left / (found->violations - i), o, p)) {
			trace_free(&o->trace[o->violations]);
			return -1;
		}
	}
	return 0;
}

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
	struct replayed *r = self;
	struct frame frames[FRAMES_MAX];

	for (size_t i = 0; i < r->found->refused_count; i++) {
		struct outcome_refused *to = &r->outcome->refused[i];
		size_t n = refused_frames(symbols, &r->found->refused[i], frames, FRAMES_MAX);

		if (n)
			frames_where(frames, n, to->where, sizeof(to->where));
	}
}

static void look_up_line(struct symbols *symbols, u64 pc, char *out, size_t cap)
{
	struct frame frames[FRAMES_MAX];
	size_t n = symbols_locate(symbols, pc, true, frames, FRAMES_MAX);

	if (n)
		frames_where(frames, n, out, cap);
	else
		snprintf(out, cap, "0x%lx", pc);
}

/* Rust's standard library is linked into the program; what threads share there is its business. */
static bool is_of_std(const char *name)
{
	static const char *const crates[] = {"std::", "core::", "alloc::"};

	for (size_t i = 0; i < HD_ARRAY_LEN(crates); i++)
		if (!strncmp(name, crates[i], strlen(crates[i])))
			return true;
	return false;
}

static void leave_out_std(struct outcome *o)
{
	size_t kept = 0;

	for (size_t i = 0; i < o->unsynchronised_count; i++)
		if (!is_of_std(o->unsynchronised[i].what))
			o->unsynchronised[kept++] = o->unsynchronised[i];
	o->unsynchronised_count = kept;
}

static void look_up_unsynchronised(const struct findings *found, struct symbols *symbols, struct outcome *o)
{
	for (size_t i = 0; i < found->unsynchronised_count; i++) {
		const struct wire_unsynchronised *from = &found->unsynchronised[i];
		struct outcome_unsynchronised *to = &o->unsynchronised[i];

		symbols_name(symbols, from->address, to->what, sizeof(to->what));
		for (int side = 0; side < 2; side++)
			look_up_line(symbols, from->pc[side], to->where[side], sizeof(to->where[side]));
	}
	leave_out_std(o);
}

static void look_up_unseen(const struct findings *found, struct symbols *symbols, struct outcome *o)
{
	for (size_t i = 0; i < found->unseen_count; i++)
		if (found->unseen[i].pc)
			look_up_line(symbols, found->unseen[i].pc, o->unseen[i].where,
				     sizeof(o->unseen[i].where));
}

/* What makes no sense leaves no graph. */
static void look_up_graph(const struct findings *found, struct symbols *symbols, struct outcome *o)
{
	if (!found->graph)
		return;
	if (state_graph_read(&o->graph, found->graph, found->graph_len, symbols))
		state_graph_free(&o->graph);
	o->graph.more = found->graph_more;
}

static void look_up_places(void *self, struct symbols *symbols)
{
	struct replayed *r = self;

	look_up_refused(self, symbols);
	look_up_unsynchronised(r->found, symbols, r->outcome);
	look_up_unseen(r->found, symbols, r->outcome);
	unseen_names_add(r->sut.pid, r->outcome);
	if (profile_wanted(&r->found->profile, r->outcome))
		profile_name(&r->found->profile, symbols, &r->outcome->profile);
	look_up_graph(r->found, symbols, r->outcome);
}

static void copy_unsynchronised(const struct findings *found, struct outcome *o)
{
	o->unsynchronised_count = found->unsynchronised_count;
	for (size_t i = 0; i < found->unsynchronised_count; i++) {
		const struct wire_unsynchronised *from = &found->unsynchronised[i];
		struct outcome_unsynchronised *to = &o->unsynchronised[i];

		snprintf(to->what, sizeof(to->what), "0x%lx", from->address);
		for (int side = 0; side < 2; side++) {
			to->thread[side] = from->thread[side];
			snprintf(to->where[side], sizeof(to->where[side]), "0x%lx", from->pc[side]);
		}
	}
}

void reproduce_places(const struct reproduction *how, const struct findings *found, struct outcome *o)
{
	struct replayed r = {.observer = how->observer, .found = found, .outcome = o};
	const u32 no_steps[1] = {0};
	struct launch l = *how->launch;
	struct execution_log log = {0};
	struct problem unused;

	o->refused_count = found->refused_count;
	for (size_t i = 0; i < found->refused_count; i++) {
		const struct wire_refused *from = &found->refused[i];
		struct outcome_refused *to = &o->refused[i];

		memcpy(to->call, from->call, sizeof(to->call));
		to->count = from->count;
		to->where[0] = 0;
		if (from->pc)
			snprintf(to->where, sizeof(to->where), "0x%lx", from->pc);
	}
	copy_unsynchronised(found, o);
	unseen_names_copy(found, how->launch->program, o);
	if (!found->refused_count && !found->unsynchronised_count && !found->unseen_count && !found->graph &&
	    !how->launch->program->has_hooks && !profile_wanted(&found->profile, o))
		return;
	/* Addresses are the same in every process: one that stands in the initial state will do. */
	l.task = (struct wire_task){.mode = WIRE_REPLAY};
	l.config.net.live = 0;
	l.learnt = &found->learnt;
	l.path = no_steps;
	replay(&r, &l, &log, look_up_places, &unused);
	sut_end(&r.sut);
	execution_log_free(&log);
}
