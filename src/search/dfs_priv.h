/*
 * dfs_priv.h: the stack of a depth-first search, shared by dfs.c, which explores, and dfs_units.c, which
 * hands parts of the stack over to other workers.
 */
#ifndef HEDDLE_SEARCH_DFS_PRIV_H
#define HEDDLE_SEARCH_DFS_PRIV_H

#include "search/fingerprint_map.h"
#include "search/search_priv.h"

struct dfs_frame {
	u32 left; /* actions not yet tried: the topmost ones of the action stack, the next on top */
	u32 rest; /* below them: those that may not have to be tried */
	bool repeating;
	bool led_away; /* one of those tried led to a state that is not on the path */
	bool taken;    /* another worker has entered it; observers are told there */
	u8 ways;       /* actions to be tried in all, for dfs_survey; at most 255 */
};

struct dfs {
	struct search *s;
	/* Of the states on the path, the current one included if it is being extended. */
	struct pages_vec frames;  /* struct dfs_frame */
	struct pages_vec marks;   /* target_mark, beside frames */
	struct pages_vec prints;  /* struct fingerprint, beside frames; sanity 3 or several workers only */
	struct pages_vec actions; /* u32 */
	struct fingerprint_map on_path; /* with a reduction only, and alone */
	u64 cut;

	/* With several workers. */
	u64 shared;            /* frames from the bottom on of which others have, or had, a part */
	bool taking;           /* a unit is being taken up: the stack is not whole */
	struct pages_vec unit; /* the one that is given or taken */
	struct escape *escape; /* NULL: nobody waits busily */
};

static inline struct dfs_frame *dfs_top(struct dfs *d)
{
	return (struct dfs_frame *)(d->frames.data + d->frames.len) - 1;
}

static inline u64 dfs_frame_count(const struct dfs *d)
{
	return d->frames.len / sizeof(struct dfs_frame);
}

/*
 * The current state is going to be extended: `actions`, which are to be tried, lie behind the end of
 * d->actions in reverse order, and below them `rest`. MOVE_NEW or MOVE_HALT.
 */
enum move dfs_push(struct dfs *d, u32 actions, u32 rest, bool repeating);

/* Somebody waits for work: give away about half of what is left. */
void dfs_give(struct search *s);
/* All that is left, as a unit that stays where it is: its bytes, ~0: there is no memory for it. */
u64 dfs_pack(struct search *s, const void **unit);
/*
 * The stack is empty: wait for work and build the stack that belongs to it. MOVE_NEW, MOVE_HALT,
 * MOVE_RESTART.
 */
enum move dfs_take(struct dfs *d);

#endif
