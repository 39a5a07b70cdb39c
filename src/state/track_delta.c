/*
 * States as blobs. A blob names pages by their addresses, so it means the same in every process that started
 * from the same initial state, whatever pages that one knows.
 *
 *   struct delta | xor of each word | address and number of words of each run | place in the page of each
 *   word
 *
 * A run is a sequence of log entries in one page.
 */
#include <errno.h>

#include "state/track_priv.h"

struct delta {
	u64 words, runs;
	struct fingerprint xor_fp;
};

#define RUN_WORDS(run) (((run)&HD_PAGE_MASK) + 1)
#define RUN_PAGE(run) ((run) & ~HD_PAGE_MASK)

struct parts {
	u64 *diff, *run;
	u16 *word;
};

static struct parts parts_of(const struct delta *d)
{
	u64 *body = (u64 *)(d + 1);
	return (struct parts){body, body + d->words, (u16 *)(body + d->words + d->runs)};
}

static u64 size_of(u64 words, u64 runs)
{
	return HD_ROUND_UP(sizeof(struct delta) + words * (sizeof(u64) + sizeof(u16)) + runs * sizeof(u64),
			   8);
}

/* Where the run that starts at entry i of the log ends. */
static u64 run_end(u64 i)
{
	u32 page = PLACE_PAGE(track.log_place[i]);
	u64 most = HD_MIN(track.log_top, i + PAGE_WORDS);
	while (i < most && PLACE_PAGE(track.log_place[i]) == page)
		i++;
	return i;
}

size_t track_delta_size(u64 mark)
{
	u64 from = track.commits[mark].log_top, runs = 0;
	for (u64 i = from; i < track.log_top; i = run_end(i))
		runs++;
	return size_of(track.log_top - from, runs);
}

void track_delta_save(u64 mark, void *out)
{
	struct delta *d = out;
	const struct commit *c = &track.commits[mark];
	*d = (struct delta){.words = track.log_top - c->log_top,
			    .xor_fp = {track.fp.lo ^ c->fp.lo, track.fp.hi ^ c->fp.hi}};
	for (u64 i = c->log_top; i < track.log_top; i = run_end(i))
		d->runs++;
	struct parts to = parts_of(d);
	memcpy(to.diff, track.log_xor + c->log_top, d->words * sizeof(u64));
	for (u64 i = c->log_top, end; i < track.log_top; i = end) {
		end = run_end(i);
		*to.run++ = page_at(PLACE_PAGE(track.log_place[i]))->address + (end - i - 1);
		for (u64 k = i; k < end; k++)
			*to.word++ = (u16)PLACE_WORD(track.log_place[k]);
	}
	for (; (u64)to.word % sizeof(u64); to.word++)
		*to.word = 0;
}

/* A page for each run, before anything is changed. */
static int find_pages(const u64 *run, u64 runs)
{
	for (u64 i = 0; i < runs; i++) {
		struct region *r = region_of(RUN_PAGE(run[i]));
		if (!r)
			return -EINVAL;
		long number = page_known(r, RUN_PAGE(run[i]));
		if (number < 0)
			return (int)number;
	}
	return 0;
}

int track_delta_apply(const void *blob)
{
	const struct delta *d = blob;
	struct parts from = parts_of(d);
	int ret = find_pages(from.run, d->runs);
	if (ret)
		return ret;
	for (u64 i = 0; i < d->runs; i++) {
		struct region *r = region_of(RUN_PAGE(from.run[i]));
		u32 number = (u32)page_known(r, RUN_PAGE(from.run[i]));
		struct page *p = page_at(number);
		if (!p->hot_index)
			page_heat_between(number);
		u64 *now = (u64 *)p->address, *shadow = p->shadow;
		u32 lines = 0;
		for (u64 n = RUN_WORDS(from.run[i]); n; n--, from.word++, from.diff++) {
			u32 word = *from.word % PAGE_WORDS;
			now[word] ^= *from.diff;
			shadow[word] ^= *from.diff;
			lines |= line_of_word(word);
		}
		page_uses_lines(p, lines);
	}
	cool_shut_pages();
	track.fp.lo ^= d->xor_fp.lo;
	track.fp.hi ^= d->xor_fp.hi;
	track_forget();
	return 0;
}
