/*
 * criu.h: what the backend criu needs around it: a shell below each peer's keeper, which brings it back.
 */
#ifndef HEDDLE_CHECKPOINT_CRIU_H
#define HEDDLE_CHECKPOINT_CRIU_H

#include <sys/types.h>

struct checkpoints;
struct saved_peer;

/* What the shell of a peer's command is to do first; to be freed. folder: of pipes and images. */
char *criu_wrap(const char *folder);
/* The peer has ended, or is not to be saved any more. */
void criu_forget(const struct checkpoints *s, struct saved_peer *t);
/* The first process of the peer; 0: it is not known. */
pid_t criu_process(const struct saved_peer *t);

#endif
