/*
 * freeze.c: the process is cloned, and the copy is frozen: it sleeps in the handler of SHIM_SIGNAL, on its
 * own control socket, until it is told to clone itself once more, or the socket ends. The clone of the
 * copy puts everything in place that fork shares or loses (rebuild.c), makes the threads anew, and returns
 * from the handler.
 *
 * All of them are children of the keeper (CLONE_PARENT, or adopted by it): the peer's own children, and its
 * waits for them, are untouched. Of a peer with several processes each is saved like that (relatives.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "shim/rebuild_priv.h"

static int receive(struct shim_message *m, int *fd, u32 *n, int flags)
{
	char control[CMSG_SPACE(sizeof(int) * SHIM_PASSED)] __attribute__((aligned(8))) = {0};
	struct iovec bytes = {m, sizeof(*m)};
	struct msghdr h = {.msg_iov = &bytes,
			   .msg_iovlen = 1,
			   .msg_control = control,
			   .msg_controllen = sizeof(control)};
	long got;
	*n = 0;
	do
		got = shim_call(SYS_recvmsg, shim.control, &h, MSG_CMSG_CLOEXEC | flags);
	while (got == -EINTR);
	if (got <= 0)
		return got ? (int)got : -EPIPE;
	struct cmsghdr *c = CMSG_FIRSTHDR(&h);
	if (c && c->cmsg_type == SCM_RIGHTS) {
		*n = (u32)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
		memcpy(fd, CMSG_DATA(c), *n * sizeof(int));
	}
	return got == (long)sizeof(*m) ? 0 : -EPROTO;
}

bool shim_send(int control, struct shim_message *m, int pass)
{
	char rights[CMSG_SPACE(sizeof(int))] __attribute__((aligned(8))) = {0};
	struct iovec bytes = {m, sizeof(*m)};
	struct msghdr h = {.msg_iov = &bytes, .msg_iovlen = 1};
	if (pass >= 0) {
		h.msg_control = rights;
		h.msg_controllen = sizeof(rights);
		struct cmsghdr *c = CMSG_FIRSTHDR(&h);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &pass, sizeof(int));
	}
	return shim_call(SYS_sendmsg, control, &h, MSG_NOSIGNAL) == (long)sizeof(*m);
}

static void answer(struct shim_message *m, enum shim_op op, int pass)
{
	m->op = op;
	m->pid = shim.pid;
	m->root = shim.root;
	shim_send(shim.control, m, pass);
}

/* One in between, which ends at once: the copy is then the keeper's, who adopts what is left behind. */
static long clone_away(void)
{
	int status = 0;
	long r, between = shim_call(SYS_clone, 0, 0, 0, 0, 0);
	if (between == 0) {
		r = shim_call(SYS_clone, SIGCHLD, 0, 0, 0, 0);
		if (r == 0)
			return 0;
		shim_exit(r < 0);
	}
	if (between < 0)
		return between;
	do
		r = shim_call(SYS_wait4, between, &status, __WALL, 0);
	while (r == -EINTR);
	return status ? -EAGAIN : between;
}

