/*
 * saved_talk.c: NET_SAVE, NET_RESTORE, NET_DROP: the connections' part of a checkpoint. The peer is saved and
 * brought back by others (struct broker_saver); what its connections had said, which of them were closed and
 * what was told of that is kept here, and they are put on fresh descriptors.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "broker/broker_priv.h"

#define PIDS 64u
#define EARLY_MAX 32768u /* fits into the queue of a fresh connection */

/* A connection as it stood. */
struct saved_part {
	struct net_address to;
	u32 number;
	bool named;    /* the peer has its other end: it gets a fresh descriptor */
	int datagrams; /* the peer knows it by its address: the same socket serves again; -1: none */
	bool eof, reset, eof_told, reset_told, told, ended;
	bool waits; /* the peer has not accepted it: it is opened anew, and sent the same */
	u8 *early;
	size_t early_len;
};

struct saved_talk {
	struct saved_talk *next;
	u64 id;
	u32 conn;   /* that stands for all of it */
	u32 number; /* whole: how many were told of */
	u32 parts;
	struct saved_part part[];
};

static void talk_free(struct saved_talk *t)
{
	for (u32 i = 0; i < t->parts; i++) {
		if (t->part[i].datagrams >= 0)
			close(t->part[i].datagrams);
		free(t->part[i].early);
	}
	free(t);
}

void broker_set_saver(struct broker *b, const struct broker_saver *s)
{
	b->saver = s;
}

/* The processes of the peer, as the saver knows them. */
static u32 pids_of(struct broker *b, const struct connection *c, pid_t pid[PIDS])
{
	if (c->set)
		return b->peers.server_pids(b->peers.self, c->set, pid, PIDS);
	pid[0] = c->procs ? c->procs->root : 0;
	return pid[0] != 0;
}

u32 saved_talk_acted(struct broker *b, const struct connection *c)
{
	pid_t pid[PIDS];
	u32 acted = 0;
	bool noticed = b->saver && (c->set || b->saver->all);
	for (u32 i = 0, n = noticed ? pids_of(b, c, pid) : 0; i < n; i++)
		acted |= b->saver->acted(b->saver->self, pid[i]);
	return acted;
}

void saved_talk_forget(struct broker *b, const struct connection *c)
{
	pid_t pid[PIDS];
	if (!b->saver || (!c->set && !(c->pid && b->saver->all)))
		return;
	for (u32 i = 0, n = pids_of(b, c, pid); i < n; i++)
		b->saver->forget(b->saver->self, pid[i]);
	for (struct saved_talk **at = &b->saved; *at;) {
		struct saved_talk *t = *at;
		if (t->conn != c->id) {
			at = &t->next;
			continue;
		}
		*at = t->next;
		talk_free(t);
	}
}

static bool waits(const struct connection *c)
{
	return !c->framed && !c->accepted && !c->eof && !c->reset;
}

/* Why it can't be saved; NULL: it can. *for_good: it never will. */
static const char *obstacle(struct broker *b, const struct connection *c, u32 pids, bool *for_good)
{
	*for_good = true;
	if (!b->saver)
		return "there are no checkpoints here";
	if (!pids || (!c->set && !c->client))
		return "it was not started by heddle";
	*for_good = false;
	if (c->framed && !c->joint)
		return "datagrams may be on their way";
	if (c->next_fd >= 0)
		return "it has opened its next connection, which nobody has accepted";
	for (const struct connection *k = b->connections; k; k = k->next) {
		if (k->whole != c)
			continue;
		if (k->framed && k->to.type != NET_DGRAM)
			return "it has a connection with packets (SOCK_SEQPACKET)";
		if (waits(k) && (!c->set || k->early.len > EARLY_MAX || k->unsent.len))
			return "it has not accepted a connection, on which much was sent";
	}
	return NULL;
}

