/* cc_name.c: heddle under the name of a compiler, by a link in PATH. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cc.h"

const char *cc_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

enum cc_name cc_called_as(const char *command)
{
	static const char *const c[] = {"gcc", "cc", "clang"}, *const cxx[] = {"g++", "c++", "clang++"};
	const char *name = cc_base_name(command);

	if (!strcmp(name, "heddle-cc"))
		return CC_NAME_C;
	if (!strcmp(name, "heddle-c++"))
		return CC_NAME_CXX;
	for (size_t i = 0; i < HD_ARRAY_LEN(c); i++) {
		if (!strcmp(name, c[i]))
			return CC_NAME_AS_C;
		if (!strcmp(name, cxx[i]))
			return CC_NAME_AS_CXX;
	}
	return CC_NAME_NONE;
}

static bool is_us(const char *path)
{
	struct stat own, other;

	return stat("/proc/self/exe", &own) == 0 && stat(path, &other) == 0 && own.st_dev == other.st_dev &&
	       own.st_ino == other.st_ino;
}

bool cc_behind_us(const char *command, char *out, size_t cap)
{
	const char *path = getenv("PATH"), *name = cc_base_name(command);

	for (; path && *path; path += *path == ':') {
		size_t n = strcspn(path, ":");

		if (snprintf(out, cap, "%.*s/%s", n ? (int)n : 1, n ? path : ".", name) < (int)cap &&
		    access(out, X_OK) == 0 && !is_us(out))
			return true;
		path += n;
	}
	return false;
}
