/*
 * peer_priv.h: the running peers, as the files of this folder see them.
 */
#ifndef HEDDLE_PEER_PEER_PRIV_H
#define HEDDLE_PEER_PEER_PRIV_H

#include "peer/peer.h"
#include "peer/places.h"
#include "peer/warden.h"

/*
 * One running (or ended) peer. Several may be of the same client: each physical connection has a process of
 * its own.
 */
struct peer {
	pid_t pid;  /* its keeper; 0: slot unused */
	u32 client; /* from 1; 0: it is a server */
	u32 server;
	u32 set;      /* of a server: server_set.id */
	u64 log_from; /* its words in the log begin here */
	bool ended;
	int status;
};

/* Who was found listening where. */
struct served {
	struct net_address at;
	pid_t pid;
};

/* server_sets.c */
#define SERVER_SETS 8u /* at a time */
struct server_set {
	u32 id;           /* 0: free */
	bool taken;       /* server_set_take has given it to somebody */
	bool independent; /* it was connected to without that */
	struct places places;
};

struct peers {
	struct peer_options options;
	struct broker_peers for_broker;
	struct warden warden; /* pid 0: not needed */
	struct places places; /* of the first set of servers */
	struct server_set set[SERVER_SETS];
	u32 last_set;
	struct peer *peer;
	size_t slots;
	struct served served[16];
	size_t served_count;
	u32 *starts; /* of servers, then of clients */
};

/* server_sets.c: the ports of all sets may be taken by others. */
void server_sets_release(struct peers *s);
/* peer.c. The one with this keeper; NULL: none. */
struct peer *peer_find(const struct peers *s, pid_t pid);
/* Start a command; its keeper, or -1. */
pid_t peer_start(struct peers *s, u32 server, u32 client, const char *command, struct problem *p);

/* server_sets.c: as struct broker_peers has them. */
int server_set_take(void *self, struct broker *b, u32 *set, struct problem *p);
void server_set_end(void *self, struct broker *b, u32 set);
u32 server_set_pids(void *self, u32 set, pid_t *out, u32 room);
void server_set_place(void *self, u32 set, const struct net_address *to, struct net_address *physical);

/* commands.c: the commands, filled in; to be freed. n from 1. NULL: *p. */
char *server_command(const struct peers *s, struct server_set *t, u32 n, struct problem *p);
char *client_command(const struct peers *s, u32 n, const struct net_address *physical, struct problem *p);

/*
 * peer_log.c: opened for appending; *from: where new words begin. `start` counts from 1: the first empties
 * it.
 */
int peer_log_open(const struct peers *s, const struct peer *e, u32 start, u64 *from, struct problem *p);
/* The last line that is not empty. */
void peer_log_last_words(const struct peers *s, const struct peer *e, char *out, size_t cap);

#endif
