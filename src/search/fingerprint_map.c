#include "search/fingerprint_map.h"

#include "base/pages.h"

#define FIRST_SLOTS 1024u

struct fingerprint_slot {
	struct fingerprint fp;
	u32 value; /* 0: free */
};

/* The slot that holds fp, or the free one where it would go. */
static u64 slot_of(const struct fingerprint_map *m, struct fingerprint fp)
{
	u64 h = fp.lo & m->mask;
	while (m->slots[h].value && (m->slots[h].fp.lo != fp.lo || m->slots[h].fp.hi != fp.hi))
		h = (h + 1) & m->mask;
	return h;
}

static bool grow(struct fingerprint_map *m)
{
	u64 old = m->slots ? m->mask + 1 : 0, room = old ? old * 2 : FIRST_SLOTS;
	struct fingerprint_map fresh = {pages_map(room * sizeof(*fresh.slots)), room - 1, m->count};
	if (!fresh.slots)
		return false;
	for (u64 i = 0; i < old; i++)
		if (m->slots[i].value)
			fresh.slots[slot_of(&fresh, m->slots[i].fp)] = m->slots[i];
	if (m->slots)
		pages_unmap(m->slots, old * sizeof(*m->slots));
	*m = fresh;
	return true;
}

bool fingerprint_map_begin(struct fingerprint_map *m)
{
	return m->slots || grow(m);
}

bool fingerprint_map_put(struct fingerprint_map *m, struct fingerprint fp, u32 value)
{
	if ((!m->slots || m->count * 2 > m->mask) && !grow(m))
		return false;
	struct fingerprint_slot *s = &m->slots[slot_of(m, fp)];
	m->count += !s->value;
	*s = (struct fingerprint_slot){fp, value};
	return true;
}

u32 fingerprint_map_get(const struct fingerprint_map *m, struct fingerprint fp)
{
	return m->slots ? m->slots[slot_of(m, fp)].value : 0;
}

/* Linear probing without tombstones: what lies behind the gap moves up if its home allows. */
void fingerprint_map_remove(struct fingerprint_map *m, struct fingerprint fp)
{
	if (!fingerprint_map_get(m, fp))
		return;
	u64 gap = slot_of(m, fp);
	m->count--;
	for (u64 h = (gap + 1) & m->mask; m->slots[h].value; h = (h + 1) & m->mask) {
		u64 home = m->slots[h].fp.lo & m->mask;
		if (((h - home) & m->mask) < ((h - gap) & m->mask))
			continue;
		m->slots[gap] = m->slots[h];
		gap = h;
	}
	m->slots[gap] = (struct fingerprint_slot){0};
}

void fingerprint_map_free(struct fingerprint_map *m)
{
	if (m->slots)
		pages_unmap(m->slots, (m->mask + 1) * sizeof(*m->slots));
	*m = (struct fingerprint_map){0};
}

u64 fingerprint_map_bytes(const struct fingerprint_map *m)
{
	return m->slots ? (m->mask + 1) * sizeof(*m->slots) : 0;
}
