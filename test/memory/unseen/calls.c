/*
 * calls.c: functions of libraries that nobody looks into are named, if they are called while other threads exist.
 *
 * heddle: args=threads verdict=verified text~="(?s)Verified, but regexec was not looked into.*not looked into: regexec at {@regexec}"
 * heddle: args=numbered verdict=verified text~="but a format with numbered arguments .%1\$s. was not looked into"
 * heddle: args=options verdict=verified text~="but getopt was not looked into"
 * heddle: args=alone verdict=verified text~="Verified: "
 */
#include <regex.h>

#include "guest.h"

static char text[] = "hello";
static regex_t expression;

static void *body(void *arg)
{
	if (!strcmp(arg, "threads"))
		heddle_assert(regexec(&expression, text, 0, NULL, 0) == 0); /* @regexec */
	else if (!strcmp(arg, "numbered"))
		printf("%2$d %1$s\n", text, 1);
	else if (!strcmp(arg, "options"))
		getopt(1, (char *[]){text, NULL},
		       "x"); /* which has its results in variables of all threads */
	return NULL;
}

int main(int argc, char **argv)
{
	heddle_assert(argc == 2 && regcomp(&expression, "l+", REG_EXTENDED) == 0);
	join(spawn(body, argv[1]));
	heddle_assert(regexec(&expression, text, 0, NULL, 0) == 0);
	regfree(&expression);
	return 0;
}
