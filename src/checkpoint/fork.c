/*
 * fork.c: the backend that has the shim in the peer clone it. A checkpoint is a frozen copy of each of its
 * processes (members.h), of those of peers that are joined with it, too, and our ends of their control
 * sockets; with what connects them (inner.h).
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
#include "checkpoint/inner.h"
#include "checkpoint/members.h"
#include "checkpoint/process_tree.h"
#include "checkpoint/shim_link_priv.h"
#include "peer/keeper.h"

#define PATIENCE_MS 30000

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
	pid_t pid, first;
	pid_t root; /* shim_message.root */
	u64 files;  /* … files */
	struct saved_peer *of;
	struct shim_counts *counts;
	u32 inners;
	struct shim_inner inner[SHIM_INNER];
};

/* All that is saved together. */
struct frozen_group {
	u32 count; /* connections */
	struct end *end;
	u32 members;
	struct frozen *member[MEMBERS];
	struct inner_list inner;
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
static void describe(int nl, const int *fd, const struct frozen_group *g, struct shim_message *m)
{
	m->count = g->count;
	for (u32 i = 0; i < g->count; i++) {
		socklen_t len = sizeof(int);
		getsockopt(fd[i], SOL_SOCKET, SO_DOMAIN, &g->end[i].family, &len);
		m->inode[i] = other_inode(nl, fd[i]);
		g->end[i].reset = !m->inode[i];
		g->end[i].ended = has_ended(fd[i], g->end[i].family);
	}
}

static void release(struct frozen_group *g)
{
	for (u32 i = 0; i < g->count; i++)
		free(g->end[i].bytes);
	for (u32 i = 0; i < g->members; i++) {
		struct frozen *f = g->member[i];
		if (f->fd >= 0)
			close(f->fd);
		shim_counts_release(f->counts);
		free(f);
	}
	inner_free(&g->inner);
	free(g->end);
	free(g);
}

/* A connection may be held by several: each has seen the same. */
static int take_unread(struct frozen_group *g, int nl, const struct shim_message *m, int file)
{
	off_t at = 0;
	for (u32 i = 0; i < g->count; i++) {
		u32 n = m->unread[i];
		if (n && !g->end[i].unread) {
			g->end[i].bytes = malloc(n);
			if (!g->end[i].bytes || pread(file, g->end[i].bytes, n, at) != (ssize_t)n)
				return -EIO;
			g->end[i].unread = n;
		}
		at += n;
	}
	return inner_collect(&g->inner, nl, m, file, &at);
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
static int hear(struct frozen_group *g, const struct shim_link *l, struct frozen *f, int nl,
		struct shim_message *m, struct problem *p)
{
	struct pollfd both[2] = {{.fd = f->fd, .events = POLLIN}, {.fd = l->fd, .events = POLLIN}};
	int passed = -1, r;
	u32 n;
	do
		r = poll(both, 2, PATIENCE_MS);
	while (r < 0 && errno == EINTR);
	if (r <= 0)
		return lost(f->of, p);
	if (!(both[1].revents & POLLIN) && both[0].revents) {
		r = shim_receive(f->fd, m, &passed, 1, &n);
		if (!r && m->op == SHIM_SAVED && m->inners <= SHIM_INNER) {
			f->pid = m->pid;
			f->root = m->root;
			f->files = m->files;
			f->inners = m->inners;
			memcpy(f->inner, m->inner, sizeof(f->inner));
			r = take_unread(g, nl, m, passed);
		} else {
			r = -EIO;
		}
		if (passed >= 0)
			close(passed);
		return r ? lost(f->of, p) : 0;
	}
	if (shim_receive(l->fd, m, &passed, 1, &n) || m->op != SHIM_REFUSED)
		return lost(f->of, p);
	m->text[sizeof(m->text) - 1] = 0;
	problem_set(p, "%s", m->text);
	return -EOPNOTSUPP;
}

static int no_room(struct problem *p)
{
	problem_set(p, "no memory or descriptors to save a peer (%s)", strerror(errno));
	return -ENOSPC;
}

/* One process. asked: the message for all. */
static int freeze(struct frozen_group *g, struct saved_peer *t, const struct shim_link *l, int nl,
		  const struct shim_message *asked, struct problem *p)
{
	static struct shim_message m;
	int pair[2];
	struct frozen *f = calloc(1, sizeof(*f));
	if (!f || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
		free(f);
		return no_room(p);
	}
	f->fd = pair[0];
	f->of = t;
	f->first = l->first;
	f->counts = shim_counts_keep(l->counts);
	g->member[g->members++] = f;
	m = *asked;
	int r = shim_send(l->fd, &m, &pair[1], 1) ? lost(t, p) : 0;
	close(pair[1]);
	return r ? r : hear(g, l, f, nl, &m, p);
}

/* A file that none of the processes which share a list could keep, or put back. */
static bool has_orphan(const struct frozen_group *g)
{
	for (u32 i = 0; i < g->members; i++) {
		u64 left = g->member[i]->files;
		for (u32 k = 0; k < g->members && left; k++)
			if (g->member[k]->root == g->member[i]->root)
				left &= g->member[k]->files;
		if (left)
			return true;
	}
	return false;
}

static int freeze_all(struct frozen_group *g, struct saved_peer *t, const int *fd, struct problem *p)
{
	static struct shim_message m;
	const char *stranger;
	int nl = sockdiag_open(), r = 0;
	memset(&m, 0, sizeof(m));
	m.op = SHIM_SAVE;
	for (struct saved_peer *u = t; u; u = u->joined)
		m.members += members_count(u);
	describe(nl, fd, g, &m);
	for (struct saved_peer *u = t; u && !r; u = u->joined) {
		if (shim_link_is_open(u->shim))
			r = freeze(g, u, u->shim, nl, &m, p);
		for (const struct shim_link *l = u->more; l && !r; l = l->next)
			r = freeze(g, u, l, nl, &m, p);
	}
	close(nl);
	if (r)
		return r;
	stranger = inner_stranger(&g->inner);
	if (!stranger && has_orphan(g))
		stranger = "it has changed files that cannot be kept: none of its processes may read them";
	if (!stranger)
		return 0;
	problem_set(p, "%s", stranger);
	return -EOPNOTSUPP;
}

/* Each of those that are saved together must be one that can be. */
static int look_at_members(const struct saved_peer *t, u32 n, struct problem *p)
{
	u32 members = 0;
	char why[256];
	if (n > SHIM_CONNS)
		return problem_set(p, "a peer with %u connections can't be saved; %u is the most", n,
				   SHIM_CONNS);
	for (const struct saved_peer *u = t; u; u = u->joined) {
		if (!u->shim || u->backend != &backend_fork)
			return problem_set(
				p,
				"it is saved together with another peer, which can only be started "
				"again (%s)",
				u->reason);
		u32 count = members_count(u);
		if (!count)
			return problem_set(
				p, "its program has ended, or called exec for one that the shim does not get "
				   "into");
		if (!members_complete(u, why, sizeof(why)))
			return problem_set(p, "%s%s", why,
					   backend_criu.probe(NULL, 0)
						   ? ". criu can hold it: --checkpoint-backend criu"
						   : "");
		members += count;
	}
	if (members > MEMBERS)
		return problem_set(p, "it has %u processes; %u is the most that can be saved", members,
				   MEMBERS);
	return 0;
}

static int save(struct checkpoints *s, struct saved_peer *t, const int *fd, u32 n, struct saved *out,
		struct problem *p)
{
	(void)s;
	if (look_at_members(t, n, p))
		return -EOPNOTSUPP;
	struct frozen_group *g = calloc(1, sizeof(*g));
	if (g)
		g->end = calloc(n + 1, sizeof(*g->end));
	if (!g || !g->end) {
		free(g);
		return no_room(p);
	}
	g->count = n;
	int r = freeze_all(g, t, fd, p);
	if (r) {
		release(g);
		return r;
	}
	out->own = g;
	/* Looking is slow, and the next one is much like the last. */
	u64 bytes = 0;
	for (u32 i = 0; i < g->members && t->cost.saves % 16 == 0; i++)
		bytes += own_bytes(g->member[i]->pid);
	out->bytes = t->cost.saves % 16 == 0 ? bytes : t->last_bytes;
	t->last_bytes = out->bytes;
	return 0;
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

/*
 * The processes that run now are not needed any more. What to wait for: pidfds; how many.
 *
 * One that was killed while it waits in accept or recv takes what comes next with it, as long as it is not
 * gone: the listening sockets and those of datagrams are also the new one's.
 */
static int end_one(struct shim_link *l)
{
	if (l->fd < 0)
		return -1;
	int process = (int)syscall(SYS_pidfd_open, l->pid, 0);
	kill(l->pid, SIGKILL);
	close(l->fd);
	l->fd = -1;
	return process;
}

/* The shell of its command has not to do what comes next when those that it waits for are killed. */
static void end_shells(const struct saved_peer *t, pid_t member)
{
	pid_t above[MEMBERS];
	u32 n = members_above(t, member, above, MEMBERS);
	for (u32 i = 0; i < n; i++)
		kill(above[i], SIGKILL);
}

static u32 end_running(struct checkpoints *s, struct saved_peer *t, int *process, u32 room)
{
	u32 n = 0;
	char why[256];
	for (struct saved_peer *u = t; u; u = u->joined) {
		members_gather(s, u);
		if (shim_link_is_open(u->shim) && !members_complete(u, why, sizeof(why)))
			tree_kill(u->shim->pid);
		for (const struct shim_link *l = u->more; l; l = l->next)
			end_shells(u, l->pid);
		if (u->shim->fd >= 0)
			end_shells(u, u->shim->pid);
		process[n++] = end_one(u->shim);
		for (struct shim_link *l = u->more; l; l = l->next) {
			int one = end_one(l);
			if (n < room)
				process[n++] = one;
			else if (one >= 0)
				close(one);
		}
	}
	return n;
}

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
static int connect_all(const struct frozen_group *g, int *fd, int *there)
{
	int r = 0;
	for (u32 i = 0; i < g->count; i++)
		fd[i] = there[i] = -1;
	for (u32 i = 0; i < g->count && !r; i++)
		r = inner_connect(g->end[i].family, SOCK_STREAM, &fd[i], &there[i]);
	if (r) {
		close_all(fd, g->count);
		close_all(there, g->count);
	}
	return r;
}

/* Tell a frozen process to clone itself, with these ends; *running: control socket of the new one. */
static int thaw(const struct frozen_group *g, const struct frozen *f, const int *there, const int *inner,
		int *running, struct shim_message *m)
{
	int pass[SHIM_PASSED], pair[2];
	u32 n = 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	pass[n++] = pair[1];
	memcpy(pass + n, there, g->count * sizeof(int));
	n += g->count;
	memset(m, 0, sizeof(*m));
	m->op = SHIM_RESTORE;
	m->members = g->members;
	m->count = g->count;
	m->inners = f->inners;
	memcpy(m->inner, f->inner, sizeof(f->inner));
	for (u32 i = 0; i < f->inners; i++) {
		u32 place = inner_place(&g->inner, &f->inner[i]);
		m->inner[i].given = place != ~0u;
		if (place != ~0u)
			pass[n++] = inner[place];
	}
	int r = shim_send(f->fd, m, pass, n);
	close(pair[1]);
	if (!r)
		r = await(pair[0], m, NULL, 0, &n);
	if (!r && m->op != SHIM_RUNNING)
		r = -EPROTO;
	*running = pair[0];
	if (r)
		close(pair[0]);
	return r;
}

/* Each is told who is who now. */
static int introduce(const struct saved_peer *t, struct shim_message *m)
{
	const struct shim_link *all[MEMBERS];
	u32 n = 0, unused;
	for (const struct saved_peer *u = t; u; u = u->joined) {
		all[n++] = u->shim;
		for (const struct shim_link *l = u->more; l; l = l->next)
			all[n++] = l;
	}
	for (u32 i = 0; i < n && n > 1; i++) {
		memset(m, 0, sizeof(*m));
		m->op = SHIM_FAMILY;
		m->count = n;
		for (u32 k = 0; k < n; k++) {
			m->inode[2 * k] = (u64)all[k]->first;
			m->inode[2 * k + 1] = (u64)all[k]->pid;
		}
		if (shim_send(all[i]->fd, m, NULL, 0) || await(all[i]->fd, m, NULL, 0, &unused) ||
		    m->op != SHIM_AGREED)
			return -EIO;
	}
	return 0;
}

/* The first of a peer's processes is in the place of the first; what others were is over. */
static void put(const struct frozen *f, int running, pid_t pid, bool first)
{
	struct saved_peer *t = f->of;
	if (first) {
		shim_link_count_in(t->shim, f->counts);
		t->shim->fd = running;
		t->shim->pid = pid;
		t->shim->first = f->first;
		memset(f->counts->page->ended, 0, sizeof(f->counts->page->ended));
	} else {
		members_add(t, running, pid, f->first, f->counts);
	}
}

static int thaw_all(struct checkpoints *s, const struct saved_peer *t, const struct frozen_group *g,
		    const int *there, const int *inner)
{
	static struct shim_message m;
	const struct saved_peer *last = NULL;
	pid_t was[MEMBERS], now[MEMBERS];
	int r = 0;
	for (u32 i = 0; i < g->members && !r; i++) {
		struct frozen *f = g->member[i];
		int running = -1;
		r = thaw(g, f, there, inner, &running, &m);
		f->files = m.files;
		was[i] = f->of != last ? f->of->watched : 0;
		now[i] = m.pid;
		if (f->of != last)
			f->of->watched = m.pid;
		if (!r)
			put(f, running, m.pid, f->of != last);
		last = f->of;
	}
	if (!r)
		r = has_orphan(g) ? -EACCES : introduce(t, &m);
	if (!r && s->broker)
		broker_watch_all(s->broker, t->pid, was, now, g->members);
	return r;
}

static int restore(struct checkpoints *s, struct saved *v, int *fd, pid_t *now, struct problem *p)
{
	struct saved_peer *t = v->of;
	const struct frozen_group *g = v->own;
	int there[SHIM_CONNS], *inner = calloc(2 * (size_t)g->inner.count + 1, sizeof(int)),
			       ending[2 * MEMBERS];
	hd_assert(inner != NULL);
	u32 ends = end_running(s, t, ending, HD_ARRAY_LEN(ending) - MEMBERS);
	for (struct saved_peer *u = t; u; u = u->joined)
		members_drop(u);
	int r = connect_all(g, fd, there);
	bool connected = !r;
	if (!r)
		r = inner_open(&g->inner, inner);
	bool opened = connected && !r;
	for (u32 i = 0; i < g->count && !r; i++)
		bring_up_to_date(&g->end[i], &fd[i]);
	if (!r)
		r = thaw_all(s, t, g, there, inner);
	for (u32 i = 0; i < ends; i++)
		await_end(ending[i]);
	if (connected)
		close_all(there, g->count);
	if (opened)
		inner_close(&g->inner, inner);
	free(inner);
	if (r) {
		if (connected)
			close_all(fd, g->count);
		problem_set(p, "a saved peer cannot be brought back (%s)", strerror(-r));
		return -EIO;
	}
	for (struct saved_peer *u = t; u; u = u->joined)
		u->acts_seen = members_acts(u);
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
