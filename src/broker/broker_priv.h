/*
 * broker_priv.h: what the files of the broker share: connections, the peers behind them, listeners for clients.
 */
#ifndef HEDDLE_BROKER_PRIV_H
#define HEDDLE_BROKER_PRIV_H

#include <sys/socket.h>

#include "broker/broker.h"
#include "broker/quiet.h"

#define SETTLE_MS 50          /* a peer that does not take what it was sent slept that long */
#define SETTLE_HABITS_MS 3000 /* … if it has threads that sleep now and then */
#define REPLY_MAX (1ull << 30)

/* A peer's processes. Several connections may lead to the same. */
struct tree {
	struct tree *next;
	pid_t root;
	struct quiet_peer *q;
	u32 uses;
};

struct bytes {
	u8 *data;
	size_t len, cap;
};

struct connection {
	u32 id;
	int fd;
	u32 client; /* number of the client peer; 0: we connected */
	pid_t pid;  /* of the client peer */
	struct net_address to;
	struct tree *tree; /* NULL: not a process of this machine that we may look into */
	bool framed;       /* datagrams */
	/* A client that sends datagrams: its address, as fd is not connected then. from_len 0: it is. */
	struct sockaddr_storage from;
	socklen_t from_len;
	bool another; /* … it has sent from a second address, too */
	bool polled;  /* the peer has been heard: whatever comes unasked is for somebody else's request */
	bool known;   /* tree has been checked to be the one that accepted */
	bool eof, reset;
	bool accepted, excused;
	u64 sent;
	struct bytes reply, unsent;
	size_t given; /* of the reply */
	size_t out;   /* of unsent */
	u32 answer;   /* flags behind the reply */
};

struct listener {
	struct listener *next;
	int fd;
	struct net_address sut, physical;
};

struct broker {
	struct broker_options options;
	struct broker_peers peers;
	struct connection *conn[NET_MAX_CONNS];
	struct tree *trees;
	struct listener *listeners;
	char folder[64]; /* of UNIX listeners; empty: none yet */
	u32 last_id;
	u32 keeps;
	u32 keep[NET_MAX_CONNS];
};

/* trouble.c: answers. Each returns the status. */
int trouble(struct wire_net *n, int status, const char *format, ...) HD_PRINTF(3, 4);
/* ", it ended with status 3; its last words: …" */
void trouble_add_end(struct broker *b, struct wire_net *n, pid_t pid, int status);
bool broker_interrupted(struct broker *b);
u64 broker_now_ms(void);

/* tree.c */
struct tree *tree_of(struct broker *b, pid_t root);
void tree_release(struct broker *b, struct tree *t);
/* It is idle: wait until it rests; if it does not, learn which threads never do. 0, or -1: it ended. */
int tree_idle(struct broker *b, struct tree *t);

/* connection.c */
struct connection *connection_find(struct broker *b, u32 id);
/* NULL: no room. */
struct connection *connection_add(struct broker *b, int fd, const struct net_address *to);
void connection_close(struct broker *b, struct connection *c);
/* It is in use, whatever the list of the last NET_OPEN says. */
void connection_keep(struct broker *b, const struct connection *c);
/* Close what the SUT does not use any more: of this peer (NULL: any), at most that many. Returns how many were closed. */
u32 connection_make_room(struct broker *b, const struct tree *t, const struct connection *but, u32 most);
const char *connection_text(const struct connection *c, char *out, size_t cap);

/* transfer.c */
/* Take what is there. False: nothing was. */
bool transfer_drain(struct connection *c);
/* Have datagrams of the peer been thrown away, for lack of room? */
bool transfer_lost(const struct connection *c);
/* Send all, taking the answer meanwhile. Returns the status. */
int transfer_send(struct broker *b, struct connection *c, struct wire_net *n);
void transfer_end(struct connection *c);
/* Hand over as much of the reply as fits. */
void transfer_deliver(struct connection *c, struct wire_net *n);
/* Sleep until something comes, or for *delay_us, which grows. */
void transfer_pause(const struct connection *c, short events, u32 *delay_us);
/* Wait for the peer to speak, for as long as a peer may take. */
void transfer_await(struct broker *b, const struct connection *c);

/* rest.c: wait until the peer has answered all it will. Returns the status. */
int rest_wait(struct broker *b, struct connection *c, struct wire_net *n);

/* server.c, client.c: NET_OPEN. */
int server_open(struct broker *b, struct wire_net *n);
int client_open(struct broker *b, struct wire_net *n);
/* Has a client peer knocked once more? Returns the status. */
int client_another(struct broker *b, struct wire_net *n);

/* listener.c */
struct listener *listener_for(struct broker *b, const struct net_address *sut, struct problem *p);
int listener_accept(const struct listener *l);
/* Datagrams: a socket for one client alone, at *physical. -1: *p says why. */
int listener_datagrams(struct broker *b, const struct net_address *sut, struct net_address *physical,
		       struct problem *p);
void listener_free_all(struct broker *b);

#endif
