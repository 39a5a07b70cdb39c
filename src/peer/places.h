/*
 * places.h: free ports and paths that stand for the ones the program names, so that a server peer needs no
 * port that may be taken. {port:80} of a server is the same free port in all commands.
 */
#ifndef HEDDLE_PEER_PLACES_H
#define HEDDLE_PEER_PLACES_H

#include "launch/problem.h"
#include "wire/wire_net.h"

#define PLACES_MAX 64

struct place {
	u16 port, stands_at; /* ports; 0: a path */
	char name[108];      /* path */
	u32 server;          /* the first that names it, from 1 */
	int claim;           /* of the port: an open socket, until places_release */
};

struct places {
	struct place place[PLACES_MAX];
	size_t places;
	char folder[64]; /* of the paths; "" until one is needed */
	u32 set;         /* several share a folder: a number of its own */
};

/* Others may have the ports. */
void places_release(struct places *s);
/* The place that stands for this port or path; chosen when it is first asked for. NULL: *p. */
const struct place *places_port(struct places *s, u16 port, u32 server, struct problem *p);
const struct place *places_path(struct places *s, const char *name, size_t len, u32 server,
				struct problem *p);
/* Where the path really is. */
int place_path(const struct places *s, const struct place *l, char *out, size_t cap);
/* The place for an address that the program names, and its physical address; NULL: there is none. */
const struct place *places_find(const struct places *s, const struct net_address *to,
				struct net_address *physical);

#endif
