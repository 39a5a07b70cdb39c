/*
 * checkpoint_priv.h: what the backends share.
 */
#ifndef HEDDLE_CHECKPOINT_PRIV_H
#define HEDDLE_CHECKPOINT_PRIV_H

#include "checkpoint/checkpoint.h"

struct saved_peer;

/* One saved state. */
struct saved {
	struct saved *next;
	u64 id;
	struct saved_peer *of;
	u32 connections;
	u64 bytes;
	void *own; /* the backend's */
};

/* A peer, as this module sees it. */
struct saved_peer {
	struct saved_peer *next;
	pid_t pid;     /* its keeper's */
	pid_t watched; /* the broker knows it by that process */
	const struct checkpoint_backend *backend;
	char reason[256];
	struct checkpoint_cost cost;
	struct shim_link *shim;    /* NULL: it runs without */
	struct shim_link *more;    /* further processes of it: members.h */
	struct shim_counts **page; /* all that they have counted in */
	u32 pages;
	struct saved_peer *joined; /* the next one that is saved together with it, and brought back */
	u64 acts_seen;
	u64 last_bytes; /* of its last copy */
	/* criu's: its first process, and our ends of its connections as they were last saved or made. */
	pid_t root;
	int *end;
	u32 ends;
};

/*
 * A backend. All return 0 or -errno with *p, in the sense of checkpoint.h.
 */
struct checkpoint_backend {
	const char *name;
	bool (*probe)(char *why, size_t cap);
	/* Can it hold this peer? False: why not. */
	bool (*fits)(struct checkpoints *s, struct saved_peer *t, char *why, size_t cap);
	int (*save)(struct checkpoints *s, struct saved_peer *t, const int *fd, u32 n, struct saved *out,
		    struct problem *p);
	int (*restore)(struct checkpoints *s, struct saved *v, int *fd, pid_t *now, struct problem *p);
	void (*drop)(struct checkpoints *s, struct saved *v);
	bool anywhere; /* saves a peer as it stands, not only at its start */
};

struct checkpoints {
	struct checkpoint_options options;
	struct peers *peers;
	struct broker *broker;
	struct saved_peer *peer;
	struct saved *saved;
	u64 last_id;
	struct checkpoint_cost gone; /* what peers that are forgotten have cost */
	struct shim_host *shim;      /* NULL: no peer starts with the shim */
	char no_shim[256];           /* why */
	char folder[128];            /* of criu's images and pipes; "": there is none */
};

extern const struct checkpoint_backend backend_fork, backend_criu, backend_restart;

#endif
