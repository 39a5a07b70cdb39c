/*
 * tree.c: the peers' processes, one struct for each peer however many connections lead to it: what was learnt about its
 * threads holds for all of them.
 */
#include <stdlib.h>
#include <time.h>

#include "broker/broker_priv.h"

#define IDLE_MS 300 /* longer than any start of work needs to be seen asleep once */

struct tree *tree_of(struct broker *b, pid_t root)
{
	struct tree *t;

	for (t = b->trees; t; t = t->next)
		if (t->root == root && quiet_alive(t->q)) {
			t->uses++;
			return t;
		}
	t = calloc(1, sizeof(*t));
	hd_assert(t != NULL);
	*t = (struct tree){.next = b->trees, .root = root, .q = quiet_open(root), .uses = 1};
	b->trees = t;
	return t;
}

void tree_release(struct broker *b, struct tree *t)
{
	struct tree **at = &b->trees;

	if (!t || --t->uses)
		return;
	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	quiet_close(t->q);
	free(t);
}

int tree_idle(struct broker *b, struct tree *t)
{
	u64 start = broker_now_ms();
	enum quiet r;

	while (!(r = quiet_look(t->q, NULL, 0)) && broker_now_ms() - start < IDLE_MS &&
	       !broker_interrupted(b))
		nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
	if (r)
		return 0;
	if (!quiet_alive(t->q))
		return -1;
	quiet_learn(t->q);
	return 0;
}
