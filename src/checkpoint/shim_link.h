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
struct shim_host *shim_host_create(char *why, size_t cap);
void shim_host_free(struct shim_host *h);
/* What the shell is to do before a peer's command; to be freed. For peer_options. */
char *shim_host_wrap(void *host);
/* The process below this keeper that has reported; NULL: none has, or several. */
struct shim_link *shim_host_find(struct shim_host *h, pid_t keeper);
/* If the program of l has called exec, l leads to the new one; what was counted stays. */
void shim_host_refresh(struct shim_host *h, struct shim_link *l, pid_t keeper);
/* l may be NULL. */
void shim_link_close(struct shim_link *l);
pid_t shim_link_process(const struct shim_link *l);
/* How many acts were counted that may be different in another run. */
u64 shim_link_acts(const struct shim_link *l);
u32 shim_link_list(const struct shim_link *l, struct checkpoint_act *out, u32 cap);
/* Time stands still for it, or goes on. */
void shim_link_hold(const struct shim_link *l, bool held);
/* Its clock moves on by so much, and those of what it has started. False: not of all. */
bool shim_link_pass(const struct shim_link *l, u64 ns);

#endif
