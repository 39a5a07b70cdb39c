/*
 * descendants.c: a child whose parent has died is adopted by the nearest subreaper above it, so a subreaper
 * has no descendant without a child on the way to it. It is enough to kill the children, again and again,
 * until there is none: what a killed one leaves behind comes up by a level. New sessions, process groups and
 * double forks are no way out. Parents die before their children, so that no shell goes on with its next
 * command because the last one was killed.
 *
 * Who forks faster than we kill is not beaten by one look; but its children, too, are ours, and we don't stop
 * looking.
 */
#include "peer/descendants.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"

#define LOOK_AGAIN_NS 10000000 /* should a death not be reported to us */

struct descendants_round {
	u32 killed, refused;
};

static void kill_one(struct descendants_round *r, pid_t pid)
{
	if (kill(pid, SIGKILL) == 0)
		r->killed++;
	else if (errno == EPERM)
		r->refused++;
}

/* Numbers and blanks; one may be cut by the end of the buffer, hence the carry. */
static void kill_listed(struct descendants_round *r, int fd)
{
	char buffer[4096];
	ssize_t n;
	pid_t pid = 0;
	while ((n = read(fd, buffer, sizeof(buffer))) > 0)
		for (ssize_t i = 0; i < n; i++) {
			if (buffer[i] >= '0' && buffer[i] <= '9') {
				pid = pid * 10 + (buffer[i] - '0');
				continue;
			}
			if (pid)
				kill_one(r, pid);
			pid = 0;
		}
	if (pid)
		kill_one(r, pid);
}

static pid_t parent_of(const char *pid)
{
	char path[64], text[512];
	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	ssize_t n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	/* "PID (name) state parent": the name may hold anything. */
	const char *behind = NULL;
	for (char *c = text; *c; c++)
		if (*c == ')')
			behind = c;
	return behind && behind[1] && behind[2] ? atoi(behind + 3) : 0;
}

/* For kernels without CONFIG_PROC_CHILDREN. */
static void kill_found(struct descendants_round *r)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	while (d && (e = readdir(d)))
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9' && parent_of(e->d_name) == getpid())
			kill_one(r, atoi(e->d_name));
	if (d)
		closedir(d);
}

static struct descendants_round kill_children(void)
{
	struct descendants_round r = {0, 0};
	int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		kill_listed(&r, fd);
		close(fd);
	} else {
		kill_found(&r);
	}
	return r;
}

/* Takes the dead away; false: there are no children, dead or alive. */
static bool reap(void)
{
	pid_t pid;
	do
		pid = waitpid(-1, NULL, WNOHANG);
	while (pid > 0);
	return pid == 0;
}

void descendants_end(void)
{
	const struct timespec soon = {0, LOOK_AGAIN_NS};
	struct descendants_round r;
	sigset_t child;
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	for (;;) {
		r = kill_children();
		if (!reap() || (r.refused && !r.killed))
			return;
		sigtimedwait(&child, NULL, &soon);
	}
}
