/*
 * network.h: what surrounds a search on the controller's side: the peers, the broker, and the
 * requests of the runtime in between.
 */
#ifndef HEDDLE_SESSION_NETWORK_H
#define HEDDLE_SESSION_NETWORK_H

#include "broker/broker.h"
#include "launch/sut.h"
#include "peer/peer.h"
#include "session/saver.h"

struct network {
	bool (*interrupted)(void);
	struct peers *peers; /* NULL: recorded trees take their place */
	struct broker *broker;
	struct saver *saver; /* NULL: peers are not saved */
	bool gave_up;        /* after ^C a peer was not waited for: the search could not go on */
};

/* A network without live peers. */
void network_none(struct network *n);
/*
 * Start the peers and wait until the servers are ready. On failure nothing runs and *n needs no
 * network_end. checkpoint: NULL: peers are not saved. c: which are (save_all, peers).
 */
int network_start(struct network *n, const struct peer_options *peers, const struct broker_options *broker,
		  const struct checkpoint_options *checkpoint, const struct net_config *c, struct problem *p);
/* What was learnt about checkpoints, if there are any. */
void network_report(struct network *n, struct outcome_checkpoints *o);
/* The runtime has rung: do what it asks. */
void network_serve(struct network *n, struct sut *s);
/* Peers that run now. */
u64 network_peers(const struct network *n);
/* When it returns, no peer is left. */
void network_end(struct network *n);

#endif
