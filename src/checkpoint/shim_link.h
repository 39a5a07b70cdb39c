/*
 * shim_link.h: the controller's end of the shim (shim/shim.h): the socket at which peers with the shim
 * report, and a link to each of them.
 */
#ifndef HEDDLE_CHECKPOINT_SHIM_LINK_H
#define HEDDLE_CHECKPOINT_SHIM_LINK_H

#include <sys/types.h>

#include "checkpoint/checkpoint.h"

struct shim_host;
struct shim_link;

/* NULL: the shim does not work here; why in words. */
struct shim_host *shim_host_create(u64 start_chance, char *why, size_t cap);
void shim_host_free(struct shim_host *h);
/* What the shell is to do before a peer's command; to be freed. For peer_options. */
char *shim_host_wrap(void *host);
/* The process below this keeper that has reported; NULL: none has, or several. */
struct shim_link *shim_host_find(struct shim_host *h, pid_t keeper);
/* If the program of l has called exec, l leads to the new one. */
void shim_host_refresh(struct shim_host *h, struct shim_link *l, pid_t keeper);
/* A program that the peer ran and that has ended: what it did still counts. NULL: no more. */
struct shim_link *shim_host_left(struct shim_host *h, pid_t keeper);
/* One more process below this keeper that has reported and runs; NULL: there is none. */
struct shim_link *shim_host_next(struct shim_host *h, pid_t keeper);
/* l may be NULL. */
void shim_link_close(struct shim_link *l);
pid_t shim_link_process(const struct shim_link *l);
/* Its clock moves on by so much. False: it does not answer. */
bool shim_link_pass(const struct shim_link *l, u64 ns);

#endif
