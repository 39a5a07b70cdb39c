#include <string.h>

#include "cli/cli.h"
#include "cli/gdb.h"
#include "cli/option_parse.h"
#include "cli/trace_program.h"
#include "cli/verb_options.h"
#include "session/replay_run.h"
#include "report/plain_text.h"
#include "report/trace.h"

/* One replay, as it was asked for. */
struct replay_call {
	struct replay_options options;
	struct verb_words words; /* the trace; a program after -- takes the place of the trace's */
};

static void on_started(void *self, pid_t pid)
{
	(void)self;
	interrupt_watch(pid, true);
}

static void on_line(void *self, const struct log_entry *l)
{
	const struct replay_call *c = self;

	if (!c->options.quiet)
		plain_entry(stdout, l);
}

static void on_changed(void *self, const char *text)
{
	const struct replay_call *c = self;

	if (!c->options.quiet)
		plain_changes(stdout, text);
}

static bool on_give_up(void *self)
{
	(void)self;
	return interrupt_count() > 0;
}

/* Says how it ended; the exit code. */
static int report_end(struct trace *t, const struct sut *s, enum replay_end end, struct problem *p)
{
	const struct execution_log *now = &t->log;

	if (end == REPLAY_VIOLATION && now->violation_kind == t->violation.found.kind) {
		putc('\n', stdout);
		plain_violation(stdout, t);
		return 1;
	}
	if (end == REPLAY_VIOLATION)
		problem_set(p, "the replay ended differently: %s, recorded was %s",
			    violation_traits(now->violation_kind)->name,
			    violation_traits(t->violation.found.kind)->name);
	else if (end == REPLAY_NO_VIOLATION)
		problem_set(p, "the replay ended without the recorded %s",
			    violation_traits(t->violation.found.kind)->name);
	else if (end == REPLAY_GIVEN_UP)
		problem_set(p, "interrupted");
	complain(p);
	if (end != REPLAY_GIVEN_UP && s->environment && s->environment != t->environment)
		say("the environment variables are not those of the recorded run; that may be why");
	return EXIT_TOOL_ERROR;
}

static int check_step(const struct replay_call *c, const struct trace *t, struct problem *p)
{
	u64 len = t->violation.found.path_len;

	if (c->options.at == REPLAY_NO_PAUSE || c->options.at < len)
		return 0;
	return problem_set(p, "--at: the execution has no step %lu; they are 0 to %lu", c->options.at,
			   len ? len - 1 : 0);
}

static int run(struct trace *t, void *call)
{
	struct replay_call *c = call;
	const struct replay_listener listener = {.self = c,
						 .started = on_started,
						 .line = on_line,
						 .changed = on_changed,
						 .give_up = on_give_up};
	struct program program;
	struct sut s = {0};
	struct problem p;
	enum replay_end end;
	int code;

	if (trace_program(t, &c->words, &program, &p))
		return complain(&p);
	struct launch l = trace_launch(t, &c->words, &program);

	if (trace_properties(t, &l, &p))
		return complain(&p);

	l.task = (struct wire_task){.mode = WIRE_REPLAY,
				    .show_output = 1,
				    .violation = t->violation.found.kind,
				    .path_len = t->violation.found.path_len};
	if (check_step(c, t, &p))
		return complain(&p);
	execution_log_free(&t->log);
	end = replay_process(&s, &l, &listener, &t->log, &p);
	code = report_end(t, &s, end, &p);
	fflush(stdout);
	if (s.pid)
		interrupt_watch(s.pid, false);
	sut_end(&s);
	if (code == 1 && c->options.gdb) {
		const struct gdb_call call = {l, c->options.at, c->options.gdb_args};

		if (gdb_run(&call, &p))
			code = complain(&p);
	}
	return code;
}

int verb_replay(int argc, char **argv)
{
	struct replay_call c = {.options.at = REPLAY_NO_PAUSE};
	struct problem p;

	if (option_parse_verb(&replay_option_list, &c.options, argc, argv, &c.words, &p))
		return complain_usage("replay", "%s", p.text);
	c.options.gdb |= c.options.gdb_args || c.options.at != REPLAY_NO_PAUSE;
	return trace_verb("replay", &c.words, run, &c);
}
