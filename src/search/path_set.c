#include "search/path_set.h"

#include "base/pages.h"

#define FIRST_SLOTS 1024u

static bool is_free(const struct fingerprint *f)
{
	return !f->lo && !f->hi;
}

/* No key is zero. */
static struct fingerprint key_of(struct fingerprint fp)
{
	fp.hi += is_free(&fp);
	return fp;
}

/* The slot that holds fp, or the free one where it would go. */
static u64 slot_of(const struct path_set *p, struct fingerprint fp)
{
	u64 h = fp.lo & p->mask;
	while (!is_free(&p->slots[h]) && (p->slots[h].lo != fp.lo || p->slots[h].hi != fp.hi))
		h = (h + 1) & p->mask;
	return h;
}

static bool grow(struct path_set *p)
{
	u64 old = p->slots ? p->mask + 1 : 0, room = old ? old * 2 : FIRST_SLOTS;
	struct path_set fresh = {pages_map(room * sizeof(*fresh.slots)), room - 1, p->count};
	if (!fresh.slots)
		return false;
	for (u64 i = 0; i < old; i++)
		if (!is_free(&p->slots[i]))
			fresh.slots[slot_of(&fresh, p->slots[i])] = p->slots[i];
	if (p->slots)
		pages_unmap(p->slots, old * sizeof(*p->slots));
	*p = fresh;
	return true;
}

bool path_set_add(struct path_set *p, struct fingerprint fp)
{
	if ((!p->slots || p->count * 2 > p->mask) && !grow(p))
		return false;
	fp = key_of(fp);
	u64 h = slot_of(p, fp);
	p->count += is_free(&p->slots[h]);
	p->slots[h] = fp;
	return true;
}

/* Linear probing without tombstones: what lies behind the gap moves up if its home allows. */
void path_set_remove(struct path_set *p, struct fingerprint fp)
{
	if (!p->slots)
		return;
	u64 gap = slot_of(p, key_of(fp));
	if (is_free(&p->slots[gap]))
		return;
	p->count--;
	for (u64 h = (gap + 1) & p->mask; !is_free(&p->slots[h]); h = (h + 1) & p->mask) {
		u64 home = p->slots[h].lo & p->mask;
		if (((h - home) & p->mask) < ((h - gap) & p->mask))
			continue;
		p->slots[gap] = p->slots[h];
		gap = h;
	}
	p->slots[gap] = (struct fingerprint){0, 0};
}

bool path_set_has(const struct path_set *p, struct fingerprint fp)
{
	return p->slots && !is_free(&p->slots[slot_of(p, key_of(fp))]);
}

void path_set_free(struct path_set *p)
{
	if (p->slots)
		pages_unmap(p->slots, (p->mask + 1) * sizeof(*p->slots));
	*p = (struct path_set){0};
}

u64 path_set_bytes(const struct path_set *p)
{
	return p->slots ? (p->mask + 1) * sizeof(*p->slots) : 0;
}
