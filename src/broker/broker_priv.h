/*
 * broker_priv.h: what the files of the broker share: connections, the peers behind them, listeners for
 * clients.
 */
#ifndef HEDDLE_BROKER_PRIV_H
#define HEDDLE_BROKER_PRIV_H

#include <sys/socket.h>

#include "broker/broker.h"
#include "broker/quiet.h"

#define SETTLE_MS 50            /* a peer that does not take what it was sent slept that long */
#define SETTLE_AGAIN_MS 2       /* … and did so the last time */
#define SETTLE_PERIODIC_MS 3000 /* … if it has threads that sleep periodically */
#define REPLY_MAX (1ull << 30)

/* A peer's processes. Several connections may lead to the same. */
struct peer_procs {
	struct peer_procs *next;
	u32 group; /* its number in answers, never used for another */
	pid_t root;
	struct quiet_peer *q;
	u32 uses;
	bool server; /* started by us, to be connected to */
	u32 opened;  /* connections to it, ever */
};

struct bytes {
	u8 *data;
	size_t len, cap;
};

struct connection {
	struct connection *next;
	u32 id;
	int fd;
	u32 client; /* number of the client peer; 0: we connected */
	pid_t pid;  /* of the client peer */
	struct net_address to;
	struct peer_procs *procs; /* NULL: not a process of this machine that we may look into */
	bool framed;              /* datagrams */
	/* A client that sends datagrams: its address, as fd is not connected then. from_len 0: it is. */
	struct sockaddr_storage from;
	socklen_t from_len;
	int next_fd;  /* a client that has closed its side: the connection that it opened then; -1: none */
	bool another; /* … it has sent from a second address, too */
	bool polled;  /* the peer has been heard: whatever comes unasked is for somebody else's request */
	bool owner_known; /* procs has been checked to be the one that accepted */
	bool eof, reset;
	bool accepted, excused;
	bool unread; /* the peer did not take what it was sent the last time */
	u64 sent;
	u64 asked; /* of them, when the peer was last waited for */
	struct bytes reply, unsent;
	struct bytes early; /* what a server was sent on it before it had accepted it */
	size_t given;       /* of the reply */
	size_t out;         /* of unsent */
	u32 answer;         /* flags behind the reply */
	/* joint_client.c, joint_server.c */
	bool joint;                     /* all connections of a client, or to a set of servers; fd is -1 */
	u32 set;                        /* … of those; 0: of a client */
	u16 refused[NET_JOINT_MAX + 1]; /* errno of those that were refused, until that is told */
	struct connection *whole;       /* it is one of those; NULL: not */
	u32 number;    /* among them, 0: not told of yet; of the whole: how many were told of */
	bool closing;  /* the SUT has closed it */
	bool ended;    /* our writing side was shut down */
	bool told;     /* to a server: that it is there */
	bool unserved; /* the peer rests, and has not taken it from its backlog */
	bool eof_told, reset_told;
};

struct client_listener {
	struct client_listener *next;
	int fd, fd6; /* fd6: at the same port of ::1; -1: not */
	struct net_address sut, physical;
};

struct broker {
	struct broker_options options;
	struct broker_peers peers;
	struct connection *connections;
	u32 connection_count, last_id;
	struct peer_procs *peers_known;
	u32 last_group, server_count;
	struct client_listener *listeners;
	const struct broker_saver *saver; /* NULL: there are no checkpoints */
	struct saved_talk *saved;
	char folder[64];                       /* of UNIX listeners; empty: none yet */
	bool long_alarms[NET_MAX_CLIENTS + 1]; /* learnt of a client's processes, for those to come */
	void (*hold)(void *self, pid_t peer, bool held); /* NULL: nobody cares */
	bool (*pass)(void *self, pid_t peer, u64 ns);    /* its clock moves on; false: it can't be told */
	void *hold_self;
	u64 slept_ms; /* so that time passes for peers that can't be told */
};

/*
 * Functions that answer a request return its status: 0, -errno for the SUT, or one of enum net_error, with
 * the reason in n->text. All others that can fail return -errno.
 */

/* reply_error.c. Each returns the status. */
int reply_error(struct wire_net *n, int status, const char *format, ...) HD_PRINTF(3, 4);
/* There is no room (table or descriptors) for one more connection. */
int reply_full(struct wire_net *n);
/* Append ", it ended with status 3; its last words: …". */
void reply_add_exit(struct broker *b, struct wire_net *n, pid_t pid, int status);
bool broker_interrupted(struct broker *b);

/* peer_procs.c */
struct peer_procs *peer_procs_of(struct broker *b, pid_t root);
void peer_procs_release(struct broker *b, struct peer_procs *t);
/* It is idle: wait until it rests; if it does not, learn which threads never do. -ESRCH: it ended. */
int peer_procs_wait_idle(struct broker *b, struct peer_procs *t);

/* connection.c: the connections there are. They end by NET_CLOSE alone. */
struct connection *connection_find(struct broker *b, u32 id);
/* NULL: no room. */
struct connection *connection_add(struct broker *b, int fd, const struct net_address *to);
void connection_prepare(struct connection *c); /* its descriptor's flags */
void connection_close(struct broker *b, struct connection *c);
const char *connection_text(const struct connection *c, char *out, size_t cap);

