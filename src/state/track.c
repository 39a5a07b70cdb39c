/*
 * Tracked memory.
 *
 * Purpose: find what a transition changed, cheaply; put it back, exactly; and keep a
 * fingerprint of all of it.
 *
 * Strategy. A page is cold (write-protected) or hot (writable, with a shadow copy that
 * holds its bytes as of the last commit). A commit compares each hot page with its
 * shadow. In steady state the working set is hot and a transition makes no system call.
 * Pages that stay unchanged for `patience` commits are protected again; each further
 * fault doubles a page's patience, so that pages which come and go stay hot.
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
 *   T6  a shut page has no rights between transitions, so that whoever knows the truth is asked at its first use;
 *   T5  a cold page of a stack that lies wholly in its dead part is zero, unless noted in stack_old.
 *
 * Given up: a write into the dead part of another fiber's stack (a dangling pointer to a local) is neither logged nor
 * undone; it can only be seen by a function that reads locals it never set. Writes by the kernel into SUT memory (the virtual kernel copies through
 * buffers of its own), and executable pages are never protected against execution again.
 */
#include "state/track.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/pages.h"
#include "base/sys.h"
#include "state/compare.h"
#include "state/fingerprint.h"
#include "wire/layout.h"

void *memcpy(void *to, const void *from, size_t n);
void *memset(void *to, int c, size_t n);

#define MAX_REGIONS 512
#define LOG_MAX (1UL << 33) /* words; virtual reservation only */
#define COMMITS_MAX (1UL << 31)
#define PATIENCE_FIRST 16
#define PATIENCE_MAX 16384
#define SHADOW_CHUNK 256
#define CROWD 192 /* more hot pages than this: lose patience sooner */

struct page {
	u64 address;
	u64 *shadow;
	u32 idle, patience;
	u32 hot_index; /* position in hot[], +1; 0 = cold */
	u32 region;
	bool shut; /* track_protect took rights away once: T6 */
};

struct region {
	u64 start, end;
	enum track_kind kind;
	int extra_prot; /* PROT_EXEC where the SUT asked for it */
	u32 *page_of;   /* page number + 1 by position in the region */
};

struct commit {
	u64 log_top;
	struct fingerprint fp;
};

static struct {
	struct region region[MAX_REGIONS];
	u32 regions;
	bool started;
	struct pages_vec pages; /* struct page */
	struct pages_vec hot;   /* u32 page numbers */
	u32 shut_hot;           /* how many of them are shut pages */
	u32 *log_place;         /* page << 9 | word */
	u64 *log_xor;
	u64 log_top;
	struct commit *commits;
	u64 mark;
	struct fingerprint fp;
	struct track_stats stats;
	struct pages_vec kept; /* track_remember: shadows by page number */
	compare_fn compare;
	u64 *shadow_next;
	u32 shadow_left;
	struct track_stacks stacks;
	u64 made_at[LAYOUT_MAX_FIBERS]; /* number of the commit whose transition made the stack */
	/* Lowest cold page of each stack that may hold old bytes; 0 = none. */
	u64 stack_old[LAYOUT_MAX_FIBERS];
} T;

static struct page *page_at(u32 number)
{
	return (struct page *)T.pages.data + number;
}

static u32 *hot_list(void)
{
	return (u32 *)T.hot.data;
}

static u32 hot_count(void)
{
	return (u32)(T.hot.len / sizeof(u32));
}

int track_setup(void)
{
	T.log_place = pages_map(LOG_MAX * sizeof *T.log_place);
	T.log_xor = pages_map(LOG_MAX * sizeof *T.log_xor);
	T.commits = pages_map(COMMITS_MAX * sizeof *T.commits);
	T.compare = compare_select();
	return T.log_place && T.log_xor && T.commits ? 0 : -12;
}

