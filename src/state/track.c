/*
 * Tracked memory.
 *
 * Purpose: find what a transition changed, cheaply; put it back, exactly; and keep a
 * fingerprint of all of it.
 *
 * Strategy. A page is cold (write-protected) or hot (writable, with a shadow copy that
 * holds its bytes as of the last commit). A commit compares each hot page with its
 * shadow. In steady state the working set is hot and a transition makes no system call.
 * Pages that stay unchanged for long are protected again (track_commit.c, "Patience").
 *
 * The log holds, for each changed word, its place and (old xor new): applying an entry
 * twice is the identity, so the same bytes undo and redo. `commits` remembers for each
 * mark the top of the log and the fingerprint there.
 *
 * Invariants (checked by track_full_fingerprint in --sanity, and by the unit tests):
 *   T1  between commits, shadow(p) = bytes of p at the last commit or undo, for every page that has one;
 *   T2  a cold page has bytes = shadow (it can't have been written);
 *   T3  a page of a sparse region without a shadow is zero;
 *   T4  fingerprint = sum over all non-zero words of all regions, as of the last commit;
 *   T5  a cold page of a stack that lies wholly in its dead part is zero, unless noted in stack_old;
 *   T6  a shut page has no rights between transitions, so that whoever knows the truth is asked at its first
 *       use;
 *   T7  the zero_lines of a page are zero in its shadow. Lines leave the set when
 *   their words change, and come
 *       back when the page becomes hot.
 *
 * Given up:
 *   - a write into the dead part of another fiber's stack (a dangling pointer to a local) is neither logged
 *     nor undone; it can only be seen by a function that reads locals it never set;
 *   - the same for a write into another fiber's struct pthread, or into the room that its TLS block keeps for
 *     modules to come, as long as there are none;
 *   - writes by the kernel into SUT memory (the virtual kernel copies through buffers of its own);
 *   - executable pages are never protected against execution again.
 *
 * Files: track.c has regions and pages, track_commit.c the log, track_delta.c states as blobs.
 */
#include "state/track.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/sys.h"
#include "state/track_priv.h"

#define LOG_MAX (1UL << 33) /* words; virtual reservation only */
#define COMMITS_MAX (1UL << 31)
#define SHADOW_CHUNK 256

struct track track;

static struct {
	u64 *next;
	u32 left;
} shadows;

static struct pages_vec kept; /* track_remember: shadows by page number */

int track_setup(void)
{
	track.log_max = LOG_MAX;
	track.mark_max = COMMITS_MAX;
	track.log_place = pages_map(LOG_MAX * sizeof(*track.log_place));
	track.log_xor = pages_map(LOG_MAX * sizeof(*track.log_xor));
	track.commits = pages_map(COMMITS_MAX * sizeof(*track.commits));
	track.compare = compare_select();
	track.changes = fingerprint_select();
	return track.log_place && track.log_xor && track.commits ? 0 : -ENOMEM;
}

void track_limit(u64 words, u64 commits)
{
	track.log_max = HD_MIN(words, LOG_MAX);
	track.mark_max = HD_MIN(commits, COMMITS_MAX);
}

/* --- regions --- */

static u32 region_count(void)
{
	return (u32)(track.regions.len / sizeof(struct region));
}

static struct region *region_at(u32 number)
{
	return (struct region *)track.regions.data + number;
}

struct region *region_of(u64 address)
{
	for (u32 i = 0; i < region_count(); i++)
		if (address >= region_at(i)->start && address < region_at(i)->end)
			return region_at(i);
	return NULL;
}

static u64 stride_of_owners(u64 start)
{
	bool stacks = start >= LAYOUT_STACK_BASE &&
		      start < LAYOUT_STACK_BASE + LAYOUT_MAX_FIBERS * LAYOUT_STACK_STRIDE;
	return stacks ? LAYOUT_STACK_STRIDE : 0;
}

