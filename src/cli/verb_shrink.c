#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/option_parse.h"
#include "cli/trace_program.h"
#include "cli/verb_options.h"
#include "session/replay_run.h"
#include "session/shrink_run.h"
#include "report/trace.h"
#include "wire/action.h"

/* By hand there is more time than after each search. */
#define BY_HAND_MS 30000
#define BY_HAND_STEPS 20000000

struct shrink_call {
	struct shrink_options options;
	struct verb_words words; /* the trace; a program after -- takes the place of the trace's */
};

static u64 switches(const struct violation *v)
{
	u64 n = 0;

	for (u64 i = 1; i < v->found.path_len; i++)
		n += ACTION_FIBER(v->path[i]) != ACTION_FIBER(v->path[i - 1]);
	return n;
}

static void on_started(void *self, pid_t pid)
{
	(void)self;
	interrupt_watch(pid, true);
}

static bool on_give_up(void *self)
{
	(void)self;
	return interrupt_count() > 1;
}

/* The shorter one is executed once more: the trace gets the log of that. */
static int confirm(struct trace *t, const struct launch *like, struct problem *p)
{
	const struct replay_listener listener = {.started = on_started, .give_up = on_give_up};
	struct launch l = *like;
	struct sut s = {0};
	enum replay_end end;

	l.path = t->violation.path;
	l.task = (struct wire_task){.mode = WIRE_REPLAY,
				    .show_output = 1,
				    .violation = t->violation.found.kind,
				    .path_len = t->violation.found.path_len};
	execution_log_free(&t->log);
	end = replay_process(&s, &l, &listener, &t->log, p);
	if (s.pid)
		interrupt_watch(s.pid, false);
	sut_end(&s);
	if (end == REPLAY_VIOLATION && t->log.violation_kind == t->violation.found.kind)
		return 0;
	if (end == REPLAY_VIOLATION || end == REPLAY_NO_VIOLATION)
		problem_set(p, "the shorter execution does not end in the recorded %s; %s is as it was",
			    violation_traits(t->violation.found.kind)->name, "the trace");
	return -1;
}

static int run(struct trace *t, void *call)
{
	const struct shrink_call *c = call;
	const char *output = c->options.output ? c->options.output : c->words.operand;
	u64 steps = t->violation.found.path_len, before = switches(&t->violation);
	struct program program;
	struct problem p;

	if (trace_program(t, &c->words, &program, &p))
		return complain(&p);
	struct launch l = trace_launch(t, &c->words, &program);

	if (trace_properties(t, &l, &p))
		return complain(&p);
	const struct shrink_plan plan = {&l, &interrupt_observer, BY_HAND_MS, BY_HAND_STEPS};
	enum shrink_result result = SHRINK_SHORT_ALREADY;

	if (shrink_makes_sense(&t->violation))
		result = shrink_run(&plan, &t->violation, &p);
	if (result == SHRINK_IMPOSSIBLE || (result == SHRINK_SHORTER && confirm(t, &l, &p)))
		return complain(&p);
	if ((result == SHRINK_SHORTER || c->options.output) && trace_save(t, output, &p))
		return complain(&p);
	if (result == SHRINK_SHORTER)
		say("%s: %lu steps with %lu switches between threads; before, %lu with %lu", output,
		    t->violation.found.path_len, switches(&t->violation), steps, before);
	else
		say("nothing shorter than these %lu steps with %lu switches between threads was found", steps,
		    before);
	return 0;
}

int verb_shrink(int argc, char **argv)
{
	struct shrink_call c = {0};
	struct problem p;

	if (option_parse_verb(&shrink_option_list, &c.options, argc, argv, &c.words, &p))
		return complain_usage("shrink", "%s", p.text);
	return trace_verb("shrink", &c.words, run, &c);
}