/* transfer.c */
/* Take what is there. False: nothing was. */
bool transfer_drain(struct connection *c);
/* Have datagrams of the peer been thrown away, for lack of room? */
bool transfer_lost(const struct connection *c);
/* Room for so many more bytes, where they are to be put. */
u8 *transfer_room(struct bytes *s, size_t more);
/* Send all, taking the answer meanwhile. Returns the status. */
int transfer_send_bytes(struct broker *b, struct connection *c, const u8 *data, size_t len,
			struct wire_net *n);
int transfer_send(struct broker *b, struct connection *c, struct wire_net *n);
void transfer_end(struct connection *c);
/* Hand over as much of the reply as fits. */
void transfer_deliver(struct connection *c, struct wire_net *n);
/* Sleep until something comes, or for *delay_us, which grows. */
void transfer_pause(const struct connection *c, short events, u32 *delay_us);
/* Wait for the peer to speak, for as long as a peer may take. */
void transfer_await(struct broker *b, const struct connection *c);

/* joint_client.c: clients with several connections at a time. `whole` stands for all of them. */
/* The first of its connections, from c on; NULL: there is none. */
struct connection *joint_next(struct connection *c, const struct connection *whole);
/* The client has opened one more. False: there is no room, and it is closed. */
bool joint_adopt(struct broker *b, struct connection *whole, int fd);
/* What the request says, to each of them. Returns the status. */
int joint_send(struct broker *b, struct connection *whole, struct wire_net *n);
/* Take what is there. False: nothing was. */
bool joint_drain(struct broker *b, const struct connection *whole);
/* As transfer_await. */
void joint_await(struct broker *b, const struct connection *whole);
/* What was said, as symbols, is the reply of the whole. Returns the status. */
int joint_collect(struct broker *b, struct connection *whole, struct wire_net *n);
void joint_close(struct broker *b, const struct connection *whole);

/* The bytes of the symbols that have come so far, and were not told yet. */
u64 joint_heard(struct broker *b, const struct connection *whole);

/* joint_server.c: all connections to server peers. */
int joint_server_open(struct broker *b, struct wire_net *n);
/* The SUT connects, and its connection has this number. at: the address, len bytes of symbols. */
int joint_server_connect(struct broker *b, struct connection *whole, u32 number, const u8 *at, u64 len,
			 struct wire_net *n);
/* As joint_collect, and has a server ended in bad order? */
int joint_server_collect(struct broker *b, struct connection *whole, struct wire_net *n);
void joint_server_end(struct broker *b, u32 set);
/* What c said, as symbols, behind the reply of the whole; and two bytes there. */
void joint_tell(struct connection *whole, struct connection *c);
void joint_put_symbol(struct bytes *to, u8 first, u8 second);
struct connection *joint_part(struct broker *b, const struct connection *whole, u32 number);

/* saved_talk.c: checkpoints. */
struct saved_talk;
int saved_talk_save(struct broker *b, struct connection *c, struct wire_net *n);
int saved_talk_restore(struct broker *b, struct wire_net *n);
void saved_talk_drop(struct broker *b, u64 id);
/* The peer of c is about to be ended. */
void saved_talk_forget(struct broker *b, const struct connection *c);
void saved_talk_free_all(struct broker *b);
/* What it has done since the last call: NET_ACTED, NET_CHOSE. */
u32 saved_talk_acted(struct broker *b, const struct connection *c);

/* quiesce.c: wait until the peer has answered all it will. Returns the status. */
int quiesce(struct broker *b, struct connection *c, struct wire_net *n);

/* server.c, client.c: NET_OPEN. */
int server_open(struct broker *b, struct wire_net *n);
/* A descriptor connected to a server of the set of `whole`. Returns the status. */
int server_dial(struct broker *b, const struct connection *whole, const struct net_address *to,
		struct wire_net *n, int *fd);
int client_open(struct broker *b, struct wire_net *n, bool joint);
/*
 * c was closed by the peer. If that is a server that has ended, other connections can't have the same answer:
 * returns the status, with the reason. 0: it lives, or ended as its only connection did.
 */
int server_check_alive(struct broker *b, const struct connection *c, struct wire_net *n);
/*
 * NET_NEXT: the client of c has been told that its connection is closed; c becomes its next one, n->conn is
 * set. n->conn 0: it opens no more.
 */
int client_next(struct broker *b, struct connection *c, struct wire_net *n);
/*
 * Has a client peer connected once more? asked: the connection of the last exchange. Returns the status.
 * *adopted: a joint client has, and is to be heard there, too.
 */
int client_another(struct broker *b, struct connection *asked, struct wire_net *n, bool *adopted);
/* A client was ended: connections of its that nobody has taken yet go with it. */
void client_drop_stale(struct broker *b);

/* standing.c: time goes on, or stands still, for all peers that this one may ask. */
void standing_hold(struct broker *b, const struct connection *c, bool held);
/* NET_JOINT_CLOCK: time passes for the servers. */
int standing_pass(struct broker *b, const struct connection *whole, u64 ns, struct wire_net *n);

/* client_listener.c. -errno: *p says why. */
int client_listener_for(struct broker *b, const struct net_address *sut, struct client_listener **out,
			struct problem *p);
/* A descriptor, or -errno. */
int client_listener_accept(const struct client_listener *l);
/* Has somebody connected whom nobody has accepted yet? */
bool client_listener_pending(const struct broker *b);
/* Datagrams: a socket for one client alone, at *physical. A descriptor, or -errno. */
int client_listener_datagrams(struct broker *b, const struct net_address *sut, struct net_address *physical,
			      struct problem *p);
void client_listener_free_all(struct broker *b);

#endif
