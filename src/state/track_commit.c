/*
 * The log of changes: comparing, undoing.
 *
 * Patience. A hot page that does not change costs its lines at every commit; a cold one that is written costs
 * a fault, about as much as comparing TRACK_FAULT_COST lines. Neither knows the future: a page is cooled when
 * it has cost about one fault in vain, so it never costs more than twice what the best choice would have.
 * Pages that come back at once get more patience, up to a few faults' worth; pages that stayed away for long
 * get less again.
 */
#include "state/track_priv.h"

#define CROWD 192 /* more hot pages than this: lose patience sooner */
#define ROUND 32  /* pages that only a fiber which did not run may change are visited every so many commits */

/* --- commit --- */

/* Log the changed words of one hot page. `lines` has a bit for each line that differs. */
static void log_page(struct page *p, u32 number, u32 lines)
{
	const u64 *now = (const u64 *)p->address;
	page_uses_lines(p, lines);
	u32 *places = track.log_place + track.log_top;
	u64 *diff = track.log_xor + track.log_top;
	u32 n = track.compare->take(now, p->shadow, lines, number << 9, places, diff);
	track.log_top += n;
	track.changes(&track.fp, p->address, now, places, diff, n);
}

static void note_cold_stack(const struct page *p)
{
	if (!is_stack(p))
		return;
	u64 *old = &track.stack_old[p->owner - 1];
	if (!*old || p->address < *old)
		*old = p->address;
}

/* T5: cold pages of this stack that became dead are made hot, so that the commit zeroes them. */
static void heat_dead_pages(const struct track_stack *s)
{
	u64 old = track.stack_old[s->slot];
	if (!old || old >= s->live_from)
		return;
	struct region *r = region_of(old);
	for (u64 a = old; a < s->live_from; a += HD_PAGE) {
		u32 known = r->page_of[(a - r->start) / HD_PAGE];
		if (known && !page_at(known - 1)->hot_index && page_heat(known - 1))
			track.full = true;
	}
	track.stack_old[s->slot] = s->live_from & ~HD_PAGE_MASK;
}

static u32 differs_in(const struct page *p, u32 look)
{
	return track.compare->lines((void *)p->address, p->shadow, look, p->zero_lines);
}

/* A page of the stack that ran: what is dead becomes zero. */
static u32 differs_own(const struct page *p, const struct track_stack *s)
{
	u32 dead_lines = 0; /* how many */
	if (p->address >= s->low && p->address < s->live_from) {
		u64 dead = HD_MIN(s->live_from - p->address, (u64)HD_PAGE),
		    whole = dead & ~(COMPARE_LINE - 1ul);
		dead_lines = (u32)(dead / COMPARE_LINE);
		memset((void *)(p->address + whole), 0, dead - whole);
	}
	u32 diff = 0;
	if (dead_lines)
		diff = track.compare->clear((void *)p->address, p->shadow, compare_range(0, dead_lines),
					    p->zero_lines);
	if (dead_lines < COMPARE_LINES)
		diff |= differs_in(p, compare_range(dead_lines, COMPARE_LINES));
	return diff;
}

static u32 differs_anywhere(const struct page *p, u32 *looked)
{
	*looked = COMPARE_LINES;
	return differs_in(p, COMPARE_ALL);
}

/*
 * A page of a fiber that did not run. Another fiber can have changed, in a correct program, what lies between
 * the stack pointer and the end of the stack, and its TLS variables. Most of the working set of a
 * many-threaded program are such pages.
 */
static u32 differs_others(const struct page *p, u32 *looked)
{
	u32 slot = p->owner - 1;
	*looked = 0;
	if (!is_stack(p)) {
		*looked = ROUND - 1; /* nobody but its owner ever writes here; it is visited for ageing */
		return 0;
	}
	u64 sp = *(u64 *)(track.stacks.sp_base + slot * track.stacks.sp_stride);
	if (!sp)
		return 0;
	if (sp - LAYOUT_STACK_BASE - slot * LAYOUT_STACK_STRIDE >= LAYOUT_STACK_STRIDE)
		return differs_anywhere(p, looked); /* it switched to a stack of its own making */
	u64 from = sp <= p->address ? 0 : (sp - p->address) / COMPARE_LINE;
	u32 look = compare_range(p->tls_from, p->tls_to);
	*looked = p->tls_to - p->tls_from;
	if (from < p->stack_to) {
		*looked += p->stack_to - (u32)from;
		look |= compare_range((u32)from, p->stack_to);
	}
	return look ? differs_in(p, look) : 0;
}

