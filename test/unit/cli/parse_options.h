/* parse_options.h: command lines for tests of the options. */
#ifndef HEDDLE_TEST_PARSE_OPTIONS_H
#define HEDDLE_TEST_PARSE_OPTIONS_H

#include <string.h>

#include "cli/check_options.h"

static inline int parse(struct check_options *o, struct problem *p, char **argv)
{
	int argc = 0;

	while (argv[argc])
		argc++;
	check_options_init(o);
	return check_options_parse(o, argc, argv, p);
}
#define PARSE(o, p, ...) parse(o, p, (char *[]){"check", __VA_ARGS__, NULL})

static inline void refused(const char *says, char **argv)
{
	struct check_options o;
	struct problem p = {""};

	assert_int_equal(parse(&o, &p, argv), -1);
	if (!strstr(p.text, says))
		fail_msg("\"%s\" does not say \"%s\"", p.text, says);
	check_options_free(&o);
}
#define REFUSED(says, ...) refused(says, (char *[]){"check", __VA_ARGS__, NULL})

#endif
