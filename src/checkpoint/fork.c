/*
 * fork.c: the backend that has the shim in the peer clone it. A checkpoint is a frozen process, and our
 * end of its control socket.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "broker/sockdiag.h"
#include "checkpoint/checkpoint_priv.h"
#include "checkpoint/shim_link_priv.h"
#include "peer/keeper.h"

#define PATIENCE_MS 5000

_Static_assert(SHIM_DROPPED == KEEPER_DROPPED, "the keeper knows how saved copies end");

/* A connection as it was when the peer was saved. */
struct end {
	int family;
	bool ended; /* we had shut down our writing side */
	bool reset; /* it was gone */
	u32 unread;
	u8 *bytes;
};

struct frozen {
	int fd;
	pid_t pid;
	struct shim_counts *counts;
	u32 count;
	struct end end[];
};

static bool probe(char *why, size_t cap)
{
	char library[4096];
	return shim_works(library, sizeof(library), why, cap);
}

static bool fits(struct checkpoints *s, struct saved_peer *t, char *why, size_t cap)
{
	if (!s->shim)
		snprintf(why, cap, "%s", s->no_shim);
	else if (!t->shim)
		snprintf(why, cap,
			 "the shim is not in it: it is linked statically or set-user-ID, or its command does "
			 "not "
			 "pass its environment on");
	else
		snprintf(why, cap, "it runs with the shim");
	return t->shim != NULL;
}

/* The next packet, if it comes. */
static int await(int fd, struct shim_message *m, int *passed, u32 cap, u32 *n)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	int r;
	*n = 0;
	do
		r = poll(&p, 1, PATIENCE_MS);
	while (r < 0 && errno == EINTR);
	return r > 0 ? shim_receive(fd, m, passed, cap, n) : -ETIMEDOUT;
}

static u64 other_inode(int nl, int fd)
{
	struct sockaddr_storage here = {0}, there = {0};
	socklen_t n = sizeof(here), m = sizeof(there);
	struct sockdiag_end end = {0};
	struct stat st;
	u64 inode = 0;
	if (getsockname(fd, (struct sockaddr *)&here, &n) || getpeername(fd, (struct sockaddr *)&there, &m))
		return 0;
	if (here.ss_family == AF_UNIX)
		return fstat(fd, &st) == 0 && sockdiag_unix_peer(nl, st.st_ino, &inode) > 0 ? inode : 0;
	return sockdiag_inet(nl, IPPROTO_TCP, &there, &here, &end) > 0 ? end.inode : 0;
}

static bool has_ended(int fd, int family)
{
	struct tcp_info info = {0};
	socklen_t len = sizeof(info);
	if (family == AF_UNIX)
		return false;
	getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len);
	return info.tcpi_state == STATE_FIN_WAIT1 || info.tcpi_state == STATE_FIN_WAIT2 ||
	       info.tcpi_state == STATE_CLOSING || info.tcpi_state == STATE_LAST_ACK ||
	       info.tcpi_state == STATE_TIME_WAIT;
}

/* What the other side will need to be put back. Ends that are gone have no inode. */
static void describe(int nl, const int *fd, u32 n, struct frozen *f, struct shim_message *m)
{
	m->count = n;
	for (u32 i = 0; i < n; i++) {
		socklen_t len = sizeof(int);
		getsockopt(fd[i], SOL_SOCKET, SO_DOMAIN, &f->end[i].family, &len);
		m->inode[i] = other_inode(nl, fd[i]);
		f->end[i].reset = !m->inode[i];
		f->end[i].ended = has_ended(fd[i], f->end[i].family);
	}
}

static void release(struct frozen *f)
{
	for (u32 i = 0; i < f->count; i++)
		free(f->end[i].bytes);
	if (f->fd >= 0)
		close(f->fd);
	shim_counts_release(f->counts);
	free(f);
}

static int take_unread(struct frozen *f, const struct shim_message *m, int file)
{
	off_t at = 0;
	for (u32 i = 0; i < f->count; i++) {
		u32 n = m->unread[i];
		if (!n)
			continue;
		f->end[i].bytes = malloc(n);
		if (!f->end[i].bytes || pread(file, f->end[i].bytes, n, at) != (ssize_t)n)
			return -EIO;
		f->end[i].unread = n;
		at += n;
	}
	return 0;
}

