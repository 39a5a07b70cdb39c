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
	u64 log_from; /* its words in the log begin here */
	bool ended;
	int status;
};

/* Who was found listening where. */
struct served {
	struct net_address at;
	pid_t pid;
};

struct peers {
	struct peer_options options;
	struct broker_peers for_broker;
	struct warden warden; /* pid 0: not needed */
	struct places places;
	struct peer *peer;
	size_t slots;
	struct served served[16];
	size_t served_count;
	u32 *starts; /* of servers, then of clients */
};

/* commands.c: the commands, filled in; to be freed. n from 1. NULL: *p. */
char *server_command(struct peers *s, u32 n, struct problem *p);
char *client_command(const struct peers *s, u32 n, const struct net_address *physical, struct problem *p);

/*
 * peer_log.c: opened for appending; *from: where new words begin. `start` counts from 1: the first empties
 * it.
 */
int peer_log_open(const struct peers *s, const struct peer *e, u32 start, u64 *from, struct problem *p);
/* The last line that is not empty. */
void peer_log_last_words(const struct peers *s, const struct peer *e, char *out, size_t cap);

#endif
