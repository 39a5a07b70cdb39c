/*
 * broker.h: physical connections to the SUT's peers, on the controller's side of the wire.
 * It does what the cache in the runtime asks (struct wire_net): open a connection or start a client
 * and accept it, send, and wait until the peer has said all it will say (quiet.h). It knows no trees.
 *
 * Which process is at the other end is told by the caller (struct broker_peers, implemented by peer/), so
 * that the broker itself starts nothing.
 */
#ifndef HEDDLE_BROKER_BROKER_H
#define HEDDLE_BROKER_BROKER_H

#include <sys/types.h>

#include "launch/problem.h"
#include "wire/wire_net.h"

struct broker;

struct broker_peers {
	void *self;
	/*
	 * Start client peer n, which is to connect to the address (a listener of the broker's); its process,
	 * or -1 and *p.
	 */
	pid_t (*start_client)(void *self, u32 n, const struct net_address *physical, struct problem *p);
	/* End it, and what it started; returns when nothing of it is left. */
	void (*end_client)(void *self, pid_t pid);
	/*
	 * The server peer's process that serves this address of the SUT's, and where it really is; 0: none
	 * that we started.
	 */
	pid_t (*server_of)(void *self, const struct net_address *to, struct net_address *physical);
	/* Has this peer ended? Its last words (end of its log) for messages. */
	bool (*ended)(void *self, pid_t pid, int *status);
	void (*last_words)(void *self, pid_t pid, char *out, size_t cap);
	/* ^C: give up waiting. */
	bool (*interrupted)(void *self);
	/*
	 * Server peers that nobody has said anything to: one process of each command, ready. -1: *p. *set:
	 * their number; 0: there is no room for more, end_servers makes some.
	 */
	int (*take_servers)(void *self, struct broker *b, u32 *set, struct problem *p);
	void (*end_servers)(void *self, struct broker *b, u32 set);
	u32 (*server_pids)(void *self, u32 set, pid_t *out, u32 room);
	/* Where such a server really is. */
	void (*server_place)(void *self, u32 set, const struct net_address *to, struct net_address *physical);
};

/* Who saves peers and brings them back, as checkpoint/ does it. Peers are named as above. */
struct broker_saver {
	void *self;
	bool all; /* every peer is started so that it can be saved; else only those that are asked for */
	/* Peers that are started from now on are. */
	void (*prepare)(void *self, bool on);
	int (*save)(void *self, pid_t peer, const int *fd, u32 n, u64 *id, struct problem *p);
	int (*restore)(void *self, u64 id, int *fd, pid_t *now, struct problem *p);
	/* From now on `peer` stands for both. */
	void (*join)(void *self, pid_t peer, pid_t with);
	void (*drop)(void *self, u64 id);
	/* Since the last call: NET_ACTED, NET_CHOSE. */
	u32 (*acted)(void *self, pid_t peer);
	bool (*can_save)(void *self, pid_t peer);
	/* It rests for the first time; it is about to be ended. */
	void (*adopt)(void *self, pid_t peer);
	void (*forget)(void *self, pid_t peer);
};

struct broker_options {
	u32 response_timeout_ms; /* silence of a peer we can't look into */
	u32 peer_timeout_ms;     /* a local peer that never comes to rest */
};

struct broker *broker_create(const struct broker_options *o, const struct broker_peers *peers,
			     struct problem *p);
/* *s must live as long. */
void broker_set_saver(struct broker *b, const struct broker_saver *s);
/* Do what n asks and fill in the reply (everything but the handshake). */
void broker_serve(struct broker *b, struct wire_net *n);
/*
 * Wait until a server peer that was just started is ready: it rests, and something of it listens. -1: it
 * ended, or never came to rest.
 */
int broker_wait_ready(struct broker *b, pid_t pid, const char *name, struct problem *p);
/*
 * For checkpoints (standing.c). A peer is named as in struct broker_peers.
 *
 * The peer is this process, and what that starts; other processes below the peer's are not looked at. was:
 * what it was before; 0: this is said for the first time.
 */
void broker_watch(struct broker *b, pid_t peer, pid_t was, pid_t now);
/* The same of several at once, those of peers that are one group with it included; was 0: it is one more. */
void broker_watch_all(struct broker *b, pid_t peer, const pid_t *was, const pid_t *now, u32 n);
/*
 * To be called when a peer is asked (held false), and when it has answered: time may stand still until
 * then. pass: the program under test has slept, and the peer's clock moves on; false: it can't be moved.
 */
void broker_set_hold(struct broker *b, void (*hold)(void *self, pid_t peer, bool held),
		     bool (*pass)(void *self, pid_t peer, u64 ns), void *self);
/* The connections of a peer that it has accepted and nobody has closed, oldest first; returns how many. */
u32 broker_connections(struct broker *b, pid_t peer, u32 *conn, u32 cap);
/* Our end; -1: there is no such connection. */
int broker_fd(struct broker *b, u32 conn);
/* The connection goes on at this descriptor: the peer was brought back to where it was. */
void broker_replace(struct broker *b, u32 conn, int fd);
/* This peer is about to be ended for good: what was learnt about its processes goes. */
void broker_forget(struct broker *b, pid_t pid);
/* Close everything. */
void broker_free(struct broker *b);

#endif
