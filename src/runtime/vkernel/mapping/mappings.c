#include "runtime/vkernel/mapping/mappings.h"

int maps_range(u64 address)
{
	if (address < LAYOUT_MMAP_BASE)
		return -1;
	u64 range = (address - LAYOUT_MMAP_BASE) / LAYOUT_MMAP_STRIDE;
	return range < LAYOUT_MAX_FIBERS ? (int)range : -1;
}

u64 maps_limit(u32 range)
{
	return range ? LAYOUT_MMAP_BASE + (range + 1) * LAYOUT_MMAP_STRIDE : MAPS_BREAK;
}

u64 maps_gap(u32 range, u64 len)
{
	const struct vk_maps *m = &vk->maps[range];
	u64 at = LAYOUT_MMAP_BASE + range * LAYOUT_MMAP_STRIDE, limit = maps_limit(range);
	for (u64 i = 0; i < m->count && m->map[i].start < limit; i++) {
		if (m->map[i].start - at >= len)
			return at;
		at = m->map[i].end;
	}
	return at < limit && limit - at >= len ? at : 0;
}

struct vk_map *maps_at(u32 range, u64 address)
{
	struct vk_maps *m = &vk->maps[range];
	for (u64 i = 0; i < m->count; i++)
		if (m->map[i].end > address)
			return &m->map[i];
	return NULL;
}

int maps_range_of(u64 start, u64 len)
{
	int range = maps_range(start);
	return range >= 0 && maps_range(start + len - 1) == range ? range : -1;
}

void maps_zero_page(u64 at)
{
	u64 *p = (u64 *)at;
	for (u32 i = 0; i < HD_PAGE / sizeof(*p); i++)
		if (p[i])
			p[i] = 0;
}

void maps_zero(u64 start, u64 end)
{
	for (u64 at = start; (at = track_next_page(at, end)) < end; at += HD_PAGE)
		maps_zero_page(at);
}

bool maps_full(u32 range, u64 start, u64 end)
{
	while (start < end) {
		struct vk_map *m = maps_at(range, start);
		if (!m || m->start > start)
			return false;
		start = m->end;
	}
	return true;
}

static void insert_at(struct vk_maps *m, u64 i, struct vk_map new)
{
	memmove(&m->map[i + 1], &m->map[i], (m->count - i) * sizeof(m->map[0]));
	m->map[i] = new;
	m->count++;
}

static void delete_at(struct vk_maps *m, u64 i)
{
	m->count--;
	memmove(&m->map[i], &m->map[i + 1], (m->count - i) * sizeof(m->map[0]));
	m->map[m->count] = (struct vk_map){0};
}

bool maps_cut(u32 range, u64 start, u64 end)
{
	struct vk_maps *m = &vk->maps[range];
	vk_declare(vk_mapping_object(range), ACCESS_WRITE);
	if (m->count + 1 > VK_MAX_MAPS)
		return false;
	for (u64 i = 0; i < m->count;) {
		struct vk_map old = m->map[i];
		if (old.end <= start || old.start >= end) {
			i++;
			continue;
		}
		delete_at(m, i);
		if (old.start < start)
			insert_at(m, i++, (struct vk_map){old.start, start, old.prot, old.touched});
		if (old.end > end)
			insert_at(m, i++, (struct vk_map){end, old.end, old.prot, old.touched});
	}
	return true;
}

static bool joins(const struct vk_map *a, const struct vk_map *b)
{
	return a->end == b->start && a->prot == b->prot && a->touched == b->touched;
}

bool maps_put(u32 range, u64 start, u64 end, u32 prot, bool touched)
{
	struct vk_maps *m = &vk->maps[range];
	vk_declare(vk_mapping_object(range), ACCESS_WRITE);
	if (m->count + 1 > VK_MAX_MAPS)
		return false;
	u64 i = 0;
	while (i < m->count && m->map[i].start < start)
		i++;
	insert_at(m, i, (struct vk_map){start, end, prot, touched});
	if (i + 1 < m->count && joins(&m->map[i], &m->map[i + 1])) {
		m->map[i].end = m->map[i + 1].end;
		delete_at(m, i + 1);
	}
	if (i > 0 && joins(&m->map[i - 1], &m->map[i])) {
		m->map[i - 1].end = m->map[i].end;
		delete_at(m, i);
	}
	return true;
}
