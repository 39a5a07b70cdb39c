/*
 * peer_procs.c: the peers' processes, one struct for each peer however many connections lead to it: what was
 * learnt about its threads holds for all of them.
 */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "broker/broker_priv.h"

#define IDLE_MS 300 /* longer than any start of work needs to be seen asleep once */

struct peer_procs *peer_procs_of(struct broker *b, pid_t root)
{
	for (struct peer_procs *t = b->peers_known; t; t = t->next)
		if (t->root == root && quiet_alive(t->q)) {
			t->uses++;
			return t;
		}
	struct peer_procs *t = calloc(1, sizeof(*t));
	hd_assert(t != NULL);
	*t = (struct peer_procs){.next = b->peers_known,
				 .group = ++b->last_group,
				 .root = root,
				 .q = quiet_open(root),
				 .uses = 1};
	return b->peers_known = t;
}

void peer_procs_release(struct broker *b, struct peer_procs *t)
{
	if (!t || --t->uses)
		return;
	struct peer_procs **at = &b->peers_known;
	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	quiet_close(t->q);
	free(t);
}

int peer_procs_wait_idle(struct broker *b, struct peer_procs *t)
{
	u64 start = monotonic_ms();
	enum quiet r;
	while (!(r = quiet_look(t->q, NULL, 0)) && monotonic_ms() - start < IDLE_MS && !broker_interrupted(b))
		nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
	if (r)
		return 0;
	if (!quiet_alive(t->q))
		return -ESRCH;
	quiet_learn(t->q);
	return 0;
}
