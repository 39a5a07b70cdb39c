#include "checkpoint/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MOST 256u
#define ROUNDS 4000u

pid_t tree_parent(pid_t pid)
{
	char path[48], line[512] = "";
	int parent = 0;
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	FILE *f = fopen(path, "re");
	if (!f)
		return 0;
	const char *end = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
	fclose(f);
	return end && sscanf(end, ") %*c %d", &parent) == 1 ? parent : 0;
}

static u32 children_of_thread(pid_t pid, const char *thread, pid_t *out, u32 cap)
{
	char path[80];
	u32 n = 0;
	int child;
	snprintf(path, sizeof(path), "/proc/%d/task/%.20s/children", pid, thread);
	FILE *f = fopen(path, "re");
	while (f && n < cap && fscanf(f, "%d", &child) == 1)
		out[n++] = child;
	if (f)
		fclose(f);
	return n;
}

u32 tree_children(pid_t pid, pid_t *out, u32 cap)
{
	char path[48];
	u32 n = 0;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	DIR *d = pid > 0 ? opendir(path) : NULL;
	for (struct dirent *e; d && (e = readdir(d));)
		if (e->d_name[0] != '.')
			n += children_of_thread(pid, e->d_name, out + n, cap - n);
	if (d)
		closedir(d);
	return n;
}

static u32 list(pid_t root, pid_t out[MOST])
{
	u32 n = 1;
	out[0] = root;
	for (u32 i = 0; i < n; i++)
		n += tree_children(out[i], out + n, MOST - n);
	return n;
}

bool tree_runs(pid_t pid, char *name, size_t cap)
{
	char path[48], line[512] = "";
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	FILE *f = fopen(path, "re");
	if (!f)
		return false;
	const char *end = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL,
		   *start = strchr(line, '(');
	fclose(f);
	if (end && start && name)
		snprintf(name, cap, "%.*s", (int)(end - start - 1), start + 1);
	return end && end[2] != 'Z' && end[2] != 'X';
}

/* They stand still first, so that none starts another meanwhile. */
void tree_kill(pid_t root)
{
	pid_t pid[MOST];
	u32 n = list(root, pid);
	for (u32 i = 0; i < n; i++)
		kill(pid[i], SIGSTOP);
	n = list(root, pid);
	for (u32 i = 0; i < n; i++)
		kill(pid[i], SIGKILL);
	for (u32 i = 0; i < n; i++)
		for (u32 k = 0; k < ROUNDS && (i ? kill(pid[i], 0) == 0 : tree_runs(pid[i], NULL, 0)); k++)
			nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
}

static bool writes(pid_t pid, const char *fd, char *file, size_t cap)
{
	char path[80], line[100];
	struct stat st;
	unsigned flags = 0;
	snprintf(path, sizeof(path), "/proc/%d/fd/%.20s", pid, fd);
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	ssize_t n = readlink(path, file, cap - 1);
	file[n > 0 ? n : 0] = 0;
	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%.20s", pid, fd);
	FILE *f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "flags: %o", &flags) == 1)
			break;
	if (f)
		fclose(f);
	return (flags & O_ACCMODE) != O_RDONLY;
}

/* Where the first one's errors go: that only grows, and nobody reads it. */
static void output_of(pid_t root, char *out, size_t cap)
{
	char path[48];
	snprintf(path, sizeof(path), "/proc/%d/fd/2", root);
	ssize_t n = readlink(path, out, cap - 1);
	out[n > 0 ? n : 0] = 0;
}

bool tree_writes(pid_t root, char *file, size_t cap)
{
	pid_t pid[MOST];
	char path[48], output[4096];
	bool found = false;
	output_of(root, output, sizeof(output));
	for (u32 i = 0, n = list(root, pid); i < n && !found; i++) {
		snprintf(path, sizeof(path), "/proc/%d/fd", pid[i]);
		DIR *d = opendir(path);
		for (struct dirent *e; d && !found && (e = readdir(d));)
			found = e->d_name[0] != '.' && writes(pid[i], e->d_name, file, cap) &&
				strcmp(file, output) != 0;
		if (d)
			closedir(d);
	}
	return found;
}
