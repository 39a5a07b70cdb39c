/*
 * members.h: the processes of a peer that have the shim: the first one, and what it has forked or started.
 * They are saved and brought back together.
 */
#ifndef HEDDLE_CHECKPOINT_MEMBERS_H
#define HEDDLE_CHECKPOINT_MEMBERS_H

#include "checkpoint/checkpoint_priv.h"

#define MEMBERS 64u /* of all peers that are saved together */

/* Who has come, and who has gone? */
void members_gather(struct checkpoints *s, struct saved_peer *t);
/* Do all processes of it that run have the shim? False: which one has not. */
bool members_complete(const struct saved_peer *t, char *why, size_t cap);
/* Is this one of its processes? */
bool members_have(const struct saved_peer *t, pid_t pid);
/* Processes above that one, up to the keeper, that are none of them: the shell of its command. How many. */
u32 members_above(const struct saved_peer *t, pid_t member, pid_t *out, u32 cap);
u32 members_count(const struct saved_peer *t);
/* How many acts were counted that may be different in another run; the list of all. */
u64 members_acts(const struct saved_peer *t);
u32 members_list(const struct saved_peer *t, struct checkpoint_act *out, u32 cap);
/* Time stands still for them, or goes on. */
void members_hold(const struct saved_peer *t, bool held);
/* Their clocks move on by so much. False: not of all. */
bool members_pass(const struct saved_peer *t, u64 ns);
/* A process that was brought back is one of them. */
void members_add(struct saved_peer *t, int fd, pid_t pid, pid_t first, struct shim_counts *counts);
/* All but the first are let go. */
void members_drop(struct saved_peer *t);
void members_free(struct saved_peer *t);

#endif
