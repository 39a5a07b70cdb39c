/*
 * describe.c: what a quiet peer waits for, in words, for the report of a communication deadlock.
 */
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/text.h"
#include "broker/quiet_priv.h"
#include "broker/sockdiag.h"

static u64 end_of(int nl, const struct quiet_conn *c)
{
	return c->inode ? c->inode : owner_other_end(nl, c->fd);
}

/* To ask for the port of a listening socket is to go through all of them; that is done once for each. */
static u16 port_of(struct quiet_thread *t, int nl, u64 inode)
{
	if (t->listener != inode) {
		t->listener_port = sockdiag_listens(nl, inode);
		t->listener = t->listener_port ? inode : 0;
	}
	return t->listener_port;
}

static void say_socket(struct text *w, int nl, struct quiet_thread *t, const struct quiet_conn *c, u32 n,
		       u64 inode)
{
	for (u32 i = 0; i < n && t->listener != inode; i++)
		if (!c[i].closed && end_of(nl, &c[i]) == inode) {
			text_fmt(w, i ? " on another connection of this peer" : " on this connection");
			return;
		}
	if (port_of(t, nl, inode))
		text_fmt(w, " on port %u", t->listener_port);
	else
		text_fmt(w, " on a socket");
}

static void say_target(struct text *w, struct quiet_peer *q, struct quiet_thread *t,
		       const struct quiet_conn *c, u32 n)
{
	int fd = wait_descriptor(&t->wait);
	char link[256];
	unsigned long long inode;
	if (fd < 0 || owner_link(t->pid, fd, link, sizeof(link)))
		return;
	if (sscanf(link, "socket:[%llu]", &inode) == 1)
		say_socket(w, q->nl, t, c, n, inode);
	else if (strncmp(link, "pipe:", 5) == 0)
		text_fmt(w, " on a pipe");
	else
		text_fmt(w, " on %s", link);
}

static void say_thread(struct text *w, struct quiet_peer *q, struct quiet_thread *t,
		       const struct quiet_conn *c, u32 n)
{
	char call[32];
	if (strcmp(t->name, "heddle-keeper") == 0)
		return; /* ours, around the peer */
	if (strcmp(t->name, "sh") == 0 && t->wait.call == SYS_wait4)
		return; /* the shell of the command, which waits for what it started */
	wait_name(t->wait.call, call, sizeof(call));
	text_fmt(w, "%s%s %d/%d: %s", w->len ? "; " : "", t->name, t->pid, t->tid, call);
	say_target(w, q, t, c, n);
	if (t->wait.kind == WAIT_TIMED)
		text_fmt(w, " (with a time-out)");
}

void quiet_tell(struct quiet_peer *q, const struct quiet_conn *c, u32 n, char *out, size_t cap)
{
	struct text w;
	text_init(&w, out, cap);
	for (u32 i = 0; i < q->threads; i++)
		if (q->thread[i].wait.kind != WAIT_DEAD)
			say_thread(&w, q, &q->thread[i], c, n);
	if (!w.len)
		text_fmt(&w, "all its processes have ended");
}

void quiet_describe(struct quiet_peer *q, const struct quiet_conn *c, u32 n, char *out, size_t cap)
{
	threads_enumerate(q);
	for (u32 i = 0; i < q->threads; i++) {
		thread_look(&q->thread[i]);
		thread_state(&q->thread[i]);
	}
	quiet_tell(q, c, n, out, cap);
}