int track_add(u64 start, u64 size, enum track_kind kind)
{
	if (T.regions == MAX_REGIONS)
		return -12;
	struct region *r = &T.region[T.regions];
	*r = (struct region){start, start + size, kind, 0, pages_map(size / HD_PAGE * sizeof(u32))};
	if (!r->page_of)
		return -12;
	if (kind != TRACK_DENSE) {
		long p = sys_call6(SYS_mmap, (long)start, (long)size,
				   kind == TRACK_HIDDEN ? PROT_NONE : PROT_READ,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
		if (sys_failed(p))
			return (int)p;
	}
	T.regions++;
	return 0;
}

static struct region *region_of(u64 address)
{
	for (u32 i = 0; i < T.regions; i++)
		if (address >= T.region[i].start && address < T.region[i].end)
			return &T.region[i];
	return NULL;
}

bool track_covers(u64 address)
{
	return region_of(address) != NULL;
}

static void page_protect(const struct page *p, int prot)
{
	prot |= T.region[p->region].extra_prot;
	long r = sys_call3(SYS_mprotect, (long)p->address, HD_PAGE, prot);
	hd_assert(r == 0);
}

static void page_heat(u32 number)
{
	struct page *p = page_at(number);
	u32 *slot = pages_vec_push(&T.hot, sizeof *slot);
	hd_assert(slot);
	*slot = number;
	p->hot_index = hot_count();
	p->idle = 0;
	T.shut_hot += p->shut;
	page_protect(p, PROT_READ | PROT_WRITE);
}

static void page_cool(u32 number)
{
	struct page *p = page_at(number);
	u32 at = p->hot_index - 1, last = hot_list()[hot_count() - 1];
	hot_list()[at] = last;
	page_at(last)->hot_index = at + 1;
	T.hot.len -= sizeof(u32);
	p->hot_index = 0;
	T.shut_hot -= p->shut;
	page_protect(p, p->shut ? PROT_NONE : PROT_READ);
}

/* T6, after memory was put in order. */
static void cool_shut_pages(void)
{
	for (u32 i = hot_count(); T.shut_hot && i-- > 0;)
		if (page_at(hot_list()[i])->shut)
			page_cool(hot_list()[i]);
}

/* Shadows come in chunks: one mapping each would run into the kernel's limit on mappings. */
static u64 *shadow_new(void)
{
	if (!T.shadow_left) {
		T.shadow_next = pages_map(SHADOW_CHUNK * HD_PAGE);
		hd_assert(T.shadow_next);
		T.shadow_left = SHADOW_CHUNK;
	}
	u64 *shadow = T.shadow_next;
	T.shadow_next += HD_PAGE / sizeof *shadow;
	T.shadow_left--;
	return shadow;
}

static u32 page_register(struct region *r, u64 address)
{
	struct page *p = pages_vec_push(&T.pages, sizeof *p);
	u64 *shadow = shadow_new();
	hd_assert(p);
	*p = (struct page){address, shadow, 0, PATIENCE_FIRST / 2, 0, (u32)(r - T.region), false};
	if (r->kind == TRACK_DENSE)
		memcpy(shadow, (void *)address, HD_PAGE); /* else both are zero: T3 */
	u32 number = (u32)(p - (struct page *)T.pages.data);
	hd_assert(number < 1u << 23);
	r->page_of[(address - r->start) / HD_PAGE] = number + 1;
	T.stats.pages++;
	return number;
}

bool track_fault(u64 address)
{
	address &= ~HD_PAGE_MASK;
	struct region *r = region_of(address);
	if (!r || (r->kind == TRACK_DENSE && !T.started))
		return false;
	u32 known = r->page_of[(address - r->start) / HD_PAGE];
	u32 number = known ? known - 1 : page_register(r, address);
	struct page *p = page_at(number);
	if (p->hot_index) { /* track_protect had taken the right away */
		page_protect(p, PROT_READ | PROT_WRITE);
		return true;
	}
	if (p->patience < PATIENCE_MAX)
		p->patience *= 2;
	T.stats.faults++;
	page_heat(number);
	return true;
}

u64 track_next_page(u64 from, u64 end)
{
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
		T.shut_hot += !p->shut && p->hot_index;
		p->shut = true;
	}
}

int track_protect(u64 address, u64 size, int prot)
{
	struct region *r = region_of(address);
	if (!r || address + size > r->end)
		return -22;
	if (prot & PROT_EXEC)
		r->extra_prot |= PROT_EXEC;
	if (prot & PROT_WRITE && !(prot & PROT_EXEC))
		return 0;
	if (r->kind == TRACK_HIDDEN)
		shut_pages(r, address, address + size);
	return (int)sys_call3(SYS_mprotect, (long)address, (long)size, prot & ~PROT_WRITE);
}

static void add_words(struct fingerprint *f, u64 address, u64 bytes)
{
	const u64 *w = (const u64 *)address;
	for (u64 i = 0; i < bytes / sizeof *w; i++)
		if (w[i])
			fingerprint_change(f, address + i * sizeof *w, 0, w[i]);
}

struct fingerprint track_full_fingerprint(void)
{
	struct fingerprint f = {0, 0};
	for (u32 i = 0; i < T.regions; i++)
		if (T.region[i].kind == TRACK_DENSE)
			add_words(&f, T.region[i].start, T.region[i].end - T.region[i].start);
	for (u64 i = 0; i < T.stats.pages; i++) {
		const struct page *p = page_at((u32)i);
		bool closed = p->shut && !p->hot_index;
		if (closed)
			page_protect(p, PROT_READ);
		if (T.region[p->region].kind != TRACK_DENSE)
			add_words(&f, p->address, HD_PAGE);
		if (closed)
			page_protect(p, PROT_NONE);
	}
	return f;
}

