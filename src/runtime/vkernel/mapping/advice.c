/*
 * advice.c: calls on memory that have nothing to do here, but tell whether it is mapped: madvise, msync,
 * mlock, mincore. One piece of advice changes memory.
 */
#include <linux/mman.h>

#include "runtime/vkernel/mapping/mappings.h"

/* What was there at the start the host knows, but for what the program has unmapped since. */
static bool host_has(u64 start, u64 len)
{
	static u8 answer[HD_PAGE];
	const u64 most = HD_PAGE * (u64)HD_PAGE;
	for (u64 at = start; at < start + len; at += most) {
		u64 part = HD_MIN(most, start + len - at);
		if (sys_call3(__NR_mincore, (long)at, (long)part, (long)answer))
			return false;
	}
	return true;
}

/* Is all of it mapped? Others can unmap it, so that is a use. */
static bool is_mapped(struct vk_call *c, u64 start, u64 len)
{
	if (!len)
		return true;
	int range = maps_range_of(start, len);
	vk_use(c, range < 0 ? VK_GUARDS : vk_mapping_object((u32)range), ACCESS_READ);
	if (range >= 0)
		return maps_full((u32)range, start, start + len);
	return !guards_unmapped(start, start + len) && host_has(start, len);
}

/* Whole pages around [start, start + len); false: it goes beyond the end of memory. */
static bool whole_pages(u64 *start, u64 *len)
{
	u64 end = *start + *len + HD_PAGE_MASK;
	if (end < *start)
		return false;
	end &= ~(u64)HD_PAGE_MASK;
	*start &= ~(u64)HD_PAGE_MASK;
	*len = end - *start;
	return true;
}

/* The pages are as they were when they were mapped. */
static long forget(struct vk_call *c, u64 start, u64 end)
{
	int range = maps_range_of(start, end - start);
	if (range < 0) {
		vk_refuse(c, "madvise(MADV_DONTNEED) on memory that was there at the start");
		return -EINVAL;
	}
	for (u64 at = start; at < end;) {
		const struct vk_map *m = maps_at((u32)range, at);
		u64 to = HD_MIN(end, m->end);
		if (m->touched && (m->prot & PROT_OF_FILE)) {
			vk_refuse(c, "madvise(MADV_DONTNEED) on a mapped file");
			return -EINVAL;
		}
		if (m->touched)
			maps_zero(at, to);
		at = to;
	}
	return 0;
}

long vk_sys_madvise(struct vk_call *c)
{
	u64 start = (u64)c->a[0], len = (u64)c->a[1];
	if ((start & HD_PAGE_MASK) || !whole_pages(&start, &len))
		return -EINVAL;
	if (!is_mapped(c, start, len))
		return -ENOMEM;
	return c->a[2] == MADV_DONTNEED && len ? forget(c, start, start + len) : 0;
}

long vk_sys_msync(struct vk_call *c)
{
	u64 start = (u64)c->a[0], len = (u64)c->a[1], flags = (u64)c->a[2];
	if ((start & HD_PAGE_MASK) || (flags & ~(u64)(MS_ASYNC | MS_INVALIDATE | MS_SYNC)) ||
	    ((flags & MS_ASYNC) && (flags & MS_SYNC)))
		return -EINVAL;
	return whole_pages(&start, &len) && is_mapped(c, start, len) ? 0 : -ENOMEM;
}

/* Memory is never swapped out, so locking it changes nothing; so it is for munlock. */
long vk_sys_mlock(struct vk_call *c)
{
	u64 start = (u64)c->a[0], len = (u64)c->a[1];
	if (!whole_pages(&start, &len))
		return -EINVAL;
	return is_mapped(c, start, len) ? 0 : -ENOMEM;
}

/* Which pages are in memory: all that are mapped. */
long vk_sys_mincore(struct vk_call *c)
{
	u64 start = (u64)c->a[0], len = (u64)c->a[1];
	if (start & HD_PAGE_MASK)
		return -EINVAL;
	if (!whole_pages(&start, &len) || !is_mapped(c, start, len))
		return -ENOMEM;
	if (!vk_user_out_ok((u64)c->a[2], len / HD_PAGE))
		return -EFAULT;
	memset(vk_user(c->a[2]), 1, len / HD_PAGE);
	return 0;
}
