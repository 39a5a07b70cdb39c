/*
 * shim_link_priv.h: inside of a link, for the backend that speaks over it.
 */
#ifndef HEDDLE_CHECKPOINT_SHIM_LINK_PRIV_H
#define HEDDLE_CHECKPOINT_SHIM_LINK_PRIV_H

#include "checkpoint/shim_link.h"
#include "shim/shim.h"

/* The page of one program: after an exec there is another one, and a saved process goes on with its own. */
struct shim_counts {
	u32 uses;
	struct shim_page *page;
};

struct shim_link {
	struct shim_link *next;
	struct shim_host *host; /* who knows it, by its number; may be NULL */
	struct shim_link *known_next;
	int fd; /* of the process that runs */
	pid_t pid;
	pid_t first;  /* its relatives know it by this number */
	pid_t keeper; /* by its own account: it may have ended before anybody looks */
	bool forked;  /* by another one that has the shim, whose counts it shares */
	struct shim_counts *counts;
};

struct shim_counts *shim_counts_keep(struct shim_counts *c);
void shim_counts_release(struct shim_counts *c);
/* Whoever it forks will name it as its parent. */
void shim_link_know(struct shim_link *l, struct shim_host *host);
/* The process that runs counts there. */
void shim_link_count_in(struct shim_link *l, struct shim_counts *c);
/* Has the other side gone? By an exec, for instance: then the new program has reported, too. */
bool shim_link_is_open(const struct shim_link *l);

/* Is everything here that peers need to start with the shim? library: where it is. */
bool shim_works(char *library, size_t size, char *why, size_t cap);
/* One packet. 0 or -errno; -EPIPE: the other side has gone. */
int shim_receive(int fd, struct shim_message *m, int *passed, u32 cap, u32 *n);
int shim_send(int fd, const struct shim_message *m, const int *pass, u32 n);

#endif