void track_start(void)
{
	for (u32 i = 0; i < T.regions; i++) {
		struct region *r = &T.region[i];
		if (r->kind == TRACK_DENSE)
			sys_call3(SYS_mprotect, (long)r->start, (long)(r->end - r->start), PROT_READ);
	}
	for (u64 i = 0; i < T.stats.pages; i++)
		memcpy(page_at((u32)i)->shadow, (void *)page_at((u32)i)->address, HD_PAGE);
	T.started = true;
	T.fp = track_full_fingerprint();
	T.commits[0] = (struct commit){0, T.fp};
}

/* Log the changed words of one hot page. `diff` has a bit for each 128-byte line that differs. */
static void log_page(struct page *p, u32 number, u32 diff)
{
	u64 *now = (u64 *)p->address;
	while (diff) {
		u32 line = (u32)__builtin_ctz(diff);
		diff &= diff - 1;
		for (u32 w = line * 16; w < line * 16 + 16; w++) {
			u64 x = now[w] ^ p->shadow[w];
			if (!x)
				continue;
			T.log_place[T.log_top] = number << 9 | w;
			T.log_xor[T.log_top++] = x;
			fingerprint_change(&T.fp, p->address + w * 8, p->shadow[w], now[w]);
			p->shadow[w] = now[w];
		}
	}
	hd_assert(T.log_top < LOG_MAX - 512);
}

static bool in_stacks(u64 address)
{
	return address >= LAYOUT_STACK_BASE &&
	       address < LAYOUT_STACK_BASE + LAYOUT_MAX_FIBERS * LAYOUT_STACK_STRIDE;
}

static void note_cold_stack(const struct page *p)
{
	if (!in_stacks(p->address))
		return;
	u64 *old = &T.stack_old[(p->address - LAYOUT_STACK_BASE) / LAYOUT_STACK_STRIDE];
	if (!*old || p->address < *old)
		*old = p->address;
}

/* T5: cold pages of this stack that became dead are made hot, so that the commit zeroes them. */
static void heat_dead_pages(const struct track_stack *s)
{
	u64 old = T.stack_old[s->slot];
	if (!old || old >= s->live_from)
		return;
	struct region *r = region_of(old);
	for (u64 a = old; a < s->live_from; a += HD_PAGE) {
		u32 known = r->page_of[(a - r->start) / HD_PAGE];
		if (known && !page_at(known - 1)->hot_index)
			page_heat(known - 1);
	}
	T.stack_old[s->slot] = s->live_from & ~HD_PAGE_MASK;
}

static void zero_dead(const struct page *p, const struct track_stack *s)
{
	if (p->address < s->low || p->address >= s->live_from)
		return;
	memset((void *)p->address, 0, HD_MIN(s->live_from - p->address, (u64)HD_PAGE));
}

void track_set_stacks(const struct track_stacks *s)
{
	T.stacks = *s;
}

void track_new_stack(u32 slot)
{
	T.made_at[slot] = T.stats.commits;
}

struct lines {
	u32 from, to;
};

/*
 * Which lines of a stack page another fiber can have changed in a correct program: between the stack
 * pointer and the owner's private bytes. Most of the working set of a many-threaded program are such pages.
 */
static struct lines lines_of(const struct page *p, u32 running)
{
	struct lines all = {0, COMPARE_LINES}, none = {0, 0};
	bool unknown = running == LAYOUT_MAX_FIBERS || !T.stacks.sp_base;
	if (unknown || !in_stacks(p->address))
		return all;
	u32 slot = (u32)((p->address - LAYOUT_STACK_BASE) / LAYOUT_STACK_STRIDE);
	if (slot == running || T.made_at[slot] == T.stats.commits)
		return all;
	u64 low = LAYOUT_STACK_BASE + slot * LAYOUT_STACK_STRIDE, top = low + LAYOUT_STACK_STRIDE;
	u64 sp = *(u64 *)(T.stacks.sp_base + slot * T.stacks.sp_stride);
	if (!sp)
		return none;
	if (sp < low || sp >= top)
		return all; /* it switched to a stack of its own making */
	u64 from = sp <= p->address ? 0 : (sp - p->address) / COMPARE_LINE;
	u64 end = slot ? top - T.stacks.private_bytes : top;
	u64 to = end <= p->address ? 0 : (end - p->address + COMPARE_LINE - 1) / COMPARE_LINE;
	return (struct lines){(u32)HD_MIN(from, (u64)COMPARE_LINES), (u32)HD_MIN(to, (u64)COMPARE_LINES)};
}

