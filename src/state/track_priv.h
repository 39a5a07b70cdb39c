/*
 * track_priv.h: what the files of the tracker share. Nobody else includes it.
 */
#ifndef HEDDLE_STATE_TRACK_PRIV_H
#define HEDDLE_STATE_TRACK_PRIV_H

#include "base/pages.h"
#include "state/compare.h"
#include "state/fingerprint.h"
#include "state/track.h"
#include "wire/layout.h"

void *memcpy(void *to, const void *from, size_t n);
void *memset(void *to, int c, size_t n);

#define PAGE_WORDS (HD_PAGE / sizeof(u64))
#define PAGES_MAX (1u << 23) /* a place in the log is page << 9 | word, in 32 bits */
#define PLACE_PAGE(place) ((place) >> 9)
#define PLACE_WORD(place) ((place)&511)

/* In lines compared; see track_commit.c, "Patience". */
#define TRACK_FAULT_COST 1024u
#define TRACK_PATIENCE_FIRST 512u
#define TRACK_PATIENCE_MAX 8192u

struct page {
	u64 address;
	u64 *shadow;
	u64 cooled_at;      /* number of the commit after which it became cold */
	u32 idle, patience; /* lines compared in vain since it last changed; how many may be */
	u32 hot_index;      /* position in the hot list, +1; 0 = cold */
	u32 region;
	u32 owner;           /* slot of the fiber whose stack or other property it is, +1; 0: everybody's */
	u8 stack_to;         /* of an owned page: lines before this one belong to the stack proper, */
	u8 tls_from, tls_to; /* these to variables that others may hold a pointer to */
	bool shut;           /* track_protect took rights away once: T6 */
	u32 zero_lines;      /* lines that are zero in the shadow, for certain: T7 */
};

struct hot_page {
	u32 number;
	u32 only; /* slot of the fiber that alone ever writes there, +1; 0: others may */
};

struct region {
	u64 start, end;
	u64 owner_stride; /* bytes for each slot if pages have an owner; 0: they have none */
	enum track_kind kind;
	int extra_prot; /* PROT_EXEC where the SUT asked for it */
	u32 *page_of;   /* page number + 1 by position in the region */
};

struct commit {
	u64 log_top;
	struct fingerprint fp;
};

struct track {
	struct pages_vec regions; /* struct region */
	struct pages_vec pages;   /* struct page */
	struct pages_vec hot;     /* struct hot_page */
	u32 shut_hot;             /* how many of them are shut pages */
	bool started, full;
	u32 *log_place; /* page << 9 | word */
	u64 *log_xor;
	u64 log_top, log_max;
	struct commit *commits;
	u64 mark, mark_max;
	struct fingerprint fp;
	struct track_stats stats;
	const struct compare *compare;
	fingerprint_changes_fn changes;
	struct track_stacks stacks;
	bool late_code;                 /* a module may have been loaded since the start */
	bool stack_made;                /* since the last commit */
	u64 made_at[LAYOUT_MAX_FIBERS]; /* number of the commit whose transition made the stack */
	/* Lowest cold page of each stack that may hold old bytes; 0 = none. */
	u64 stack_old[LAYOUT_MAX_FIBERS];
};
extern struct track track;

static inline struct page *page_at(u32 number)
{
	return (struct page *)track.pages.data + number;
}

/* T7: words of these lines of the shadow change. */
static inline void page_uses_lines(struct page *p, u32 lines)
{
	p->zero_lines &= ~lines;
}

static inline u32 line_of_word(u32 word)
{
	return 1u << word / (COMPARE_LINE / sizeof(u64));
}

static inline bool is_stack(const struct page *p)
{
	return p->address >= LAYOUT_STACK_BASE &&
	       p->address < LAYOUT_STACK_BASE + LAYOUT_MAX_FIBERS * LAYOUT_STACK_STRIDE;
}

static inline struct hot_page *hot_list(void)
{
	return (struct hot_page *)track.hot.data;
}

static inline u32 hot_count(void)
{
	return (u32)(track.hot.len / sizeof(struct hot_page));
}

/* NULL: the address is not tracked. */
struct region *region_of(u64 address);
/* The number of the page at this address, known from now on; -ENOMEM. */
long page_known(struct region *r, u64 address);
/* 0 or -ENOMEM: the kernel has no more mappings for us. */
int page_heat(u32 number);
void page_cool(u32 number);
/* Between transitions no page differs from its shadow, so others can be cooled if mappings run out. */
void page_heat_between(u32 number);
/* T6, after memory was put in order. */
void cool_shut_pages(void);

#endif
