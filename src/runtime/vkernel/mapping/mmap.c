/*
 * mmap.c: the SUT's address space.
 *
 * Each fiber maps into a range of its own, lowest address first: addresses then depend on the
 * fiber's history alone. The ranges are tracked memory, always there, and zero where nothing is mapped:
 *   - mapping a file copies its bytes in (private; nobody else would see the writes);
 *   - unmapping zeroes what may have been written, and looks only at pages that were ever used,
 *     because a page that is never written is never part of the state; it takes all rights away;
 *   - protections other than read+write go to the tracker, which owns the real ones.
 * The program break is a mapping in the first fiber's range, at its end.
 * A shared mapping of a file that the program writes is the file itself: shared_file.c.
 * Given up: fixed addresses outside the ranges.
 */
#include <linux/mman.h>
#include <linux/resource.h>

#include "runtime/vkernel/mapping/mappings.h"

#define PROT_RW (PROT_READ | PROT_WRITE)

static void copy_written(u64 to, u64 from, u64 len)
{
	for (u64 at = from; (at = track_next_page(at, from + len)) < from + len; at += HD_PAGE)
		memcpy((void *)(to + (at - from)), (void *)at, HD_PAGE);
}

static void protect(u64 start, u64 end, u32 prot)
{
	track_protect(start, end - start, (int)prot);
}

/* Contents of [start, end) become zeros, nothing is allowed there. */
static void wipe(u32 range, u64 start, u64 end)
{
	for (struct vk_map *m; start < end && (m = maps_at(range, start)) && m->start < end; start = m->end) {
		u64 from = HD_MAX(start, m->start), to = HD_MIN(end, m->end);
		if (!m->touched)
			continue;
		maps_zero(from, to);
		protect(from, to, PROT_NONE);
	}
}

/* Linux would not fail here, nor so early. */
static long list_full(const struct vk_call *c)
{
	vk_refuse(c, "limit: more than 1024 mappings of one thread");
	return -ENOMEM;
}

static long unmap(const struct vk_call *c, u32 range, u64 start, u64 end)
{
	if (vk->maps[range].count + 1 > VK_MAX_MAPS)
		return list_full(c);
	wipe(range, start, end);
	maps_cut(range, start, end);
	return 0;
}

/* Length in whole pages; 0: too long. */
static u64 whole_pages(u64 len)
{
	return len > LAYOUT_MMAP_STRIDE ? 0 : HD_ROUND_UP(len, (u64)HD_PAGE);
}

/* How many of the bytes lie in pages that the file reaches into; the others can't be used. */
static u64 backed_by_file(const struct vk_desc *d, u64 offset, u64 len)
{
	u64 size = vk_file_size(d);
	return offset >= size ? 0 : HD_MIN(len, HD_ROUND_UP(size - offset, (u64)HD_PAGE));
}

static void fill_from_file(u64 start, u64 len, const struct vk_desc *d, u64 offset)
{
	const u8 *at;
	size_t n = vk_file_view(d, offset, &at);
	if (n)
		memcpy((void *)start, at, HD_MIN((u64)n, len));
}

/*
 * A shared mapping of a file that nobody writes is a private one. Should the SUT write the file later, the
 * copy would be wrong, and vk_copy_up says so. Remembered to the end: who maps a file shared and writes it
 * wants to see that.
 */
static void note_shared(const struct vk_call *c, u64 host)
{
	u64 *key = vk->mapped_shared;
	vk_declare(VK_SHARED_MAPS, ACCESS_ADD);
	for (u32 i = 0; i < VK_MAX_SHARED; i++) {
		if (key[i] == host)
			return;
		if (key[i] && key[i] < host)
			continue;
		u64 rest = key[i];
		key[i] = host;
		if (!rest)
			return;
		host = rest;
	}
	vk_refuse(c, "limit: more than 64 files mapped shared");
}

