/* symbols_demangle.c: names of C++ and Rust functions as their authors wrote them. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/symbols_priv.h"

/* rustc's old scheme ends each name with ::h and 16 hexadecimal digits. */
static bool drop_rust_hash(char *name)
{
	size_t len = strlen(name);
	char *hash = len > 19 ? name + len - 19 : NULL;

	if (!hash || strncmp(hash, "::h", 3) || strspn(hash + 3, "0123456789abcdef") != 16)
		return false;
	*hash = 0;
	return true;
}

/* It also spells what a C name can't hold. Each spelling is longer than what it means: in place. */
static void spell_out_rust(char *name)
{
	static const char *const words[][2] = {
		{"$LT$", "<"},  {"$GT$", ">"},  {"$C$", ","},   {"$RF$", "&"},  {"$BP$", "*"},
		{"$LP$", "("},  {"$RP$", ")"},  {"$u20$", " "}, {"$u7b$", "{"}, {"$u7d$", "}"},
		{"$u5b$", "["}, {"$u5d$", "]"}, {"$u27$", "'"}, {"$u3b$", ";"}, {"$u2b$", "+"},
		{"..", "::"},   {"_$", "$"},
	};
	char *from = name, *to = name;
	size_t i;

	while (*from) {
		for (i = 0; i < HD_ARRAY_LEN(words); i++)
			if (!strncmp(from, words[i][0], strlen(words[i][0])))
				break;
		if (i == HD_ARRAY_LEN(words)) {
			*to++ = *from++;
		} else if (!strcmp(words[i][0], "_$")) {
			from++; /* the underscore only makes the name start well */
		} else {
			from += strlen(words[i][0]);
			memcpy(to, words[i][1], strlen(words[i][1]));
			to += strlen(words[i][1]);
		}
	}
	*to = 0;
}

/* The C++ library is there when somebody has C++ programs; without it the names stay as they are. */
static char *demangle_cxx(const char *name)
{
	static char *(*demangle)(const char *, char *, size_t *, int *);
	static bool tried;

	if (!tried) {
		void *lib = dlopen("libstdc++.so.6", RTLD_LAZY);

		tried = true;
		if (lib)
			*(void **)&demangle = dlsym(lib, "__cxa_demangle");
	}
	return demangle && !strncmp(name, "_Z", 2) ? demangle(name, NULL, NULL, NULL) : NULL;
}

void symbols_demangle(const char *name, char *out, size_t cap)
{
	char *plain, *whole;

	if (symbols_demangle_rust(name, out, cap))
		return;
	plain = demangle_cxx(name);
	whole = plain ? plain : strdup(name);
	if (whole && plain && drop_rust_hash(whole))
		spell_out_rust(whole);
	snprintf(out, cap, "%s", whole ? whole : name);
	free(whole);
}
