/*
 * saver.h: checkpoints for the broker, by the library that takes them (checkpoint/checkpoint.h), and what is
 * told about them in the end: which backend each peer has, why, and what it was seen to do.
 */
#ifndef HEDDLE_SESSION_SAVER_H
#define HEDDLE_SESSION_SAVER_H

#include "checkpoint/checkpoint.h"
#include "report/outcome_checkpoints.h"

struct saver {
	struct checkpoints *lib;
	struct peers *peers;
	struct broker_saver for_broker;
	char *(*wrap)(void *self); /* the library's: what the shell does before a command */
	void *wrap_self;
	bool prepared;          /* who is started now is to be saved */
	struct problem problem; /* why a peer could not be adopted */
	pid_t pid[NET_MAX_CONNS];
	u64 chances[NET_MAX_CONNS]; /* acts by chance so far, of each */
	u32 adopted;
	struct outcome_peer server[SAVER_PEERS], client[SAVER_PEERS];
};

/* Before the peers are started: they may start with a library of ours. NULL: *p. */
struct saver *saver_create(const struct checkpoint_options *o, bool all, struct peer_options *peers,
			   struct problem *p);
void saver_set_peers(struct saver *s, struct peers *peers, struct broker *b);
/* What there is to tell; all that is saved is given up. */
void saver_report(struct saver *s, struct outcome_checkpoints *o);
void saver_free(struct saver *s); /* may be NULL */

#endif
