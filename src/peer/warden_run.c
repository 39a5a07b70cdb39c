/*
 * warden_run.c: the warden's own side. It remembers nothing: its keepers are its children, and
 * stay zombies, with their pids reserved, until we ask for them.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "peer/descendants.h"
#include "peer/keeper.h"
#include "peer/warden_priv.h"

#define WARDEN_FD 3

/* The bytes received, 0 at the end; *log_fd -1 without a descriptor. */
static ssize_t receive(struct warden_request *r, int *log_fd)
{
	char control[CMSG_SPACE(sizeof(int))] __attribute__((aligned(8)));
	struct iovec bytes = {r, sizeof(*r)};
	struct msghdr m = {.msg_iov = &bytes,
			   .msg_iovlen = 1,
			   .msg_control = control,
			   .msg_controllen = sizeof(control)};
	ssize_t n;
	*log_fd = -1;
	do
		n = recvmsg(WARDEN_FD, &m, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
	if (c && c->cmsg_type == SCM_RIGHTS)
		memcpy(log_fd, CMSG_DATA(c), sizeof(*log_fd));
	return n;
}

static void start(const struct warden_request *r, int log_fd, struct warden_reply *a)
{
	pid_t self = getpid();
	a->pid = fork();
	if (a->pid == 0)
		keeper_run(r->command, log_fd, self);
	if (a->pid < 0)
		a->error = errno;
}

static void ended(pid_t pid, struct warden_reply *a)
{
	pid_t got = waitpid(pid, &a->status, WNOHANG);
	a->ended = got == pid;
	a->error = got < 0 ? errno : 0;
}

static void end(pid_t pid, struct warden_reply *a)
{
	pid_t got;
	/* A keeper that somebody has stopped would sleep on its order. */
	kill(pid, SIGTERM);
	kill(pid, SIGCONT);
	do
		got = waitpid(pid, &a->status, 0);
	while (got < 0 && errno == EINTR);
	a->ended = 1;
}

static void serve(const struct warden_request *r, int log_fd)
{
	struct warden_reply a = {0, 0, 0, 0};
	switch (r->op) {
	case WARDEN_START:
		start(r, log_fd, &a);
		break;
	case WARDEN_ENDED:
		ended(r->pid, &a);
		break;
	case WARDEN_END:
		end(r->pid, &a);
		break;
	}
	send(WARDEN_FD, &a, sizeof(a), MSG_NOSIGNAL);
}

/* Only the pair is open; signals are blocked, so that only SIGKILL ends a warden before its time. */
static void settle(int fd)
{
	sigset_t all;

	prctl(PR_SET_NAME, "heddle-warden");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	setsid();
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	fd = fcntl(fd, F_DUPFD,
		   WARDEN_FD + 1); /* out of the way, should we have been started without 0, 1 or 2 */
	int null = open("/dev/null", O_RDWR);
	dup2(null, 0);
	dup2(null, 1);
	dup2(null, 2);
	dup2(fd, WARDEN_FD);
	close_range(WARDEN_FD + 1, ~0u, 0);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	remove(path);
	return 0;
}

static void remove_folder(const char *folder)
{
	if (folder && folder[0])
		nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

void warden_run(int fd, const char *folder, const char *more)
{
	static struct warden_request r;
	int log_fd;
	settle(fd);
	while (receive(&r, &log_fd) > 0) {
		serve(&r, log_fd);
		if (log_fd >= 0)
			close(log_fd);
	}
	close(WARDEN_FD);
	descendants_end();
	remove_folder(folder);
	remove_folder(more);
	_exit(0);
}