/* Below it this page of the kernel stack that ran is zero, and was. */
static u32 kernel_from(const struct page *p, const struct track_stack *ran)
{
	u64 from = ran->kernel_from <= p->address ? 0 : (ran->kernel_from - p->address) / COMPARE_LINE;
	return (u32)HD_MIN(from, (u64)COMPARE_LINES);
}

static u32 page_differs(const struct page *p, const struct track_stack *ran, u32 *looked)
{
	if (!p->owner || !ran)
		return differs_anywhere(p, looked);
	u32 slot = p->owner - 1;
	if (slot == ran->slot) {
		u32 from = is_stack(p) ? 0 : kernel_from(p, ran);
		*looked = COMPARE_LINES - from;
		return from ? differs_in(p, compare_range(from, COMPARE_LINES)) : differs_own(p, ran);
	}
	if (hd_unlikely(!track.stacks.sp_base || track.made_at[slot] == track.stats.commits))
		return differs_anywhere(p, looked);
	return differs_others(p, looked);
}

static bool log_has_room(void)
{
	return track.log_top + ((u64)hot_count() + 1) * PAGE_WORDS < track.log_max &&
	       track.mark + 1 < track.mark_max;
}

/* Pages of which only one fiber writes are skipped while others run, but for those of a stack just made. */
static bool must_visit_all(const struct track_stack *ran)
{
	return !ran || track.stack_made || !track.stacks.sp_base || track.stats.commits % ROUND == 0;
}

u64 track_commit(const struct track_stack *ran)
{
	if (ran)
		heat_dead_pages(ran);
	if (hd_unlikely(track.full || !log_has_room())) {
		track.full = true;
		return track.mark;
	}
	u32 shift = hot_count() > CROWD ? 3 : 0, own = ran ? ran->slot + 1 : 0;
	bool all = must_visit_all(ran);
	for (u32 i = 0; i < hot_count();) {
		u32 number = hot_list()[i].number, only = hot_list()[i].only, looked;
		if (only && only != own && !all) {
			i++;
			continue;
		}
		struct page *p = page_at(number);
		u32 diff = page_differs(p, ran, &looked);
		if (diff) {
			p->idle = 0;
			log_page(p, number, diff);
		} else if (hd_unlikely((p->idle += looked + 1) > p->patience >> shift)) {
			note_cold_stack(p);
			p->idle = 0;
			page_cool(number);
			i -= !p->hot_index; /* another page moved here */
		}
		i++;
	}
	cool_shut_pages();
	track.stack_made = false;
	track.stats.commits++;
	track.stats.words += track.log_top - track.commits[track.mark].log_top;
	track.commits[++track.mark] = (struct commit){track.log_top, track.fp};
	return track.mark;
}

u64 track_mark(void)
{
	return track.mark;
}

/* --- undo --- */

/* Entries of one page follow each other, so the page is looked up once for a run of them. */
void track_undo(u64 mark)
{
	hd_assert(mark <= track.mark);
	u64 down_to = track.commits[mark].log_top, top = track.log_top;
	while (top > down_to) {
		u32 number = PLACE_PAGE(track.log_place[top - 1]);
		struct page *p = page_at(number);
		if (hd_unlikely(!p->hot_index))
			page_heat_between(number);
		u64 *now = (u64 *)p->address, *shadow = p->shadow;
		u32 lines = 0;
		do {
			top--;
			u32 word = PLACE_WORD(track.log_place[top]);
			now[word] ^= track.log_xor[top];
			shadow[word] ^= track.log_xor[top];
			lines |= line_of_word(word);
		} while (top > down_to && PLACE_PAGE(track.log_place[top - 1]) == number);
		page_uses_lines(p, lines);
	}
	track.log_top = top;
	cool_shut_pages();
	track.mark = mark;
	track.fp = track.commits[mark].fp;
}

void track_forget(void)
{
	track.log_top = 0;
	track.mark = 0;
	track.commits[0] = (struct commit){0, track.fp};
}

/* Shadows go back entry by entry, so that each is told with the values it had; then forward again. */
void track_changed(u64 mark, void (*fn)(void *self, u64 address, u64 was, u64 is), void *self)
{
	u64 down_to = track.commits[mark].log_top;
	for (u64 i = track.log_top; i-- > down_to;) {
		struct page *p = page_at(PLACE_PAGE(track.log_place[i]));
		u64 *word = &p->shadow[PLACE_WORD(track.log_place[i])], is = *word;
		*word ^= track.log_xor[i];
		fn(self, p->address + PLACE_WORD(track.log_place[i]) * sizeof(u64), *word, is);
	}
	for (u64 i = down_to; i < track.log_top; i++)
		page_at(PLACE_PAGE(track.log_place[i]))->shadow[PLACE_WORD(track.log_place[i])] ^=
			track.log_xor[i];
}
