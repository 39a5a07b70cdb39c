/*
 * A cache of several processes. Trees and physical connections are the same to all of them, as a position
 * means the same to all: which of them has a connection opened, or moves one on, makes no more difference
 * than the order of a search does. What a state needs can always be had again by replaying.
 */
#include "cache_priv.h"

void cache_lock(struct cache *c)
{
	if (hd_likely(!c->several))
		return;
	hd_assert(!c->locked);
	if (c->sole)
		shared_lock_take(&c->common->network);
	shared_lock_take(&c->common->trees);
	c->locked = true;
}

void cache_lock_sole(struct cache *c)
{
	c->sole = true;
	cache_lock(c);
}

bool cache_unlock(struct cache *c, int err)
{
	if (hd_likely(!c->several))
		return false;
	hd_assert(c->locked);
	c->locked = false;
	shared_lock_free(&c->common->trees);
	if (c->sole)
		shared_lock_free(&c->common->network);
	c->sole = !c->sole && err == CACHE_SOLE;
	return c->sole;
}

void cache_wait(struct cache *c, bool waits)
{
	if (hd_likely(!c->several))
		return;
	hd_assert(c->locked && c->sole); /* only who may use the network waits for it */
	if (waits)
		shared_lock_free(&c->common->trees);
	else
		shared_lock_take(&c->common->trees);
}
