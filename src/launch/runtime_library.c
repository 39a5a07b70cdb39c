#include "launch/runtime_library.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch/elf_file.h"

static const char *const beside_us[] = {"libheddle-rt.so", "../lib/heddle/libheddle-rt.so"};

static bool usable(const char *path, char *out, size_t cap)
{
	char real[PATH_MAX];

	return realpath(path, real) && access(real, R_OK) == 0 && snprintf(out, cap, "%s", real) < (int)cap;
}

/* ld.so skips a library that it can't preload, and the program would run free: this must be known before. */
static int check_library(const char *path, struct problem *p)
{
	struct elf_file elf;

	elf_file_read(path, &elf);
	if (elf.kind == ELF_FILE_PROGRAM && elf.starts_libc && !elf.interpreter[0])
		return 0;
	return problem_set(p, "%s is damaged or not heddle's runtime library; build or install heddle anew",
			   path);
}

static bool own_directory(char *out, size_t cap)
{
	ssize_t n = readlink("/proc/self/exe", out, cap - 1);
	char *slash;

	if (n <= 0)
		return false;
	out[n] = 0;
	slash = strrchr(out, '/');
	if (!slash)
		return false;
	*slash = 0;
	return true;
}

int runtime_library_find(char *out, size_t cap, struct problem *p)
{
	const char *named = getenv("HEDDLE_RUNTIME");
	char dir[PATH_MAX], path[PATH_MAX + 64];

	if (named && *named) {
		if (usable(named, out, cap))
			return check_library(out, p);
		return problem_set(
			p, "the runtime library HEDDLE_RUNTIME=%s cannot be read; set it right or unset it",
			named);
	}
	if (!own_directory(dir, sizeof(dir)))
		return problem_set(p, "/proc/self/exe cannot be read; mount /proc or set HEDDLE_RUNTIME");
	for (size_t i = 0; i < HD_ARRAY_LEN(beside_us); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, beside_us[i]);
		if (usable(path, out, cap)) {
			/* LD_PRELOAD is a list: these characters would end the path. */
			if (strpbrk(out, " :"))
				return problem_set(
					p,
					"%s: a path with a space or colon cannot be preloaded; move heddle",
					out);
			return check_library(out, p);
		}
	}
	return problem_set(p,
			   "the runtime library libheddle-rt.so is neither in %s nor in %s/../lib/heddle; "
			   "build it with make, or set HEDDLE_RUNTIME",
			   dir, dir);
}

int support_file_find(const char *name, char *out, size_t cap, struct problem *p)
{
	static const char *const folders[] = {".", "../lib/heddle"};
	char dir[PATH_MAX], path[PATH_MAX + 64];

	if (!own_directory(dir, sizeof(dir)))
		return problem_set(p, "/proc/self/exe cannot be read; mount /proc");
	for (size_t i = 0; i < HD_ARRAY_LEN(folders); i++) {
		snprintf(path, sizeof(path), "%s/%s/%s", dir, folders[i], name);
		if (usable(path, out, cap))
			return 0;
	}
	return problem_set(p, "%s is neither in %s nor in %s/../lib/heddle; build or install heddle anew",
			   name, dir, dir);
}
