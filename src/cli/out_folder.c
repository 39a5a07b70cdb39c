#include "cli/out_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/formats.h"

#define MOST_RUNS 1000

static bool is_numbered(const char *name, const char *before, const char *behind)
{
	size_t start = strlen(before), digits;

	if (strncmp(name, before, start))
		return false;
	digits = strspn(name + start, "0123456789");
	return digits > 0 && !strcmp(name + start + digits, behind);
}

/* Is this one of the files an earlier run left? */
static bool is_ours(const char *name)
{
	static const struct {
		const char *before, *behind;
	} numbered[] = {{"violation-", ".trace"}, {"server-", ".log"}, {"client-", ".log"}};

	for (size_t i = 0; format_at(i); i++)
		if (format_at(i)->file && !strcmp(name, format_at(i)->file))
			return true;
	if (!strcmp(name, OUT_TREES))
		return true;
	for (size_t i = 0; i < HD_ARRAY_LEN(numbered); i++)
		if (is_numbered(name, numbered[i].before, numbered[i].behind))
			return true;
	return false;
}

static int clean(int fd, const char *dir, struct problem *p)
{
	DIR *d = fdopendir(dup(fd));
	struct dirent *e;

	if (!d)
		return problem_set(p, "%s: %s; choose another folder with --out", dir, strerror(errno));
	while ((e = readdir(d)))
		if (is_ours(e->d_name) && unlinkat(fd, e->d_name, 0)) {
			problem_set(p, "the old %s/%s cannot be removed: %s", dir, e->d_name,
				    strerror(errno));
			closedir(d);
			return -1;
		}
	closedir(d);
	return 0;
}

/*
 * The folder itself is locked, as long as this process and what it starts of our own lives. 1: another one
 * has it. Where the file system knows no locks we do without.
 */
static int take(const char *dir, struct problem *p)
{
	int fd;

	if (mkdir(dir, 0777) && errno != EEXIST)
		return problem_set(p, "the folder %s cannot be made: %s; choose another one with --out", dir,
				   strerror(errno));
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return problem_set(p, "%s: %s; choose another folder with --out", dir, strerror(errno));
	if (flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
		close(fd);
		return 1;
	}
	if (clean(fd, dir, p)) {
		close(fd);
		return -1;
	}
	return 0; /* fd stays open: it is the lock */
}

int out_folder_take(char *dir, size_t cap, bool may_move, struct problem *p)
{
	char next[4096];
	int taken = take(dir, p);

	for (int i = 2; taken == 1 && may_move && i < MOST_RUNS; i++) {
		if (snprintf(next, sizeof(next), "%s-%d", dir, i) >= (int)cap)
			break;
		taken = take(next, p);
		if (taken == 0)
			memcpy(dir, next, strlen(next) + 1);
	}
	if (taken == 1)
		return problem_set(
			p, "%s is in use by another heddle that still runs; choose another folder with --out",
			dir);
	return taken;
}