bool vk_mapped_shared(u64 host)
{
	for (u32 i = 0; i < VK_MAX_SHARED && vk->mapped_shared[i]; i++)
		if (vk->mapped_shared[i] == host)
			return true;
	return false;
}

static long check_file(struct vk_call *c, int fd, u32 prot, u32 flags, struct vk_desc **out)
{
	struct vk_desc *d = vk_fd_use(c, fd);
	bool shared = (flags & MAP_TYPE) != MAP_PRIVATE;
	if (!d)
		return -EBADF;
	if ((d->flags & O_ACCMODE) == O_WRONLY)
		return -EACCES;
	if (shared && (prot & PROT_WRITE) && (d->flags & O_ACCMODE) != O_RDWR)
		return -EACCES;
	if (d->kind == VK_DEVICE && d->sub == VK_DEVICE_ZERO)
		return 0;
	if (d->kind != VK_FILE)
		return -ENODEV;
	vk_file_use(c, d, ACCESS_READ, false);
	if (shared && !d->object)
		note_shared(c, d->host);
	*out = d;
	return 0;
}

/*
 * Memory that a step takes away and gives back was never gone for the others: their plain accesses are no
 * uses that we see, so nobody else would part the two calls. Who takes it away may be merged: if another
 * fiber has a use for it, that fails in the states behind the step.
 */
static void part_from_taking(struct vk_call *c, u64 mapping, u64 rights)
{
	if (!sched_all_joined() && !c->stepped && footprint_writes(access_footprint(), rights))
		vk_order(c, mapping, ACCESS_WRITE);
}

/*
 * Which addresses are free depends on who maps and unmaps in this range: others may unmap what this fiber has
 * mapped.
 */
static void use_range(struct vk_call *c, u32 range)
{
	part_from_taking(c, vk_mapping_object(range), vk_rights_object(range));
	vk_use(c, vk_mapping_object(range), ACCESS_WRITE);
}

/*
 * Every plain load and store can tell that memory goes, or gets other rights, and nobody declares those. What
 * a fiber has mapped itself is its own business, as with free(): who else uses it then races with it, and
 * that is for the eye (search/eye.h) to see.
 */
static void declare_rights_change(void)
{
	vk_declare(thread_alone_object(sched_self_slot()), ACCESS_READ);
	if (!sched_alone())
		vk_declare(WORLD_OBJECT, ACCESS_WRITE);
}

/* The same where memory goes, or gets other rights: calls that use it can tell. */
static HD_NOINLINE bool change_shows(struct vk_call *c, u32 range, u64 start, u64 len)
{
	if (range != sched_self_slot())
		declare_rights_change();
	else
		access_declare(start, (u32)HD_MIN(len, (u64)UINT32_MAX), ACCESS_WRITE);
	bool seen = vk_touch(c, vk_mapping_object(range), ACCESS_WRITE);
	return seen | vk_touch(c, vk_rights_object(range), ACCESS_WRITE);
}

static void change_range(struct vk_call *c, u32 range, u64 start, u64 len)
{
	part_from_taking(c, vk_mapping_object(range), vk_rights_object(range));
	if (!change_shows(c, range, start, len))
		return;
	vk_order(c, vk_mapping_object(range), ACCESS_WRITE);
	change_shows(c, range, start, len);
}

/* A place for len bytes; fixed: make room there. Address or -errno. */
static long place(struct vk_call *c, u64 hint, u64 len, u32 flags)
{
	bool fixed = flags & (MAP_FIXED | MAP_FIXED_NOREPLACE);
	if (!fixed) {
		use_range(c, sched_self_slot());
		u64 at = maps_gap(sched_self_slot(), len);
		return at ? (long)at : -ENOMEM;
	}
	if (hint & HD_PAGE_MASK)
		return -EINVAL;
	int range = maps_range_of(hint, len);
	if (range < 0) {
		vk_refuse(c, "mmap (fixed address)");
		return -ENOMEM;
	}
	change_range(c, (u32)range, hint, len);
	struct vk_map *m = maps_at((u32)range, hint);
	if ((flags & MAP_FIXED_NOREPLACE) && m && m->start < hint + len)
		return -EEXIST;
	long err = unmap(c, (u32)range, hint, hint + len);
	return err ? err : (long)hint;
}

