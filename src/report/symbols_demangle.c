/* symbols_demangle.c: names of C++ and Rust functions as their authors wrote them, by libiberty. */
#include <libiberty/demangle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/symbols_priv.h"

/*
 * The arguments of a generic function, ::<usize, &str>, say little and fill lines: they are left out, in
 * place.
 */
static void drop_function_generics(char *name)
{
	char *from = name, *to = name;

	while (*from) {
		int depth = 0;

		if (strncmp(from, "::<", 3)) {
			*to++ = *from++;
			continue;
		}
		for (from += 2; *from; from++) {
			depth += *from == '<';
			/* Not the arrow of a function's type. */
			depth -= *from == '>' && from[-1] != '-';
			if (depth == 0) {
				from++;
				break;
			}
		}
	}
	*to = 0;
}

void symbols_demangle(const char *name, char *out, size_t cap)
{
	/* First Rust: names of its older scheme look like C++. */
	char *plain = rust_demangle(name, DMGL_NO_OPTS);

	if (plain)
		drop_function_generics(plain);
	else
		plain = cplus_demangle_v3(name,
					  DMGL_PARAMS); /* not DMGL_TYPES: C's function b is no "bool" */
	snprintf(out, cap, "%s", plain ? plain : name);
	free(plain);
}

void symbols_demangle_short(const char *name, char *out, size_t cap)
{
	char *plain = cplus_demangle_v3(name, DMGL_NO_OPTS);

	snprintf(out, cap, "%s", plain ? plain : name);
	free(plain);
}
