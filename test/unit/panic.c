/* What a failed assert does in a hosted test: say so and die. */
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"

void hd_panic(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: failed: %s\n", file, line, what);
	abort();
}