long vk_sys_mmap(struct vk_call *c)
{
	u64 len = whole_pages((u64)c->a[1]);
	u32 prot = (u32)c->a[2], flags = (u32)c->a[3], type = flags & MAP_TYPE;
	struct vk_desc *d = NULL;
	if (!c->a[1] || (c->a[5] & (long)HD_PAGE_MASK) || type < MAP_SHARED || type > MAP_SHARED_VALIDATE)
		return -EINVAL;
	if (!len)
		return -ENOMEM;
	vk_touch(NULL, VK_LIMITS, ACCESS_READ);
	if (len > vk_limit_soft(RLIMIT_AS)) {
		vk_refuse(c, "memory beyond RLIMIT_AS");
		return -ENOMEM;
	}
	long err = flags & MAP_ANONYMOUS ? 0 : check_file(c, (int)c->a[4], prot, flags, &d);
	if (err)
		return err;
	if (d && type != MAP_PRIVATE && d->object)
		return shared_file_map(c, d, (u64)c->a[5], len, prot, flags);
	long at = place(c, (u64)c->a[0], len, flags);
	if (at < 0)
		return at;
	u64 start = (u64)at;
	u64 there = d ? backed_by_file(d, (u64)c->a[5], len) : len;
	u32 range = (u32)maps_range(start);
	u32 of_file = d ? PROT_OF_FILE : 0;
	if (there && !maps_put(range, start, start + there, prot | of_file, prot != PROT_NONE || d))
		return list_full(c);
	if (there < len && !maps_put(range, start + there, start + len, prot | PROT_BEYOND | of_file, false))
		return list_full(c);
	if (d && there)
		fill_from_file(start, len, d, (u64)c->a[5]);
	if (prot != PROT_RW && there)
		protect(start, start + there, prot);
	if (there < len)
		protect(start + there, start + len, PROT_NONE);
	return at;
}

/* Of the program's variables and heap. Code is left out: the runtime could not give it back. */
static long unmap_start_memory(struct vk_call *c, u64 start, u64 end)
{
	part_from_taking(c, VK_GUARDS, VK_GUARDS);
	vk_use(c, VK_GUARDS, ACCESS_WRITE);
	declare_rights_change();
	if (!track_covers(start) || !track_covers(end - 1)) {
		vk_refuse(c, "munmap of code that was there at the start");
		return 0;
	}
	for (u64 at = start; at < end; at += HD_PAGE)
		maps_zero_page(at);
	long err = track_protect(start, end - start, PROT_NONE);
	if (err)
		return err;
	if (guards_set(start, end, PROT_UNMAPPED))
		return 0;
	vk_refuse(c, "limit: more than 256 pieces of memory with rights of their own");
	return -ENOMEM;
}

long vk_sys_munmap(struct vk_call *c)
{
	u64 start = (u64)c->a[0], len = whole_pages((u64)c->a[1]);
	if ((start & HD_PAGE_MASK) || !len)
		return -EINVAL;
	if (vk_is_file_data(start))
		return shared_file_unmap(c, start, len);
	int range = maps_range_of(start, len);
	if (range >= 0) {
		change_range(c, (u32)range, start, len);
		return unmap(c, (u32)range, start, start + len);
	}
	return unmap_start_memory(c, start, start + len);
}

static long change_protection(const struct vk_call *c, u32 range, u64 start, u64 end, u32 prot)
{
	if (!maps_full(range, start, end))
		return -ENOMEM;
	if (vk->maps[range].count + 3 > VK_MAX_MAPS)
		return list_full(c);
	while (start < end) {
		struct vk_map old = *maps_at(range, start);
		u64 to = HD_MIN(end, old.end);
		u32 beyond = old.prot & PROT_BEYOND, of_file = old.prot & PROT_OF_FILE;
		maps_cut(range, start, to);
		maps_put(range, start, to, prot | beyond | of_file,
			 old.touched || (prot != PROT_NONE && !beyond));
		if (old.prot != (prot | beyond | of_file))
			protect(start, to, beyond ? PROT_NONE : prot);
		start = to;
	}
	return 0;
}