static int reserve(u64 start, u64 size, enum track_kind kind)
{
	if (kind == TRACK_DENSE)
		return 0;
	long p = sys_call6(SYS_mmap, (long)start, (long)size, kind == TRACK_HIDDEN ? PROT_NONE : PROT_READ,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	return sys_failed(p) ? (int)p : 0;
}

static int add_region(const struct region *new)
{
	struct region *r = pages_vec_push(&track.regions, sizeof(*r));
	if (!r)
		return -ENOMEM;
	*r = *new;
	r->page_of = pages_map((r->end - r->start) / HD_PAGE * sizeof(u32));
	int ret = r->page_of ? reserve(r->start, r->end - r->start, r->kind) : -ENOMEM;
	if (ret) {
		pages_unmap(r->page_of, (r->end - r->start) / HD_PAGE * sizeof(u32));
		track.regions.len -= sizeof(*r);
	}
	return ret;
}

int track_add(u64 start, u64 size, enum track_kind kind)
{
	return add_region(&(struct region){
		.start = start, .end = start + size, .owner_stride = stride_of_owners(start), .kind = kind});
}

int track_add_owned(u64 start, u64 stride, u32 slots)
{
	return add_region(&(struct region){
		.start = start, .end = start + stride * slots, .owner_stride = stride, .kind = TRACK_SPARSE});
}

bool track_covers(u64 address)
{
	return region_of(address) != NULL;
}

bool track_started(void)
{
	return track.started;
}

/* --- whose page it is --- */

/* Where an address lies in a page: the line it is in, or the end of the page. */
static u8 line_of(u64 address, u64 page)
{
	return address <= page ? 0 : (u8)HD_MIN((address - page) / COMPARE_LINE, (u64)COMPARE_LINES);
}

static u8 line_after(u64 address, u64 page)
{
	return line_of(address + COMPARE_LINE - 1, page);
}

/* Which lines of a fiber's page others may change while it waits. */
static void find_owner(struct page *p)
{
	const struct region *r = region_at(p->region);
	p->stack_to = p->tls_from = p->tls_to = 0;
	if (!r->owner_stride)
		return;
	bool stack = stride_of_owners(r->start);
	u64 base = stack ? LAYOUT_STACK_BASE : r->start;
	u64 slot = (p->address - base) / r->owner_stride;
	p->owner = (u32)slot + 1;
	if (!stack)
		return;
	const struct track_stacks *s = &track.stacks;
	u64 top = base + (slot + 1) * r->owner_stride;
	bool known = slot && !track.late_code;
	p->stack_to = line_after(known ? top - s->tls_bytes : top, p->address);
	if (known && top - s->tls_from < p->address + HD_PAGE && top - s->tls_to > p->address) {
		p->tls_from = line_of(top - s->tls_from, p->address);
		p->tls_to = line_after(top - s->tls_to, p->address);
	}
}

static void find_owners(void)
{
	for (u64 i = 0; i < track.stats.pages; i++)
		find_owner(page_at((u32)i));
}

void track_set_stacks(const struct track_stacks *s)
{
	track.stacks = *s;
	find_owners();
}

void track_new_stack(u32 slot)
{
	track.made_at[slot] = track.stats.commits;
	track.stack_made = true;
}

/*
 * A module that is loaded now finds room for its variables in every TLS block, and others may get pointers
 * there.
 */
static void code_comes(void)
{
	if (track.late_code)
		return;
	track.late_code = true;
	find_owners();
}

/* --- pages --- */

static int page_protect(const struct page *p, int prot)
{
	prot |= region_at(p->region)->extra_prot;
	return (int)sys_call3(SYS_mprotect, (long)p->address, HD_PAGE, prot);
}

static void find_zero_lines(struct page *p)
{
	p->zero_lines = ~track.compare->lines(p->shadow, NULL, COMPARE_ALL, COMPARE_ALL);
}

int page_heat(u32 number)
{
	struct page *p = page_at(number);
	int ret = page_protect(p, PROT_READ | PROT_WRITE);
	if (ret)
		return ret;
	struct hot_page *hot = pages_vec_push(&track.hot, sizeof(*hot));
	hd_assert(hot); /* page_register made room */
	*hot = (struct hot_page){number, is_stack(p) ? 0 : p->owner};
	p->hot_index = hot_count();
	p->idle = 0;
	find_zero_lines(p);
	track.shut_hot += p->shut;
	return 0;
}

void page_cool(u32 number)
{
	struct page *p = page_at(number);
	if (page_protect(p, p->shut ? PROT_NONE : PROT_READ))
		return; /* no mapping left for a change of rights: it stays hot */
	u32 at = p->hot_index - 1;
	struct hot_page last = hot_list()[hot_count() - 1];
	hot_list()[at] = last;
	page_at(last.number)->hot_index = at + 1;
	track.hot.len -= sizeof(last);
	p->hot_index = 0;
	p->cooled_at = track.stats.commits;
	track.shut_hot -= p->shut;
}

void page_heat_between(u32 number)
{
	if (hd_likely(!page_heat(number)))
		return;
	for (u32 i = hot_count(); i-- > 0;)
		page_cool(hot_list()[i].number);
	hd_assert(!page_heat(number));
}

void cool_shut_pages(void)
{
	for (u32 i = hot_count(); track.shut_hot && i-- > 0;)
		if (page_at(hot_list()[i].number)->shut)
			page_cool(hot_list()[i].number);
}

/* Shadows come in chunks: one mapping each would run into the kernel's limit on mappings. */
static u64 *shadow_new(void)
{
	if (!shadows.left) {
		shadows.next = pages_map(SHADOW_CHUNK * HD_PAGE);
		if (!shadows.next)
			return NULL;
		shadows.left = SHADOW_CHUNK;
	}
	u64 *shadow = shadows.next;
	shadows.next += PAGE_WORDS;
	shadows.left--;
	return shadow;
}

/* Whatever is known can be made hot: the list has room for it. */
static bool room_in_hot_list(void)
{
	size_t len = track.hot.len;
	bool ok = pages_vec_push(&track.hot, (track.stats.pages + 1) * sizeof(struct hot_page) - len) != NULL;
	track.hot.len = len;
	return ok;
}

/*
 * Ranges in which pages that are not known yet are shut. A full list means everything: that costs faults,
 * and is never wrong.
 */
static struct {
	u64 start, end;
} shut_range[64];
static u32 shut_ranges;

static bool is_in_shut_range(u64 start, u64 end)
{
	for (u32 i = 0; i < shut_ranges; i++)
		if (start >= shut_range[i].start && end <= shut_range[i].end)
			return true;
	return shut_ranges == HD_ARRAY_LEN(shut_range);
}

static void remember_shut_range(u64 start, u64 end)
{
	if (is_in_shut_range(start, end))
		return;
	shut_range[shut_ranges].start = start;
	shut_range[shut_ranges].end = end;
	shut_ranges++;
}

static long page_register(struct region *r, u64 address)
{
	if (track.stats.pages == PAGES_MAX || !room_in_hot_list())
		return -ENOMEM;
	u64 *shadow = shadow_new();
	struct page *p = shadow ? pages_vec_push(&track.pages, sizeof(*p)) : NULL;
	if (!p)
		return -ENOMEM;
	*p = (struct page){.address = address,
			   .shadow = shadow,
			   .patience = TRACK_PATIENCE_FIRST,
			   .shut = is_in_shut_range(address, address + HD_PAGE),
			   .region = (u32)(r - region_at(0))};
	find_owner(p);
	if (r->kind == TRACK_DENSE)
		memcpy(shadow, (void *)address, HD_PAGE); /* else both are zero: T3 */
	u32 number = (u32)(p - page_at(0));
	r->page_of[(address - r->start) / HD_PAGE] = number + 1;
	track.stats.pages++;
	return number;
}

long page_known(struct region *r, u64 address)
{
	u32 known = r->page_of[(address - r->start) / HD_PAGE];
	return known ? (long)known - 1 : page_register(r, address);
}

/* See track_commit.c, "Patience". */
static void page_came_back(struct page *p)
{
	u64 away = (track.stats.commits - p->cooled_at) * COMPARE_LINES;
	if (away < TRACK_FAULT_COST)
		p->patience = HD_MIN(p->patience * 2, TRACK_PATIENCE_MAX);
	else if (away > TRACK_FAULT_COST * 4)
		p->patience = HD_MAX(p->patience / 2, TRACK_PATIENCE_FIRST);
}

int track_fault(u64 address)
{
	address &= ~HD_PAGE_MASK;
	struct region *r = region_of(address);
	if (!r || (r->kind == TRACK_DENSE && !track.started))
		return 0;
	long number = page_known(r, address);
	if (number < 0) {
		track.full = true;
		return (int)number;
	}
	struct page *p = page_at((u32)number);
	bool was_hot = p->hot_index; /* track_protect had taken the right away */
	int ret = was_hot ? page_protect(p, PROT_READ | PROT_WRITE) : page_heat((u32)number);
	if (ret) {
		track.full = true;
		return ret;
	}
	if (!was_hot) {
		page_came_back(p);
		track.stats.faults++;
	}
	return 1;
}

u64 track_next_page(u64 from, u64 end)
{
	if (from == end)
		return end; /* perhaps that of the region */
	const struct region *r = region_of(from);
	hd_assert(r && end <= r->end);
	while (from < end && !r->page_of[(from - r->start) / HD_PAGE])
		from += HD_PAGE;
	return from;
}

static void shut_pages(const struct region *r, u64 from, u64 end)
{
	for (u64 a = from; (a = track_next_page(a, end)) < end; a += HD_PAGE) {
		struct page *p = page_at(r->page_of[(a - r->start) / HD_PAGE] - 1);
		track.shut_hot += !p->shut && p->hot_index;
		p->shut = true;
	}
}

int track_protect(u64 address, u64 size, int prot)
{
	struct region *r = region_of(address);
	if (!r || address + size > r->end)
		return -EINVAL;
	if (prot & PROT_EXEC) {
		r->extra_prot |= PROT_EXEC;
		code_comes();
	}
	if (prot & PROT_WRITE && !(prot & PROT_EXEC))
		return 0;
	for (u64 a = address; r->kind != TRACK_HIDDEN && a < address + size; a += HD_PAGE)
		if (page_known(r, a) < 0)
			return -ENOMEM;
	if (r->kind == TRACK_HIDDEN)
		remember_shut_range(address, address + size);
	shut_pages(r, address, address + size);
	return (int)sys_call3(SYS_mprotect, (long)address, (long)size, prot & ~PROT_WRITE);
}

/* --- the whole --- */

static void add_words(struct fingerprint *f, u64 address, u64 bytes)
{
	const u64 *w = (const u64 *)address;
	for (u64 i = 0; i < bytes / sizeof(*w); i++)
		if (w[i])
			fingerprint_change(f, address + i * sizeof(*w), 0, w[i]);
}

struct fingerprint track_full_fingerprint(void)
{
	struct fingerprint f = {0, 0};
	for (u32 i = 0; i < region_count(); i++)
		if (region_at(i)->kind == TRACK_DENSE)
			add_words(&f, region_at(i)->start, region_at(i)->end - region_at(i)->start);
	for (u64 i = 0; i < track.stats.pages; i++) {
		const struct page *p = page_at((u32)i);
		bool closed = p->shut && !p->hot_index;
		if (closed)
			page_protect(p, PROT_READ);
		if (region_at(p->region)->kind != TRACK_DENSE)
			add_words(&f, p->address, HD_PAGE);
		if (closed)
			page_protect(p, PROT_NONE);
	}
	return f;
}

void track_start(void)
{
	for (u32 i = 0; i < region_count(); i++) {
		struct region *r = region_at(i);
		if (r->kind == TRACK_DENSE)
			sys_call3(SYS_mprotect, (long)r->start, (long)(r->end - r->start), PROT_READ);
	}
	for (u64 i = 0; i < track.stats.pages; i++) {
		struct page *p = page_at((u32)i);
		memcpy(p->shadow, (void *)p->address, HD_PAGE);
		find_zero_lines(p);
	}
	track.started = true;
	track.fp = track_full_fingerprint();
	track.commits[0] = (struct commit){0, track.fp};
}

static void no_changes(struct fingerprint *f, u64 address, const u64 *now, const u32 *place, const u64 *diff,
		       u64 n)
{
	(void)f;
	(void)address;
	(void)now;
	(void)place;
	(void)diff;
	(void)n;
}

void track_forget_fingerprint(void)
{
	track.changes = no_changes;
}

struct fingerprint track_fingerprint(void)
{
	return track.fp;
}

void track_remember(void)
{
	pages_vec_free(&kept);
	for (u64 i = 0; i < track.stats.pages; i++) {
		void *to = pages_vec_push(&kept, HD_PAGE);
		if (!to)
			return;
		memcpy(to, page_at((u32)i)->shadow, HD_PAGE);
	}
}

bool track_first_difference(u64 *address, u64 *was, u64 *is)
{
	for (u64 i = 0; i < kept.len / sizeof(u64); i++) {
		const struct page *p = page_at((u32)(i / PAGE_WORDS));
		*address = p->address + i % PAGE_WORDS * sizeof(u64);
		*was = ((u64 *)kept.data)[i];
		*is = p->shadow[i % PAGE_WORDS];
		if (*was != *is)
			return true;
	}
	return false;
}

u64 track_memory(void)
{
	return track.log_top * 12 + track.mark * sizeof(struct commit) +
	       track.stats.pages * (HD_PAGE + sizeof(struct page));
}

bool track_full(void)
{
	return track.full;
}

const struct track_stats *track_get_stats(void)
{
	track.stats.hot = hot_count();
	return &track.stats;
}
