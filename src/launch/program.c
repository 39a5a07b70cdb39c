#include "launch/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "launch/elf_file.h"
#include "launch/elf_image.h"

static bool is_program_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static bool search_path(const char *name, char *out, size_t cap)
{
	const char *dir = getenv("PATH");

	if (!dir)
		dir = "/usr/local/bin:/usr/bin:/bin";
	for (;;) {
		size_t n = strcspn(dir, ":");

		/* An empty element means the current directory. */
		if (snprintf(out, cap, "%.*s/%s", n ? (int)n : 1, n ? dir : ".", name) < (int)cap &&
		    is_program_file(out))
			return true;
		if (!dir[n])
			return false;
		dir += n + 1;
	}
}

static int locate(const char *name, struct program *out, struct problem *p)
{
	char found[PATH_MAX];

	if (!name[0])
		return problem_set(p, "the program's name is empty; give a program after --");
	if (!strchr(name, '/')) {
		if (!search_path(name, found, sizeof(found)))
			return problem_set(p, "%s: no such program in PATH%s%s", name,
					   is_program_file(name) ? "; for the one in this directory write ./"
								 : "",
					   is_program_file(name) ? name : "");
		name = found;
	}
	if (!realpath(name, out->path))
		return problem_set(p, "%s: %s; is the path right and the program built?", name,
				   strerror(errno));
	return 0;
}

static int check_file(const char *path, struct problem *p)
{
	struct stat st;

	if (stat(path, &st))
		return problem_set(p, "%s: %s", path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return problem_set(p, "%s is a directory, not a program", path);
	if (!S_ISREG(st.st_mode))
		return problem_set(p, "%s is not a regular file", path);
	if (access(path, X_OK))
		return problem_set(p, "%s is not executable; chmod +x it, if it is a program", path);
	if (st.st_mode & S_ISUID || (st.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP))
		return problem_set(p,
				   "%s is set-uid or set-gid, which turns preloading off; check a copy "
				   "without these bits",
				   path);
	if (getxattr(path, "security.capability", NULL, 0) > 0)
		return problem_set(
			p,
			"%s has file capabilities, which turn preloading off; check a copy (cp drops them)",
			path);
	return 0;
}

static int check_interpreter(const char *path, const char *interpreter, struct problem *p)
{
	const char *base = strrchr(interpreter, '/');

	base = base ? base + 1 : interpreter;
	if (!base[0])
		return problem_set(
			p, "%s is statically linked; heddle needs a dynamic one: link it without -static",
			path);
	if (!strncmp(base, "ld-musl", 7))
		return problem_set(
			p, "%s is linked against musl; heddle needs glibc: build it for a gnu target", path);
	if (strcmp(base, "ld-linux-x86-64.so.2"))
		return problem_set(p,
				   "%s asks for the dynamic linker %s, which heddle does not know; link it "
				   "against glibc",
				   path, interpreter);
	if (access(interpreter, X_OK))
		return problem_set(
			p, "%s asks for the dynamic linker %s, which is not here; install glibc (libc6)",
			path, interpreter);
	return 0;
}

static int check_elf(const char *path, const struct elf_file *e, struct problem *p)
{
	switch (e->kind) {
	case ELF_FILE_PROGRAM:
		if (check_interpreter(path, e->interpreter, p))
			return -1;
		/* The runtime would never be called, and the program would run unheld. */
		if (!e->starts_libc)
			return problem_set(
				p,
				"%s does not start through glibc (no __libc_start_main; a Go program?); "
				"heddle cannot hold it",
				path);
		return 0;
	case ELF_FILE_SCRIPT:
		return problem_set(p, "%s is a script for %s; give the program that it starts", path,
				   e->interpreter);
	case ELF_FILE_32BIT:
		return problem_set(
			p, "%s is a 32-bit program; heddle checks x86-64 programs: build it with -m64", path);
	case ELF_FILE_OTHER_MACHINE:
		return problem_set(p, "%s is built for another machine; heddle checks x86-64 programs", path);
	case ELF_FILE_NOT_LOADABLE:
		return problem_set(p, "%s is an object or core file, not a program; link it first", path);
	case ELF_FILE_DAMAGED:
		return problem_set(p, "%s is a damaged ELF file; build it again", path);
	case ELF_FILE_UNREADABLE:
		return problem_set(p, "%s cannot be read (%s); heddle needs to look into the program", path,
				   strerror(errno));
	case ELF_FILE_NOT_ELF:
		break;
	}
	return problem_set(p, "%s is not an ELF program", path);
}

/* libheddle-hooks.a leaves its mark among the exported symbols. */
static bool has_hooks(const char *path)
{
	struct elf_image im;
	bool found;

	if (elf_image_open(&im, path))
		return false;
	found = elf_image_exports(&im, "heddle_hooks_version");
	elf_image_close(&im);
	return found;
}

static bool uses_openmp(const char *path)
{
	static const char *const names[] = {"libgomp.so", "libomp.so", "libiomp5.so"};
	struct elf_image im;
	u64 start, size;
	bool found = false;

	if (elf_image_open(&im, path))
		return false;
	elf_image_section(&im, ".dynstr", &start, &size);
	const u8 *strings = size ? elf_image_at(&im, start, size) : NULL;
	for (size_t i = 0; strings && i < HD_ARRAY_LEN(names); i++)
		found |= memmem(strings, size, names[i], strlen(names[i])) != NULL;
	elf_image_close(&im);
	return found;
}

/* Their runtimes want the address space and the functions that heddle's runtime needs. */
static int check_sanitizers(const char *path, bool hooks, struct problem *p)
{
	static const struct {
		const char *symbol, *flag;
	} all[] = {{"__asan_init", "address"},
		   {"__tsan_init", "thread"},
		   {"__msan_init", "memory"},
		   {"__hwasan_init", "hwaddress"}};
	struct elf_image im;
	u64 start, size;
	const char *flag = NULL;

	if (elf_image_open(&im, path))
		return 0;
	elf_image_section(&im, ".dynstr", &start, &size);
	const u8 *strings = size ? elf_image_at(&im, start, size) : NULL;
	for (size_t i = 0; strings && i < HD_ARRAY_LEN(all); i++)
		if (memmem(strings, size, all[i].symbol, strlen(all[i].symbol) + 1) &&
		    !(hooks && !strcmp(all[i].flag, "thread")))
			flag = all[i].flag;
	elf_image_close(&im);
	if (!flag)
		return 0;
	return problem_set(
		p,
		"%s is built with -fsanitize=%s, and its runtime cannot be in one process with heddle's; "
		"build it without (heddle-cc has races and use of freed memory found)",
		path, flag);
}

int program_open(const char *name, struct program *out, struct problem *p)
{
	struct elf_file elf;

	if (locate(name, out, p) || check_file(out->path, p))
		return -1;
	elf_file_read(out->path, &elf);
	if (check_elf(out->path, &elf, p))
		return -1;
	out->has_hooks = has_hooks(out->path);
	out->openmp = uses_openmp(out->path);
	if (check_sanitizers(out->path, out->has_hooks, p))
		return -1;
	if (elf.build_id[0])
		snprintf(out->identity, sizeof(out->identity), "%s", elf.build_id);
	else
		snprintf(out->identity, sizeof(out->identity), "content-%016lx", elf.content_hash);
	return 0;
}
