#include "peer/warden.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "peer/warden_priv.h"

static int gone(struct problem *p)
{
	return problem_set(p, "the process that keeps the peers (heddle-warden) has been killed");
}

static ssize_t send_request(struct warden *w, const struct warden_request *r, int log_fd)
{
	char control[CMSG_SPACE(sizeof(int))] __attribute__((aligned(8))) = {0};
	struct iovec bytes = {(void *)r, offsetof(struct warden_request, command) + strlen(r->command) + 1};
	struct msghdr m = {.msg_iov = &bytes, .msg_iovlen = 1};
	if (log_fd >= 0) {
		struct cmsghdr *c;
		m.msg_control = control;
		m.msg_controllen = sizeof(control);
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &log_fd, sizeof(log_fd));
	}
	return sendmsg(w->fd, &m, MSG_NOSIGNAL);
}

/* -1: the warden is gone. */
static int ask(struct warden *w, const struct warden_request *r, int log_fd, struct warden_reply *a)
{
	ssize_t n;
	do
		n = send_request(w, r, log_fd);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -1;
	do
		n = recv(w->fd, a, sizeof(*a), 0);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(*a) ? 0 : -1;
}

int warden_start(struct warden *w, const char *folder, const char *more, struct problem *p)
{
	sigset_t all, before;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return problem_set(p, "no socket pair for the peers (%s)", strerror(errno));
	/* No handler of ours may run in the warden. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	w->pid = fork();
	if (w->pid == 0) {
		close(pair[0]);
		warden_run(pair[1], folder, more);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(pair[1]);
	w->fd = pair[0];
	if (w->pid > 0)
		return 0;
	close(w->fd);
	return problem_set(p, "no new process for the peers; raise ulimit -u");
}

pid_t warden_start_peer(struct warden *w, const char *command, int log_fd, struct problem *p)
{
	static struct warden_request r;
	struct warden_reply a;
	if (strlen(command) >= sizeof(r.command))
		return problem_set(p, "a peer's command is longer than %zu bytes", sizeof(r.command) - 1);
	r.op = WARDEN_START;
	strcpy(r.command, command);
	if (ask(w, &r, log_fd, &a))
		return gone(p);
	if (a.error)
		return problem_set(p, "no new process for a peer (%s)", strerror(a.error));
	return a.pid;
}

int warden_peer_ended(struct warden *w, pid_t pid, int *status)
{
	static struct warden_request r = {.op = WARDEN_ENDED};
	struct warden_reply a;
	r.pid = pid;
	if (ask(w, &r, -1, &a) || a.error)
		return -1;
	if (a.ended)
		*status = a.status;
	return a.ended;
}

void warden_end_peer(struct warden *w, pid_t pid)
{
	static struct warden_request r = {.op = WARDEN_END};
	struct warden_reply a;
	r.pid = pid;
	/* A warden that is gone has taken its peers along. */
	ask(w, &r, -1, &a);
}

void warden_end(struct warden *w)
{
	pid_t got;
	close(w->fd);
	do
		got = waitpid(w->pid, NULL, 0);
	while (got < 0 && errno == EINTR);
}