u64 track_commit(const struct track_stack *dead)
{
	u32 running = dead ? dead->slot : LAYOUT_MAX_FIBERS;
	if (dead)
		heat_dead_pages(dead);
	u32 crowded = hot_count() > CROWD;
	for (u32 i = 0; i < hot_count(); i++) {
		u32 number = hot_list()[i];
		struct page *p = page_at(number);
		if (dead)
			zero_dead(p, dead);
		struct lines l = lines_of(p, running);
		u32 diff = T.compare((void *)p->address, p->shadow, l.from, l.to);
		if (diff) {
			p->idle = 0;
			log_page(p, number, diff);
		} else if (hd_unlikely(++p->idle > (crowded ? p->patience / 8 : p->patience))) {
			note_cold_stack(p);
			page_cool(number);
			i--; /* another page moved here */
		}
	}
	cool_shut_pages();
	T.stats.commits++;
	hd_assert(T.mark + 1 < COMMITS_MAX);
	T.commits[++T.mark] = (struct commit){T.log_top, T.fp};
	return T.mark;
}

u64 track_mark(void)
{
	return T.mark;
}

static void toggle(u32 place, u64 x)
{
	struct page *p = page_at(place >> 9);
	if (hd_unlikely(!p->hot_index))
		page_heat(place >> 9);
	((u64 *)p->address)[place & 511] ^= x;
	p->shadow[place & 511] ^= x;
}

void track_undo(u64 mark)
{
	hd_assert(mark <= T.mark);
	u64 down_to = T.commits[mark].log_top;
	while (T.log_top > down_to) {
		T.log_top--;
		toggle(T.log_place[T.log_top], T.log_xor[T.log_top]);
	}
	cool_shut_pages();
	T.mark = mark;
	T.fp = T.commits[mark].fp;
}

void track_forget(void)
{
	T.log_top = 0;
	T.mark = 0;
	T.commits[0] = (struct commit){0, T.fp};
}

struct fingerprint track_fingerprint(void)
{
	return T.fp;
}

/* A blob: number of words, fingerprint difference, xors, places. */
struct delta {
	u64 words;
	struct fingerprint xor_fp;
	u64 body[];
};

size_t track_delta_size(u64 mark)
{
	u64 words = T.log_top - T.commits[mark].log_top;
	return sizeof(struct delta) + HD_ROUND_UP(words * 12, 8);
}

void track_delta_save(u64 mark, void *out)
{
	struct delta *d = out;
	u64 from = T.commits[mark].log_top;
	d->words = T.log_top - from;
	d->xor_fp.lo = T.fp.lo ^ T.commits[mark].fp.lo;
	d->xor_fp.hi = T.fp.hi ^ T.commits[mark].fp.hi;
	memcpy(d->body, T.log_xor + from, d->words * 8);
	memcpy(d->body + d->words, T.log_place + from, d->words * 4);
}

void track_delta_apply(const void *blob)
{
	const struct delta *d = blob;
	const u32 *place = (const u32 *)(d->body + d->words);
	for (u64 i = 0; i < d->words; i++)
		toggle(place[i], d->body[i]);
	cool_shut_pages();
	T.fp.lo ^= d->xor_fp.lo;
	T.fp.hi ^= d->xor_fp.hi;
	track_forget();
}

void track_remember(void)
{
	pages_vec_free(&T.kept);
	for (u64 i = 0; i < T.stats.pages; i++) {
		void *to = pages_vec_push(&T.kept, HD_PAGE);
		if (!to)
			return;
		memcpy(to, page_at((u32)i)->shadow, HD_PAGE);
	}
}

bool track_first_difference(u64 *address, u64 *was, u64 *is)
{
	u64 words = HD_PAGE / sizeof(u64);
	for (u64 i = 0; i < T.kept.len / sizeof(u64); i++) {
		const struct page *p = page_at((u32)(i / words));
		*address = p->address + i % words * sizeof(u64);
		*was = ((u64 *)T.kept.data)[i];
		*is = p->shadow[i % words];
		if (*was != *is)
			return true;
	}
	return false;
}

u64 track_memory(void)
{
	return T.log_top * 12 + T.mark * sizeof(struct commit) +
	       T.stats.pages * (HD_PAGE + sizeof(struct page));
}

const struct track_stats *track_get_stats(void)
{
	T.stats.hot = hot_count();
	return &T.stats;
}