/* Its parent may be one of the peer's own processes, which must not find a child that it has not made. */
static long clone_self(void)
{
	if (shim.keeper && shim_call(SYS_getppid, 0) != shim.keeper)
		return clone_away();
	return shim_call(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
}

static void take_control(int fd)
{
	shim_call(SYS_dup3, fd, shim.control, O_CLOEXEC);
	shim_call(SYS_close, fd);
	shim.pid = (int)shim_call(SYS_getpid, 0);
}

/* What comes on the control socket interrupts the leader. */
static void listen_to_control(void)
{
	struct f_owner_ex owner = {F_OWNER_TID, shim.pid};
	shim_call(SYS_fcntl, shim.control, F_SETOWN_EX, &owner);
	shim_call(SYS_fcntl, shim.control, F_SETSIG, SHIM_SIGNAL);
	shim_call(SYS_fcntl, shim.control, F_SETFL, O_ASYNC | O_NONBLOCK);
}

/* It does not run before all are there, and it knows them: a child that nobody knows would count as ended. */
static void meet_family(struct shim_message *m)
{
	struct pollfd p = {.fd = shim.control, .events = POLLIN};
	int fd[SHIM_PASSED], r = 0;
	u32 n;
	while (r != -EPIPE) {
		shim_call(SYS_ppoll, &p, 1, 0, 0, 8);
		r = receive(m, fd, &n, MSG_DONTWAIT);
		if (r || m->op != SHIM_FAMILY)
			continue;
		relatives_renumber(m);
		answer(m, SHIM_AGREED, -1);
		return;
	}
	shim_exit(0);
}

/* Returns in the thawed process only. */
static void thawed(struct shim_message *m, const int *fd, u32 n)
{
	take_control(fd[0]);
	struct shim_thread *self = thread_self();
	self->tid = shim.pid;
	m->files = files_restore();
	shared_memory_restore();
	rebuild_all(m, fd + 1, n - 1);
	for (u32 i = 1; i < n; i++)
		shim_call(SYS_close, fd[i]);
	listen_to_control();
	if (!shim_dispatch_on() || !threads_recreate())
		shim_exit(127);
	posix_timers_restore();
	bool several = m->members > 1;
	answer(m, SHIM_RUNNING, -1);
	if (several)
		meet_family(m);
}

/* Whoever looks for processes of the peer is not to find the one in between, nor us below it. */
static void await_keeper(void)
{
	const struct timespec moment = {0, 20000};
	for (u32 i = 0; i < 50000 && shim.keeper && shim_call(SYS_getppid, 0) != shim.keeper; i++)
		shim_call(SYS_nanosleep, &moment, 0);
}

static void frozen(struct shim_message *m, int control, int unread)
{
	int fd[SHIM_PASSED];
	u32 n;
	take_control(control);
	rebuild_release();
	await_keeper();
	answer(m, SHIM_SAVED, unread);
	if (unread >= 0)
		shim_call(SYS_close, unread);
	for (;;) {
		int r = receive(m, fd, &n, 0);
		if (r == -EPIPE)
			shim_exit(SHIM_DROPPED);
		if (r || m->op != SHIM_RESTORE || !n)
			continue;
		if (clone_self() == 0) {
			thawed(m, fd, n);
			return;
		}
		for (u32 i = 0; i < n; i++)
			shim_call(SYS_close, fd[i]);
	}
}

static void save(struct shim_message *m, int control)
{
	int unread = -1;
	bool all = threads_park();
	m->text[0] = 0;
	if (!all || atomic_load(&shim.lock))
		text_add(m->text, sizeof(m->text), "it is not at rest");
	else if (rebuild_record(m, control, &unread, m->text, sizeof(m->text))) {
		long copy = clone_self();
		if (copy == 0) {
			frozen(m, control, unread);
			return; /* thawed */
		}
		if (copy < 0)
			text_add(m->text, sizeof(m->text), "no new process for its copy; raise ulimit -u");
	}
	files_release();
	shared_memory_release();
	threads_unpark();
	if (m->text[0]) /* before the copy's socket ends, which would look like a copy that has died */
		answer(m, SHIM_REFUSED, -1);
	shim_call(SYS_close, control);
	if (unread >= 0)
		shim_call(SYS_close, unread);
}

/* The clock moves on; waits that are over by then end when the handlers return (timed_calls.c). */
static void time_moves(struct shim_message *m)
{
	threads_park();
	clock_tell(m->inode[0]);
	timers_advance(m->inode[0]);
	threads_unpark();
	answer(m, SHIM_TIMED, -1);
}

/* The signal says that there may be something; it may be the end. */
void freeze_serve(void)
{
	static struct shim_message m;
	int fd[SHIM_PASSED], r;
	u32 n;
	if (shim.control < 0) {
		clock_child_looks();
		return;
	}
	limits_lift(true);
	while ((r = receive(&m, fd, &n, MSG_DONTWAIT)) == 0)
		if (m.op == SHIM_SAVE && n == 1)
			save(&m, fd[0]);
		else if (m.op == SHIM_TIME)
			time_moves(&m);
	if (r == -EPIPE)
		shim_exit(0);
	limits_lift(false);
}

void freeze_start(void)
{
	listen_to_control();
}
