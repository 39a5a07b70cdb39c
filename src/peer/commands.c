/*
 * commands.c: which holes a command may have, and what goes into them.
 */
#include <stdio.h>
#include <string.h>

#include "peer/peer_priv.h"
#include "peer/template.h"

/* Servers. */
static int check_server(const char *text, u32 n, struct problem *p)
{
	struct hole h;
	for (; hole_find(text, &h); text = h.text + h.len) {
		if (h.kind == HOLE_PORT && hole_port(&h) < 0)
			return problem_set(
				p,
				"server %u: %.*s must name a port of the program's, as in {port:80}; "
				"a free port will stand for it",
				n, (int)h.len, h.text);
		if (h.kind == HOLE_PATH && !h.name_len)
			return problem_set(
				p, "server %u: %.*s must name a path of the program's, as in {path:/run/x}",
				n, (int)h.len, h.text);
	}
	return 0;
}

struct server_holes {
	struct places *places;
	u32 number;
};

static int fill_server(void *self, const struct hole *h, char *out, size_t cap, struct problem *p)
{
	struct server_holes *f = self;
	const struct place *l;
	switch (h->kind) {
	case HOLE_PORT:
		l = places_port(f->places, (u16)hole_port(h), f->number, p);
		if (l)
			snprintf(out, cap, "%u", l->stands_at);
		return l ? 0 : -1;
	case HOLE_PATH:
		l = places_path(f->places, h->name, h->name_len, f->number, p);
		if (l)
			place_path(f->places, l, out, cap);
		return l ? 0 : -1;
	case HOLE_NUMBER:
		break;
	}
	snprintf(out, cap, "%.*s", (int)h->len, h->text);
	return 0;
}

char *server_command(const struct peers *s, struct server_set *t, u32 n, struct problem *p)
{
	struct server_holes f = {&t->places, n};
	const char *text = s->options.server[n - 1];
	return check_server(text, n, p) ? NULL : template_fill(text, fill_server, &f, p);
}

/* Clients. *port: of the program; 0: not named. */
static int check_client(const char *text, u32 n, u16 *port, struct problem *p)
{
	bool goes_somewhere = false;
	struct hole h;
	*port = 0;
	for (; hole_find(text, &h); text = h.text + h.len) {
		goes_somewhere |= h.kind != HOLE_NUMBER;
		if (h.kind != HOLE_PORT || !h.name)
			continue;
		if (hole_port(&h) < 0)
			return problem_set(p, "client %u: %.*s does not name a port from 1 to 65535", n,
					   (int)h.len, h.text);
		if (*port && *port != hole_port(&h))
			return problem_set(p,
					   "client %u names the ports %u and %d; a client has one connection",
					   n, *port, hole_port(&h));
		*port = (u16)hole_port(&h);
	}
	return goes_somewhere ? 0
			      : problem_set(p,
					    "client %u cannot know where to connect: write {port} into its "
					    "command, in the place of the program's port (or {path})",
					    n);
}

struct client_holes {
	const struct net_address *physical;
	u32 number;
};

static int fill_client(void *self, const struct hole *h, char *out, size_t cap, struct problem *p)
{
	const struct client_holes *f = self;
	const struct net_address *a = f->physical;
	if (h->kind == HOLE_NUMBER) {
		snprintf(out, cap, "%u", f->number);
		return 0;
	}
	if ((h->kind == HOLE_PATH) != (a->family == NET_UNIX))
		return problem_set(p, "client %u: the program accepts at a %s: write %s instead of %.*s",
				   f->number, a->family == NET_UNIX ? "path" : "port",
				   a->family == NET_UNIX ? "{path}" : "{port}", (int)h->len, h->text);
	if (h->kind == HOLE_PORT)
		snprintf(out, cap, "%u", a->port);
	else
		snprintf(out, cap, "%.*s", (int)a->path_len, a->path);
	return 0;
}

char *client_command(const struct peers *s, u32 n, const struct net_address *physical, struct problem *p)
{
	struct client_holes f = {physical, n};
	if (n < 1 || n > s->options.clients) {
		problem_set(p, "there is no client %u", n);
		return NULL;
	}
	return template_fill(s->options.client[n - 1], fill_client, &f, p);
}

static bool has_number(const char *text)
{
	struct hole h;
	for (; hole_find(text, &h); text = h.text + h.len)
		if (h.kind == HOLE_NUMBER)
			return true;
	return false;
}

/* Clients of one class come in the order of their numbers. Named by its first client. */
static u16 class_of(const struct peer_options *o, u32 client)
{
	u32 first = 0;
	if (o->order == CLIENT_ORDER_GIVEN)
		return 0;
	if (o->order == CLIENT_ORDER_ANY && has_number(o->client[client]))
		return (u16)client;
	while (strcmp(o->client[first], o->client[client]) != 0)
		first++;
	return (u16)first;
}

int peers_check(const struct peer_options *o, struct net_config *c, struct problem *p)
{
	if (o->clients > NET_MAX_CLIENTS)
		return problem_set(p, "%zu clients are more than %d", o->clients, NET_MAX_CLIENTS);
	for (u32 n = 1; n <= o->servers; n++)
		if (check_server(o->server[n - 1], n, p))
			return -1;
	for (u32 n = 1; n <= o->clients; n++)
		if (check_client(o->client[n - 1], n, &c->client_port[n - 1], p))
			return -1;
	for (u32 i = 0; i < o->clients; i++) {
		c->client_class[i] = class_of(o, i);
		if (c->identical_clients && i &&
		    (strcmp(o->client[i], o->client[0]) != 0 || has_number(o->client[i])))
			return problem_set(
				p,
				"--identical-clients: the commands of client 1 and client %u differ, so "
				"they would share what only one of them says",
				i + 1);
	}
	c->clients = (u32)o->clients;
	c->servers = (u32)o->servers;
	return 0;
}
