#include <stdlib.h>

#include "cli/cli.h"

void hd_panic(const char *file, int line, const char *what)
{
	say("internal error at %s:%d: %s; please report it", file, line, what);
	exit(EXIT_TOOL_ERROR);
}
