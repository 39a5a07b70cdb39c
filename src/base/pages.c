#include "base/pages.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/sys.h"

/*
 * All of it lies in one far range, so that the SUT's own mappings can be told from
 * ours in /proc/self/maps (the kernel merges neighbours), and so that our growth never
 * moves theirs. Addresses are not used twice: the range is larger than memory.
 */
static u64 next_address = PAGES_BASE;

static u64 range_size(size_t bytes)
{
	return HD_ROUND_UP(bytes, HD_PAGE) + HD_PAGE;
}

void *pages_map(size_t bytes)
{
	long p = sys_call6(SYS_mmap, (long)next_address, (long)HD_ROUND_UP(bytes, HD_PAGE),
			   PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (sys_failed(p))
		return NULL;
	next_address += range_size(bytes);
	return (void *)p;
}

void pages_unmap(void *p, size_t bytes)
{
	if (p)
		sys_call3(SYS_munmap, (long)p, (long)HD_ROUND_UP(bytes, HD_PAGE), 0);
}

void *pages_grow(void *p, size_t old_bytes, size_t new_bytes)
{
	if (!p)
		return pages_map(new_bytes);
	long q = sys_call6(SYS_mremap, (long)p, (long)HD_ROUND_UP(old_bytes, HD_PAGE),
			   (long)HD_ROUND_UP(new_bytes, HD_PAGE), MREMAP_MAYMOVE | MREMAP_FIXED,
			   (long)next_address, 0);
	if (sys_failed(q))
		return NULL;
	next_address += range_size(new_bytes);
	return (void *)q;
}

void *pages_vec_push(struct pages_vec *v, size_t n)
{
	if (v->len + n > v->cap) {
		size_t cap = HD_MAX(HD_MAX(v->cap * 2, (size_t)65536), HD_ROUND_UP(v->len + n, HD_PAGE));
		void *data = pages_grow(v->data, v->cap, cap);
		if (!data)
			return NULL;
		v->data = data;
		v->cap = cap;
	}
	void *at = v->data + v->len;
	v->len += n;
	return at;
}

void pages_vec_free(struct pages_vec *v)
{
	pages_unmap(v->data, v->cap);
	*v = (struct pages_vec){0};
}
