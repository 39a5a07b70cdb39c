/*
 * server_sets.c: the server peers, once or several times. A set is a process of each --server command, with
 * free ports and paths of its own. The first is started before the search. Where servers are one conversation
 * (--peers shared), each position of it that is kept for later has a set to itself, so that a server that
 * remembers remembers what was said on the way to that position, and nothing else.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "peer/peer_priv.h"
#include "peer/template.h"

#define FIRST_SET 1u

/* A command that names no place has ports of its own, which two processes can't have. */
static u32 most_sets(const struct peers *s)
{
	struct hole h;
	for (size_t i = 0; i < s->options.servers; i++) {
		bool placed = false;
		for (const char *text = s->options.server[i]; !placed && hole_find(text, &h);
		     text = h.text + h.len)
			placed = h.kind != HOLE_NUMBER;
		if (!placed)
			return 1;
	}
	return SERVER_SETS;
}

static struct server_set *find_set(struct peers *s, u32 id)
{
	for (size_t i = 0; i < HD_ARRAY_LEN(s->set); i++)
		if (id && s->set[i].id == id)
			return &s->set[i];
	return NULL;
}

static struct server_set *free_set(struct peers *s)
{
	for (u32 i = 0, most = most_sets(s); i < most; i++)
		if (!s->set[i].id)
			return &s->set[i];
	return NULL;
}

/* In the place of the broker's sentence, when there is a plain reason. */
static int not_ready(struct peers *s, u32 n, pid_t pid, struct problem *p)
{
	const struct peer *e = peer_find(s, pid);
	char words[512], how[64];
	int status;
	if (!e || !s->for_broker.ended(s, pid, &status))
		return -1;
	peer_log_last_words(s, e, words, sizeof(words));
	if (WIFSIGNALED(status))
		snprintf(how, sizeof(how), "was killed by signal %d (SIG%s)", WTERMSIG(status),
			 sigabbrev_np(WTERMSIG(status)));
	else
		snprintf(how, sizeof(how), "ended with exit status %d", WEXITSTATUS(status));
	return problem_set(p, "server %u (%s) %s before it was ready%s%s", n, s->options.server[n - 1], how,
			   words[0] ? ": " : "", words);
}

static pid_t start_one(struct peers *s, struct server_set *t, u32 n, struct broker *b, struct problem *p)
{
	char name[32], *command = server_command(s, t, n, p);
	pid_t pid = command ? peer_start(s, n, 0, command, p) : -1;
	free(command);
	if (pid < 0)
		return -1;
	peer_find(s, pid)->set = t->id;
	snprintf(name, sizeof(name), "server %u", n);
	return broker_wait_ready(b, pid, name, p) ? not_ready(s, n, pid, p) : pid;
}

static void forget_places(struct peers *s, pid_t pid)
{
	for (size_t k = 0; k < HD_ARRAY_LEN(s->served); k++)
		if (s->served[k].pid == pid)
			s->served[k] = (struct served){0};
}

static void end_set(struct peers *s, struct broker *b, struct server_set *t)
{
	for (size_t i = 0; i < s->slots; i++) {
		struct peer *e = &s->peer[i];
		if (!e->pid || !e->server || e->set != t->id)
			continue;
		forget_places(s, e->pid);
		broker_forget(b, e->pid);
		if (!e->ended)
			warden_end_peer(&s->warden, e->pid);
		memset(e, 0, sizeof(*e));
	}
	if (t->id != FIRST_SET) /* whose places are those of all commands */
		places_release(&t->places);
	memset(t, 0, sizeof(*t));
}

void server_sets_release(struct peers *s)
{
	for (size_t i = 0; i < HD_ARRAY_LEN(s->set); i++)
		if (s->set[i].id != FIRST_SET)
			places_release(&s->set[i].places);
	places_release(&s->places);
}

static int start_set(struct peers *s, struct server_set *t, struct broker *b, struct problem *p)
{
	struct places places = {.set = s->last_set};
	memcpy(places.folder, s->places.folder, sizeof(places.folder));
	*t = (struct server_set){.id = ++s->last_set, .places = places};
	if (t->id == FIRST_SET)
		t->places = s->places;
	for (u32 n = 1; n <= s->options.servers; n++)
		if (start_one(s, t, n, b, p) < 0) {
			if (t->id != FIRST_SET) /* else nothing goes on without it */
				end_set(s, b, t);
			return -1;
		}
	return 0;
}

int peers_start_servers(struct peers *s, struct broker *b, struct problem *p)
{
	return s->options.servers ? start_set(s, &s->set[0], b, p) : 0;
}

pid_t peers_restart(struct peers *s, struct broker *b, pid_t pid, struct problem *p)
{
	const struct peer *e = peer_find(s, pid);
	if (!e)
		return problem_set(p, "the peer with the pid %d is not known", pid);
	u32 server = e->server;
	struct server_set *t = find_set(s, e->set);
	broker_forget(b, pid);
	forget_places(s, pid);
	s->for_broker.end_client(s, pid);
	return server && t ? start_one(s, t, server, b, p) : 0;
}

int server_set_take(void *self, struct broker *b, u32 *set, struct problem *p)
{
	struct peers *s = self;
	struct server_set *t = &s->set[0];
	*set = 0;
	if (t->id == FIRST_SET && t->independent) /* it was told things that nobody remembers */
		end_set(s, b, t);
	if (t->id != FIRST_SET || t->taken)
		t = free_set(s);
	if (!t)
		return 0;
	if (!t->id && start_set(s, t, b, p))
		return -1;
	t->taken = true;
	*set = t->id;
	return 0;
}

void server_set_end(void *self, struct broker *b, u32 set)
{
	struct peers *s = self;
	struct server_set *t = find_set(s, set);
	if (t)
		end_set(s, b, t);
}

u32 server_set_pids(void *self, u32 set, pid_t *out, u32 room)
{
	const struct peers *s = self;
	u32 n = 0;
	for (size_t i = 0; i < s->slots && n < room; i++)
		if (s->peer[i].pid && s->peer[i].server && s->peer[i].set == set)
			out[n++] = s->peer[i].pid;
	return n;
}

void server_set_place(void *self, u32 set, const struct net_address *to, struct net_address *physical)
{
	struct peers *s = self;
	const struct server_set *t = find_set(s, set);
	if (!t || !places_find(&t->places, to, physical))
		*physical = *to;
}