static struct saved_part part_of(const struct connection *c)
{
	bool datagrams = c->framed && c->fd >= 0;
	bool gone = c->fd < 0 || datagrams || waits(c) || c->reset ||
		    (c->eof && c->procs && !quiet_holds(c->procs->q, c->fd));
	return (struct saved_part){.to = c->to,
				   .number = c->number,
				   .named = !gone,
				   .waits = waits(c) && c->fd >= 0,
				   .datagrams = datagrams ? fcntl(c->fd, F_DUPFD_CLOEXEC, 0) : -1,
				   .eof = c->eof,
				   .reset = c->reset,
				   .eof_told = c->eof_told,
				   .reset_told = c->reset_told,
				   .told = c->told,
				   .ended = c->ended};
}

/* The connections of c, itself if it is the only one; their descriptors, of those that are named. */
static struct saved_talk *describe(struct broker *b, const struct connection *c, int *fd, u32 *fds)
{
	struct saved_talk *t = calloc(1, sizeof(*t) + b->connection_count * sizeof(t->part[0]));
	hd_assert(t != NULL);
	t->conn = c->id;
	t->number = c->number;
	*fds = 0;
	for (const struct connection *k = b->connections; k; k = k->next) {
		if (k->joint || (k != c && k->whole != c))
			continue;
		struct saved_part *s = &t->part[t->parts++];
		*s = part_of(k);
		if (s->named)
			fd[(*fds)++] = k->fd;
		if (!s->waits || !k->early.len)
			continue;
		s->early = malloc(k->early.len);
		hd_assert(s->early != NULL);
		memcpy(s->early, k->early.data, k->early.len);
		s->early_len = k->early.len;
	}
	return t;
}

static int unsaved(struct wire_net *n, bool for_good, const char *why)
{
	n->client = for_good;
	return reply_error(n, NET_ERROR_UNSAVED, "%s", why);
}

int saved_talk_save(struct broker *b, struct connection *c, struct wire_net *n)
{
	pid_t pid[PIDS];
	int fd[NET_MAX_CONNS];
	struct problem p = {.text = ""};
	bool for_good;
	u32 fds;
	u32 pids = b->saver ? pids_of(b, c, pid) : 0;
	const char *why = obstacle(b, c, pids, &for_good);
	if (why)
		return unsaved(n, for_good, why);
	for (u32 i = 1; i < pids; i++)
		b->saver->join(b->saver->self, pid[0], pid[i]);
	struct saved_talk *t = describe(b, c, fd, &fds);
	int err = b->saver->save(b->saver->self, pid[0], fd, fds, &t->id, &p);
	if (err) {
		talk_free(t);
		if (err == -ENOSPC)
			return reply_error(n, NET_ERROR_FULL, "%s", p.text);
		return unsaved(n, !b->saver->can_save(b->saver->self, pid[0]), p.text);
	}
	t->next = b->saved;
	b->saved = t;
	n->saved = t->id;
	return 0;
}

static struct saved_talk *find(struct broker *b, u64 id)
{
	struct saved_talk *t = b->saved;
	while (t && t->id != id)
		t = t->next;
	return t;
}

void saved_talk_drop(struct broker *b, u64 id)
{
	struct saved_talk **at = &b->saved;
	while (*at && (*at)->id != id)
		at = &(*at)->next;
	struct saved_talk *t = *at;
	if (!t)
		return;
	*at = t->next;
	b->saver->drop(b->saver->self, id);
	talk_free(t);
}

/* ---- bringing back ---- */

static void set_part(struct connection *c, const struct saved_part *s)
{
	c->number = s->number;
	c->eof = s->eof;
	c->reset = s->reset;
	c->eof_told = s->eof_told;
	c->reset_told = s->reset_told;
	c->told = s->told;
	c->ended = s->ended;
	c->accepted = c->owner_known = c->polled = true;
	c->sent = c->asked = 0;
	c->reply.len = c->given = c->unsent.len = c->out = 0;
	if (s->ended && c->fd >= 0)
		transfer_end(c);
}

