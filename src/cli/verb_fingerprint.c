/*
 * verb_fingerprint.c: a diagnostic verb: the full fingerprint of the initial state, to compare starts of a
 * program.
 */
#include <string.h>

#include "cli/cli.h"
#include "cli/check_options.h"
#include "session/session.h"

static int run(const struct check_options *opts, struct problem *p)
{
	struct fingerprint initial;
	struct program program;
	struct launch l = {
		.program = &program, .argv = opts->argv, .extra = opts->extra, .config = opts->config};

	if (program_open(opts->argv[0], &program, p) ||
	    session_fingerprint(&l, &interrupt_observer, &initial, p))
		return -1;
	printf("%016lx%016lx\n", initial.hi, initial.lo);
	return 0;
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
