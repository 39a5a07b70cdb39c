/*
 * fingerprint.c: a diagnostic verb: the full fingerprint of the initial state, to compare starts of a program.
 */
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "launch/sut.h"
#include "report/play.h"

static int run(const struct check_options *opts, struct problem *p)
{
	struct program program;
	struct launch l = {
		.program = &program, .argv = opts->argv, .extra = opts->extra, .config = opts->config};
	struct sut s;
	char how[1024];
	int ret = 0;

	l.task.mode = WIRE_FINGERPRINT;
	if (program_open(opts->argv[0], &program, p) || sut_start(&s, &l, NULL, 0, p))
		return -1;
	interrupt_watch(s.pid);
	while (sut_wait_end(&s, 100) != SUT_ENDED)
		if (interrupt_count())
			sut_ask_to_stop(&s);
	interrupt_watch(0);
	play_describe_death(&s, how, sizeof(how));
	if (s.worker->phase == WIRE_DONE)
		printf("%016lx%016lx\n", s.worker->result.initial.hi, s.worker->result.initial.lo);
	else
		ret = problem_set(p, "%.1023s", s.worker->result.error[0] ? s.worker->result.error : how);
	sut_end(&s);
	return ret;
}

int verb_fingerprint(int argc, char **argv)
{
	struct check_options opts;
	struct problem p;
	int code = 0;

	check_options_init(&opts);
	if (check_options_parse(&opts, argc, argv, &p))
		code = complain_usage("check", "%s", p.text);
	else {
		interrupt_install();
		if (run(&opts, &p))
			code = complain(&p);
	}
	check_options_free(&opts);
	return code;
}