/* Bytes of memory that nobody shares with it: what it costs beyond the peer itself. */
static u64 own_bytes(pid_t pid)
{
	char path[48], line[128];
	unsigned long long kb = 0, all = 0;
	snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", pid);
	FILE *file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Private_Dirty: %llu", &kb) == 1)
			all += kb;
	if (file)
		fclose(file);
	return all * 1024 + 65536; /* its page tables, roughly */
}

static int lost(struct saved_peer *t, struct problem *p)
{
	problem_set(p, "the peer with the pid %d has ended, or does not answer any more", t->pid);
	return -EIO;
}

/* SAVED comes from the copy, REFUSED from the process itself. */
static int hear(struct saved_peer *t, struct frozen *f, struct shim_message *m, struct problem *p)
{
	struct pollfd both[2] = {{.fd = f->fd, .events = POLLIN}, {.fd = t->shim->fd, .events = POLLIN}};
	int passed = -1, r;
	u32 n;
	do
		r = poll(both, 2, PATIENCE_MS);
	while (r < 0 && errno == EINTR);
	if (r <= 0)
		return lost(t, p);
	if (!(both[1].revents & POLLIN) && both[0].revents) {
		r = shim_receive(f->fd, m, &passed, 1, &n);
		if (!r && m->op == SHIM_SAVED) {
			f->pid = m->pid;
			r = n ? take_unread(f, m, passed) : 0;
		} else {
			r = -EIO;
		}
		if (passed >= 0)
			close(passed);
		return r ? lost(t, p) : 0;
	}
	if (shim_receive(t->shim->fd, m, &passed, 1, &n) || m->op != SHIM_REFUSED)
		return lost(t, p);
	m->text[sizeof(m->text) - 1] = 0;
	char why[300];
	bool criu = strstr(m->text, "child processes") && backend_criu.probe(why, sizeof(why));
	problem_set(p, "%s%s", m->text,
		    criu ? ". criu can hold several processes: --checkpoint-backend criu" : "");
	return -EOPNOTSUPP;
}

static int save(struct checkpoints *s, struct saved_peer *t, const int *fd, u32 n, struct saved *out,
		struct problem *p)
{
	static struct shim_message m;
	int pair[2], nl;
	(void)s;
	if (n > SHIM_CONNS) {
		problem_set(p, "a peer with %u connections can't be saved; %u is the most", n, SHIM_CONNS);
		return -EOPNOTSUPP;
	}
	if (t->shim->fd < 0) {
		problem_set(p,
			    "its program has ended, or called exec for one that the shim does not get into");
		return -EOPNOTSUPP;
	}
	struct frozen *f = calloc(1, sizeof(*f) + n * sizeof(f->end[0]));
	if (!f || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
		problem_set(p, "no memory or descriptors to save a peer (%s)", strerror(errno));
		free(f);
		return -ENOSPC;
	}
	f->fd = pair[0];
	f->counts = shim_counts_keep(t->shim->counts);
	f->count = n;
	memset(&m, 0, sizeof(m));
	m.op = SHIM_SAVE;
	nl = sockdiag_open();
	describe(nl, fd, n, f, &m);
	close(nl);
	int r = shim_send(t->shim->fd, &m, &pair[1], 1) ? lost(t, p) : 0;
	close(pair[1]);
	if (!r)
		r = hear(t, f, &m, p);
	if (r) {
		release(f);
		return r;
	}
	out->own = f;
	/* Looking is slow, and the next one is much like the last. */
	out->bytes = t->cost.saves % 16 == 0 ? own_bytes(f->pid) : t->last_bytes;
	t->last_bytes = out->bytes;
	return 0;
}

