/*
 * user.c: may the SUT read or write these bytes? For system calls, which fail with EFAULT where a load or
 * store of the program would fault, and for the handler of faults.
 *
 * Memory in the ranges for mappings is described by vk->maps. Everything else was there at the start, or
 * belongs to a fiber (stack, heap): all of what is tracked can be read and written, the rest (code,
 * constants) can be read; but the program may have taken rights away by mprotect: vk->guards.
 */
#include <linux/mman.h>

#include "runtime/vkernel/mapping/mappings.h"

#define LOWEST_USER 0x10000u
#define HIGHEST_USER 0x7ffffffff000u

/* ---- guards: sorted, apart, without neighbours that agree ---- */

static struct vk_guards *guards(void)
{
	return &vk->guards;
}

static void guard_insert(u64 i, struct vk_map new)
{
	struct vk_guards *g = guards();
	memmove(&g->map[i + 1], &g->map[i], (g->count - i) * sizeof(new));
	g->map[i] = new;
	g->count++;
}

static void guard_delete(u64 i)
{
	struct vk_guards *g = guards();
	g->count--;
	memmove(&g->map[i], &g->map[i + 1], (g->count - i) * sizeof(g->map[0]));
	g->map[g->count] = (struct vk_map){0};
}

static void guard_cut(u64 start, u64 end)
{
	struct vk_guards *g = guards();
	for (u64 i = 0; i < g->count;) {
		struct vk_map old = g->map[i];
		if (old.end <= start || old.start >= end) {
			i++;
			continue;
		}
		guard_delete(i);
		if (old.start < start)
			guard_insert(i++, (struct vk_map){old.start, start, old.prot, 0});
		if (old.end > end)
			guard_insert(i++, (struct vk_map){end, old.end, old.prot, 0});
	}
}

bool guards_set(u64 start, u64 end, u32 prot)
{
	struct vk_guards *g = guards();
	vk_declare(VK_GUARDS, ACCESS_WRITE);
	if (g->count + 2 > VK_MAX_GUARDS)
		return false;
	guard_cut(start, end);
	if ((prot & PROT_WRITE) && !(prot & PROT_UNMAPPED))
		return true;
	u64 i = 0;
	while (i < g->count && g->map[i].start < start)
		i++;
	if (i < g->count && g->map[i].start == end && g->map[i].prot == prot) {
		end = g->map[i].end;
		guard_delete(i);
	}
	if (i > 0 && g->map[i - 1].end == start && g->map[i - 1].prot == prot) {
		start = g->map[i - 1].start;
		guard_delete(--i);
	}
	guard_insert(i, (struct vk_map){start, end, prot, 0});
	return true;
}

bool guards_unmapped(u64 start, u64 end)
{
	const struct vk_guards *g = guards();
	for (u64 i = 0; i < g->count; i++)
		if ((g->map[i].prot & PROT_UNMAPPED) && g->map[i].start < end && g->map[i].end > start)
			return true;
	return false;
}

/* The guard that address lies in, or the next above; NULL: none. */
static const struct vk_map *guard_at(u64 address)
{
	const struct vk_guards *g = guards();
	for (u64 i = 0; i < g->count; i++)
		if (g->map[i].end > address)
			return &g->map[i];
	return NULL;
}

/* ---- rights ---- */

int vk_mem_prot(u64 address)
{
	int range = maps_range(address);
	const struct vk_map *m = range < 0 ? guard_at(address) : maps_at((u32)range, address);
	return m && m->start <= address ? (int)(m->prot & ~PROT_OF_FILE) : -1;
}

static bool allows(u32 prot, bool write)
{
	if (prot & (PROT_BEYOND | PROT_UNMAPPED))
		return false;
	return prot & (write ? PROT_WRITE : PROT_READ | PROT_WRITE | PROT_EXEC);
}

static size_t mapped_prefix(u32 range, u64 at, u64 end, bool write)
{
	u64 from = at;
	while (at < end) {
		const struct vk_map *m = maps_at(range, at);
		if (!m || m->start > at || !allows(m->prot, write))
			break;
		at = m->end;
	}
	return HD_MIN(at, end) - from;
}

static size_t guarded_prefix(u64 at, u64 end, bool write)
{
	u64 from = at;
	while (at < end) {
		const struct vk_map *g = guard_at(at);
		if (!g || g->start >= end)
			return end - from;
		if (!allows(g->prot, write))
			return HD_MAX(g->start, at) - from;
		at = g->end;
	}
	return end - from;
}

/*
 * Code and constants: they stay where they are, so what the host said about a page holds for good. (Not part
 * of the state: the answer is the same in all of them.)
 */
static bool is_constant_memory(u64 address)
{
	static u64 known[64];
	u64 page = address & ~HD_PAGE_MASK;
	u64 *slot = &known[page / HD_PAGE % HD_ARRAY_LEN(known)];
	u8 answer;
	if (*slot == page)
		return true;
	if (sys_call3(__NR_mincore, (long)page, HD_PAGE, (long)&answer))
		return false;
	*slot = page;
	return true;
}

static size_t start_prefix(u64 at, u64 end, bool write)
{
	u64 from = at;
	if (at >= LAYOUT_STACK_BASE && end <= LAYOUT_MMAP_BASE)
		return end - at;
	for (; at < end; at = (at & ~HD_PAGE_MASK) + HD_PAGE)
		if (!track_covers(at) && ((write && track_started()) || !is_constant_memory(at)))
			break;
	return at > from ? HD_MIN(at, end) - from : 0;
}

size_t vk_user_prefix(u64 address, size_t n, bool write)
{
	if (address < LOWEST_USER || address >= HIGHEST_USER)
		return 0;
	u64 end = address + HD_MIN(n, HIGHEST_USER - address);
	int range = maps_range(address);
	if (range >= 0)
		return mapped_prefix((u32)range, address, end, write);
	size_t there = start_prefix(address, end, write);
	return hd_unlikely(guards()->count) ? guarded_prefix(address, address + there, write) : there;
}

bool vk_user_ok(u64 address, size_t n)
{
	return vk_user_prefix(address, HD_MAX(n, (size_t)1), false) >= n && vk_user_prefix(address, 1, false);
}

bool vk_user_out_ok(u64 address, size_t n)
{
	return vk_user_prefix(address, HD_MAX(n, (size_t)1), true) >= n && vk_user_prefix(address, 1, true);
}

void vk_user_use(struct vk_call *c, u64 address)
{
	int range = maps_range(address);
	u64 object = range < 0 ? VK_GUARDS : vk_rights_object((u32)range);
	if (c->watch) /* a step comes anyway, and looks then */
		vk_touch(NULL, object, ACCESS_READ);
	else
		vk_use(c, object, ACCESS_READ);
}