/* What another past has left there is nobody's. */
static int same_socket(const struct saved_part *s)
{
	u8 byte;
	int fd = fcntl(s->datagrams, F_DUPFD_CLOEXEC, 0);
	while (fd >= 0 && recv(fd, &byte, 1, MSG_DONTWAIT | MSG_TRUNC) >= 0)
		;
	return fd;
}

/* In the backlog, as before. -1: that has failed. */
static int open_anew(struct broker *b, const struct connection *whole, const struct saved_part *s,
		     struct wire_net *n)
{
	int fd = -1;
	if (server_dial(b, whole, &s->to, n, &fd))
		return -1;
	if (s->early_len &&
	    send(fd, s->early, s->early_len, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)s->early_len) {
		close(fd);
		return -1;
	}
	return fd;
}

static void set_waiting(struct connection *c, const struct saved_part *s)
{
	c->accepted = c->owner_known = c->polled = false;
	c->sent = c->asked = s->early_len;
	c->early.len = 0;
	if (s->early_len)
		memcpy(transfer_room(&c->early, s->early_len), s->early, s->early_len);
	c->early.len = s->early_len;
}

/* New ones stand at the front of the list: from the last on, so that they are in the order of before. */
static int put_parts(struct broker *b, struct connection *whole, const struct saved_talk *t, const int *fd,
		     u32 fds, struct wire_net *n)
{
	int status = 0;
	joint_close(b, whole);
	for (u32 i = t->parts; i-- > 0;) {
		const struct saved_part *s = &t->part[i];
		int own = s->named ? fd[--fds] : s->datagrams >= 0 ? same_socket(s) : -1;
		if (s->waits && (own = open_anew(b, whole, s, n)) < 0)
			status = NET_ERROR_UNSAVED;
		struct connection *c = connection_add(b, own, &s->to);
		hd_assert(c != NULL); /* there were as many before */
		c->client = whole->client;
		c->whole = whole;
		c->procs = whole->procs;
		c->procs->uses++;
		set_part(c, s);
		if (s->waits)
			set_waiting(c, s);
	}
	whole->number = t->number;
	whole->reply.len = whole->given = 0;
	whole->asked = whole->sent;
	memset(whole->refused, 0, sizeof(whole->refused));
	return status ? reply_error(n, status, "a connection that waited for it cannot be opened again") : 0;
}

/* A client that has closed its last connection, and opened the next one, is followed as one connection. */
static void put_one(struct connection *c, const struct saved_talk *t, int fd)
{
	if (c->fd >= 0)
		close(c->fd);
	if (c->next_fd >= 0)
		close(c->next_fd);
	c->next_fd = -1;
	c->fd = fd;
	c->another = c->unread = c->excused = false;
	if (fd >= 0)
		connection_prepare(c);
	set_part(c, &t->part[0]);
}

int saved_talk_restore(struct broker *b, struct wire_net *n)
{
	const struct saved_talk *t = find(b, n->saved);
	struct connection *c = t ? connection_find(b, t->conn) : NULL;
	int fd[NET_MAX_CONNS];
	struct problem p = {.text = ""};
	pid_t now = 0;
	u32 fds = 0;
	n->conn = 0;
	if (!c)
		return reply_error(n, NET_ERROR_UNSAVED, "checkpoint %llu is not known",
				   (unsigned long long)n->saved);
	for (u32 i = 0; i < t->parts; i++)
		fds += t->part[i].named;
	if (b->saver->restore(b->saver->self, t->id, fd, &now, &p))
		return reply_error(n, NET_ERROR_UNSAVED, "%s", p.text);
	if (now != c->procs->root)
		return reply_error(n, NET_ERROR_UNSAVED, "it was started again, and not brought back");
	int status = 0;
	if (c->joint)
		status = put_parts(b, c, t, fd, fds, n);
	else
		put_one(c, t, fds ? fd[0] : -1);
	c->answer = 0;
	n->conn = status ? 0 : c->id;
	return status;
}

void saved_talk_free_all(struct broker *b)
{
	while (b->saved) {
		struct saved_talk *t = b->saved;
		b->saved = t->next;
		talk_free(t);
	}
}
