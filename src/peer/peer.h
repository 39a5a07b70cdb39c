/*
 * peer.h: the processes around the SUT: servers it connects to, clients that connect to it.
 * They are started by a warden, a small process of our own that adopts whatever they leave behind (PR_SET_CHILD_SUBREAPER) and
 * ends all of them when it is told to, or when we die, by whatever cause.
 *
 * Commands run under /bin/sh -c. In them
 *   {port}        clients: the port to connect to (physical; stands for the SUT's only listening port)
 *   {port:N}      clients: the same for the SUT's port N. servers: a free port that stands for port N of the SUT's connects
 *   {path}        the same for a UNIX domain socket: clients {path} or {path:NAME}, servers {path:NAME}
 *   {n}           clients: the number of the client, from 1
 * A brace before anything else is left alone.
 */
#ifndef HEDDLE_PEER_PEER_H
#define HEDDLE_PEER_PEER_H

#include "broker/broker.h"
#include "launch/problem.h"
#include "wire/net.h"

struct peer_options {
	char **server; /* command templates */
	size_t servers;
	char **client; /* one for each client, in order */
	size_t clients;
	const char *out; /* folder of the logs: server-1.log, client-3.log (a restart appends) */
	bool (*interrupted)(void);
};

struct peers;

/* Are the templates right? Fills in client_port of c, and c->clients. */
int peers_check(const struct peer_options *o, struct net_config *c, struct problem *p);
/* Start the warden and the servers. `serving`: called once for each server; returns when it is ready (broker_wait_ready). */
struct peers *peers_start(const struct peer_options *o, struct problem *p);
/* For the broker. */
const struct broker_peers *peers_for_broker(struct peers *s);
/* Start the servers and wait for each. */
int peers_start_servers(struct peers *s, struct broker *b, struct problem *p);
u64 peers_running(const struct peers *s); /* for the live line */
/* All gone when it returns, the warden included. */
void peers_end(struct peers *s);

#endif