/* Two ends of a fresh connection: ours, and the peer's. */
static int connect_pair(int family, int *here, int *there)
{
	struct sockaddr_storage a = {.ss_family = (sa_family_t)family};
	socklen_t len = family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
	int pair[2], listener;
	if (family == AF_UNIX) {
		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
			return -errno;
		*here = pair[0];
		*there = pair[1];
		return 0;
	}
	if (family == AF_INET)
		((struct sockaddr_in *)&a)->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	else
		((struct sockaddr_in6 *)&a)->sin6_addr = in6addr_loopback;
	listener = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	*here = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	*there = -1;
	if (listener >= 0 && *here >= 0 && !bind(listener, (struct sockaddr *)&a, len) &&
	    !listen(listener, 1) && !getsockname(listener, (struct sockaddr *)&a, &len) &&
	    !connect(*here, (struct sockaddr *)&a, len))
		*there = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	int error = errno;
	if (listener >= 0)
		close(listener);
	if (*there >= 0) {
		setsockopt(*there, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
		setsockopt(*here, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
		return 0;
	}
	if (*here >= 0)
		close(*here);
	return error ? -error : -EIO;
}

/* What the peer had not read is there again, and what we had ended is ended. */
static void bring_up_to_date(const struct end *e, int *here)
{
	if (e->unread && send(*here, e->bytes, e->unread, MSG_NOSIGNAL) < 0)
		return;
	if (e->ended)
		shutdown(*here, SHUT_WR);
	fcntl(*here, F_SETFL, O_NONBLOCK);
}

/* The process that runs now is not needed any more. What to wait for: its pidfd; -1: nothing. */
static int end_running(struct saved_peer *t)
{
	if (t->shim->fd < 0)
		return -1;
	int process = (int)syscall(SYS_pidfd_open, t->shim->pid, 0);
	kill(t->shim->pid, SIGKILL);
	close(t->shim->fd);
	t->shim->fd = -1;
	return process;
}

/*
 * One that was killed while it waits in accept or recv takes what comes next with it, as long as it is not
 * gone: the listening sockets and those of datagrams are also the new one's.
 */
static void await_end(int process)
{
	struct pollfd p = {.fd = process, .events = POLLIN};
	if (process < 0)
		return;
	while (poll(&p, 1, PATIENCE_MS) < 0 && errno == EINTR)
		;
	close(process);
}

static void close_all(const int *fd, u32 n)
{
	for (u32 i = 0; i < n; i++)
		if (fd[i] >= 0)
			close(fd[i]);
}

/* Fresh connections: our ends in fd, the peer's in there. 0 or -errno, and nothing is open. */
static int connect_all(const struct frozen *f, int *fd, int *there)
{
	int r = 0;
	for (u32 i = 0; i < f->count; i++)
		fd[i] = there[i] = -1;
	for (u32 i = 0; i < f->count && !r; i++)
		r = connect_pair(f->end[i].family, &fd[i], &there[i]);
	if (r) {
		close_all(fd, f->count);
		close_all(there, f->count);
	}
	return r;
}

/* Tell the frozen process to clone itself; *running: control socket of the new one. */
static int thaw(const struct frozen *f, int *fd, int *running, struct shim_message *m)
{
	int there[SHIM_CONNS + 1] = {-1}, pair[2];
	u32 n;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	there[0] = pair[1];
	int r = connect_all(f, fd, there + 1);
	if (r) {
		close(pair[0]);
		close(pair[1]);
		return r;
	}
	memset(m, 0, sizeof(*m));
	m->op = SHIM_RESTORE;
	m->count = f->count;
	r = shim_send(f->fd, m, there, f->count + 1);
	for (u32 i = 0; i < f->count && !r; i++)
		bring_up_to_date(&f->end[i], &fd[i]);
	close_all(there, f->count + 1);
	if (!r)
		r = await(pair[0], m, NULL, 0, &n);
	if (!r && m->op != SHIM_RUNNING)
		r = -EPROTO;
	*running = pair[0];
	if (r) {
		close(pair[0]);
		close_all(fd, f->count);
	}
	return r;
}

static int restore(struct checkpoints *s, struct saved *v, int *fd, pid_t *now, struct problem *p)
{
	static struct shim_message m;
	struct saved_peer *t = v->of;
	int running = -1;
	pid_t was = t->shim->pid;
	int ending = end_running(t);
	int r = thaw(v->own, fd, &running, &m);
	await_end(ending);
	if (r) {
		problem_set(p, "a saved peer cannot be brought back (%s)", strerror(-r));
		return -EIO;
	}
	t->shim->fd = running;
	shim_link_count_in(t->shim, ((const struct frozen *)v->own)->counts, false);
	t->shim->pid = m.pid;
	if (s->broker)
		broker_watch(s->broker, t->pid, was, m.pid);
	*now = t->pid;
	return 0;
}

static void drop(struct checkpoints *s, struct saved *v)
{
	(void)s;
	release(v->own);
}

const struct checkpoint_backend backend_fork = {.name = "fork",
						.probe = probe,
						.fits = fits,
						.save = save,
						.restore = restore,
						.drop = drop,
						.anywhere = true};