/* Of the program's variables, stacks and heap. */
static long protect_start_memory(struct vk_call *c, u64 start, u64 end, u32 prot)
{
	part_from_taking(c, VK_GUARDS, VK_GUARDS);
	vk_use(c, VK_GUARDS, ACCESS_WRITE);
	declare_rights_change();
	if (vk_user_prefix(start, 1, false) == 0 && vk_mem_prot(start) < 0)
		return -ENOMEM;
	long err = track_protect(start, end - start, (int)prot);
	if (err)
		return err;
	if (guards_set(start, end, prot))
		return 0;
	vk_refuse(c, "limit: more than 256 pieces of memory with rights of their own");
	return -ENOMEM;
}

long vk_sys_mprotect(struct vk_call *c)
{
	u64 start = (u64)c->a[0], len = whole_pages((u64)c->a[1]);
	u32 prot = (u32)c->a[2] & (PROT_RW | PROT_EXEC);
	if (start & HD_PAGE_MASK)
		return -EINVAL;
	if (!len)
		return c->a[1] ? -ENOMEM : 0;
	if (vk_is_file_data(start)) {
		if (prot != PROT_RW)
			vk_refuse(c, "mprotect of a shared mapping of a file");
		return 0;
	}
	int range = maps_range_of(start, len);
	if (range < 0)
		return protect_start_memory(c, start, start + len, prot);
	change_range(c, (u32)range, start, len);
	return change_protection(c, (u32)range, start, start + len, prot);
}

/* ---- growing, moving ---- */

/* A piece of one mapping, where it is to be, and whether the old place stays, empty. */
struct remapping {
	u32 range, to_range;
	u64 start, old, to, new;
	bool keeps;
};

static long move_mapping(const struct vk_call *c, const struct remapping *v)
{
	struct vk_map m = *maps_at(v->range, v->start);
	u64 n = HD_MIN(v->old, v->new);
	if (!maps_put(v->to_range, v->to, v->to + v->new, m.prot, true))
		return list_full(c);
	if (m.touched) /* whatever the program may do there: the runtime may */
		copy_written(v->to, v->start, n);
	if (m.prot != PROT_RW)
		protect(v->to, v->to + v->new, m.prot);
	if (!v->keeps) {
		long err = unmap(c, v->range, v->start, v->start + v->old);
		return err ? err : (long)v->to;
	}
	if (m.touched) {
		maps_zero(v->start, v->start + v->old);
		protect(v->start, v->start + v->old, m.prot);
	}
	return (long)v->to;
}

static bool room_behind(u32 range, u64 end, u64 more)
{
	struct vk_map *next = maps_at(range, end);
	return end <= maps_limit(range) && (next ? next->start : maps_limit(range)) - end >= more;
}

/* Where it is. */
static long grow_mapping(const struct vk_call *c, const struct remapping *v)
{
	struct vk_map m = *maps_at(v->range, v->start);
	if (!maps_put(v->range, m.end, v->start + v->new, m.prot, m.touched))
		return list_full(c);
	if (m.prot != PROT_RW)
		protect(v->start + v->old, v->start + v->new, m.prot);
	return (long)v->start;
}

