#include "launch/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the user stands, how deep his shell is, and our own variables. */
static const char *const dropped[] = {
	"PWD",         "OLDPWD",         "SHLVL",          "_",
	"LD_BIND_NOW", "LD_BIND_NOT",    "LD_DEBUG",       "LD_DEBUG_OUTPUT",
	"LD_AUDIT",    "LD_PROFILE",     "LD_SHOW_AUXV",   "LD_TRACE_LOADED_OBJECTS",
	"LD_PRELOAD",  "GLIBC_TUNABLES", "HEDDLE_RUNTIME", "COLUMNS",
	"LINES",       "WINDOWID",       "MAKEFLAGS",      "MFLAGS",
	"MAKELEVEL",   "MAKE_TERMOUT",   "MAKE_TERMERR",   "HEDDLE_JOBS",
};

/* For libgomp and libomp. */
static const char *const passive[] = {"OMP_WAIT_POLICY=passive", "GOMP_SPINCOUNT=0"};

static bool same_name(const char *a, const char *b)
{
	size_t n = strcspn(a, "=");

	return n == strcspn(b, "=") && !memcmp(a, b, n);
}

static const char *find(char *const *env, const char *name)
{
	for (; env && *env; env++)
		if (same_name(*env, name))
			return *env + strcspn(*env, "=") + (strchr(*env, '=') ? 1 : 0);
	return NULL;
}

static bool is_dropped(const char *variable, char *const *extra)
{
	for (size_t i = 0; i < HD_ARRAY_LEN(dropped); i++)
		if (same_name(variable, dropped[i]))
			return true;
	return find(extra, variable) != NULL;
}

static size_t count(char *const *env)
{
	size_t n = 0;

	while (env && env[n])
		n++;
	return n;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* "NAME=first:second", without the colon when one of them is empty. */
static char *joined(const char *name, const char *first, const char *second)
{
	char *s;

	if (asprintf(&s, "%s=%s%s%s", name, first, *first && *second ? ":" : "", second) < 0)
		return NULL;
	return s;
}

static const char *users(char *const *user, char *const *extra, const char *name)
{
	const char *v = find(extra, name);

	if (!v)
		v = find(user, name);
	return v ? v : "";
}

char **environment_build(char *const *user, char *const *extra, const char *runtime_path, bool openmp)
{
	char **env = calloc(count(user) + count(extra) + 6, sizeof(*env));
	size_t n = 0;

	if (!env)
		return NULL;
	for (size_t i = 0; user && user[i]; i++)
		if (!is_dropped(user[i], extra))
			env[n++] = strdup(user[i]);
	for (size_t i = 0; extra && extra[i]; i++)
		/* LD_PRELOAD and GLIBC_TUNABLES are merged below; of two for one name the last wins. */
		if (!same_name(extra[i], "LD_PRELOAD") && !same_name(extra[i], "GLIBC_TUNABLES") &&
		    !find(extra + i + 1, extra[i]))
			env[n++] = strdup(extra[i]);
	env[n++] = joined("LD_PRELOAD", runtime_path, users(user, extra, "LD_PRELOAD"));
	/* The runtime has to come first, its tunable last: there the last one wins. */
	env[n++] = joined("GLIBC_TUNABLES", users(user, extra, "GLIBC_TUNABLES"), "glibc.pthread.rseq=0");
	env[n++] = strdup("LD_BIND_NOW=1");
	for (size_t i = 0; openmp && i < HD_ARRAY_LEN(passive); i++)
		if (!find(user, passive[i]) && !find(extra, passive[i]))
			env[n++] = strdup(passive[i]);
	for (size_t i = 0; i < n; i++)
		if (!env[i]) {
			for (size_t i = 0; i < n; i++)
				free(env[i]);
			free(env);
			return NULL;
		}
	qsort(env, n, sizeof(*env), by_text);
	return env;
}

void environment_free(char **env)
{
	for (size_t i = 0; env && env[i]; i++)
		free(env[i]);
	free(env);
}

u64 environment_hash(char *const *env)
{
	u64 h = 0xcbf29ce484222325u;

	for (; *env; env++)
		for (const char *c = *env;; c++) {
			h = (h ^ (u8)*c) * 0x100000001b3u;
			if (!*c)
				break;
		}
	return h;
}
