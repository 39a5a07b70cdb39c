/*
 * peer.h: the processes around the SUT: servers it connects to, clients that connect to it. They are started
 * by a warden, a small process of our own that adopts whatever they leave behind (PR_SET_CHILD_SUBREAPER) and
 * ends all of them when it is told to, or when we die, by whatever cause (warden.h). The pid of a peer is
 * that of its keeper (keeper.h), above everything the command starts, daemons included.
 *
 * Commands run under /bin/sh -c, in our working directory and environment, with an input that is empty but
 * does not end, their output in a log, and none of our descriptors, signal handlers and masks. In them
 *   {port}        clients: the port to connect to (physical; stands for the SUT's only listening port)
 *   {port:N}      clients: the same for the SUT's port N. servers: a free port that stands for port N of the
 *                 SUT's connects, to whatever machine
 *   {path}        the same for a UNIX domain socket: clients {path} or {path:NAME}, servers {path:NAME}
 *   {n}           clients: the number of the client, from 1
 * A brace before anything else is left alone, and so is one behind $.
 */
#ifndef HEDDLE_PEER_PEER_H
#define HEDDLE_PEER_PEER_H

#include "broker/broker.h"
#include "launch/problem.h"
#include "wire/wire_net.h"

/* In which order clients come whose commands differ. By default in any; clients with
   the same command are alike. */
enum client_order {
	CLIENT_ORDER_DEFAULT,
	CLIENT_ORDER_ANY,   /* those whose command has {n} differ, too */
	CLIENT_ORDER_GIVEN, /* that of the command line */
};

struct peer_options {
	char **server; /* command templates */
	size_t servers;
	char **client; /* one for each client, in order */
	size_t clients;
	enum client_order order;
	bool append_logs; /* these peers have run before */
	const char *out;  /* folder of the logs: server-1.log, client-3.log (a restart appends) */
	bool (*interrupted)(void);
	/* What the shell is to do before each command (to be freed); NULL: nothing. */
	char *(*wrap)(void *self);
	void *wrap_self;
	/* Removed with all that is in it when the last peer has gone; NULL or "": none. */
	const char *folder;
};

struct peers;

/* In a pid namespace with the /proc of another one, the numbers of processes mean others there: false. */
bool peers_are_shown(void);
/* Are the templates right? Fills in client_port and client_class of c, and c->clients. */
int peers_check(const struct peer_options *o, struct net_config *c, struct problem *p);
/*
 * Start the warden, if there will be peers, and choose free ports. *o is copied, the strings in it are not.
 */
struct peers *peers_start(const struct peer_options *o, struct problem *p);
/* For the broker. */
const struct broker_peers *peers_for_broker(struct peers *s);
/* Start the servers and wait for each (broker_wait_ready). */
int peers_start_servers(struct peers *s, struct broker *b, struct problem *p);
/*
 * End this peer, if anything of it is left. A server is started again, and waited for until it rests: its new
 * pid. A client is ended only: 0. -1: *p.
 */
pid_t peers_restart(struct peers *s, struct broker *b, pid_t pid, struct problem *p);
/* Which command it is of: the number of the server or client, from 1. False: it is not known. */
bool peers_number(const struct peers *s, pid_t pid, u32 *n, bool *client);
/* Where {path:NAME} are; "": no server names any. */
const char *peers_folder(const struct peers *s);
u64 peers_running(const struct peers *s); /* not known to have ended; for the live line */
/* All gone when it returns, the warden included. s may be NULL. */
void peers_end(struct peers *s);

#endif