static long check_mremap(struct vk_call *c, const struct remapping *v, u64 flags)
{
	const u64 known = MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP;
	if ((flags & ~known) || ((flags & (MREMAP_FIXED | MREMAP_DONTUNMAP)) && !(flags & MREMAP_MAYMOVE)) ||
	    (v->keeps && v->old != v->new) || (v->start & HD_PAGE_MASK) || !v->new)
		return -EINVAL;
	if ((flags & MREMAP_FIXED) &&
	    ((v->to & HD_PAGE_MASK) || (v->to < v->start + v->old && v->start < v->to + v->new)))
		return -EINVAL;
	if (v->old && maps_range_of(v->start, v->old) >= 0 &&
	    (!(flags & MREMAP_FIXED) || maps_range_of(v->to, v->new) >= 0))
		return 0;
	vk_refuse(c, "mremap (duplicating, or of memory that was there at the start)");
	return -EINVAL;
}

/* Linux gives the target away first, and what is left over at the end of the old place. */
static long make_room(struct vk_call *c, struct remapping *v, bool fixed)
{
	long at = fixed ? place(c, v->to, v->new, MAP_FIXED) : 0;
	if (at < 0)
		return at;
	change_range(c, v->range, v->start, v->old);
	if (v->new < v->old) {
		long err = unmap(c, v->range, v->start + v->new, v->start + v->old);
		if (err)
			return err;
		v->old = v->new;
	}
	const struct vk_map *m = maps_at(v->range, v->start);
	return m && m->start <= v->start && m->end >= v->start + v->old ? 0 : -EFAULT;
}

long vk_sys_mremap(struct vk_call *c)
{
	u64 flags = (u64)c->a[3];
	struct remapping v = {.start = (u64)c->a[0],
			      .old = whole_pages((u64)c->a[1]),
			      .new = whole_pages((u64)c->a[2]),
			      .to = (u64)c->a[4],
			      .keeps = flags &MREMAP_DONTUNMAP};
	bool fixed = flags & MREMAP_FIXED;
	long err = check_mremap(c, &v, flags);
	if (err)
		return err;
	v.range = (u32)maps_range(v.start);
	if (!fixed && !v.keeps && v.new > v.old)
		use_range(c, sched_self_slot()); /* where there is room */
	err = make_room(c, &v, fixed);
	if (err)
		return err;
	const struct vk_map *m = maps_at(v.range, v.start);
	if (m->prot & PROT_OF_FILE && (v.keeps || v.new > v.old)) {
		vk_refuse(c, "mremap (more of a mapped file)");
		return -ENOMEM;
	}
	if (!fixed && !v.keeps) {
		if (v.new <= v.old)
			return (long)v.start;
		if (m->end == v.start + v.old && room_behind(v.range, m->end, v.new - v.old))
			return grow_mapping(c, &v);
		if (!(flags & MREMAP_MAYMOVE))
			return -ENOMEM;
	}
	v.to_range = fixed ? (u32)maps_range(v.to) : sched_self_slot();
	if (!fixed) {
		use_range(c, v.to_range);
		v.to = maps_gap(v.to_range, v.new);
	}
	return v.to ? move_mapping(c, &v) : -ENOMEM;
}

/*
 * ---- the program break: whole pages are mapped; what lies behind it in the last one stays, as in Linux ----
 */

static bool move_break(const struct vk_call *c, u64 from, u64 to)
{
	from = HD_ROUND_UP(from, (u64)HD_PAGE);
	to = HD_ROUND_UP(to, (u64)HD_PAGE);
	if (to <= from)
		return to == from || unmap(c, 0, to, from) == 0;
	const struct vk_map *next = maps_at(0, from);
	return (!next || next->start >= to) && maps_put(0, from, to, PROT_RW, true);
}

long vk_sys_brk(struct vk_call *c)
{
	u64 want = (u64)c->a[0];
	vk_use(c, VK_BREAK, want ? ACCESS_WRITE : ACCESS_READ);
	u64 now = vk->brk ? vk->brk : MAPS_BREAK;
	if (want && want < now)
		declare_rights_change();
	if (want < MAPS_BREAK || want > MAPS_BREAK + MAPS_BREAK_ROOM || !move_break(c, now, want))
		return (long)now;
	vk->brk = want == MAPS_BREAK ? 0 : want;
	return (long)want;
}
