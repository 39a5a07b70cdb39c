/*
 * track.h: tracked memory: what is saved, compared and restored.
 *
 * A region is a range of addresses whose writable bytes belong to the model
 * state. Its pages are write-protected until somebody writes; the fault handler calls
 * track_fault(), the page becomes hot and is compared with its shadow copy at
 * every commit. See track.c for the invariants.
 */
#ifndef HEDDLE_STATE_TRACK_H
#define HEDDLE_STATE_TRACK_H

#include "base/base.h"
#include "wire/search_options.h"

enum track_kind {
	TRACK_DENSE,  /* holds data already (a module's .data): part of the first fingerprint */
	TRACK_SPARSE, /* reserved by us, zero until written */
	TRACK_HIDDEN, /* the same, but not even readable until track_fault says so */
};

struct track_stats {
	u64 pages; /* with a shadow copy */
	u64 hot;
	u64 faults;
	u64 commits;
	u64 words; /* changed words logged */
};

int track_setup(void);
/* For tests: less room for changed words and commits than there is. */
void track_limit(u64 words, u64 commits);
/* Reserve [start, start+size) for sparse use, or take over an existing mapping (dense). -errno. */
int track_add(u64 start, u64 size, enum track_kind kind);
/*
 * The same for sparse memory in which each fiber has `stride` bytes of its own, which it alone writes, ever,
 * and only while it runs: the others' pages cost nothing. -errno.
 */
int track_add_owned(u64 start, u64 stride, u32 slots);
/* Protect everything, take the first fingerprint. From here on changes are logged. */
void track_start(void);

/*
 * A fault at `address` that the caller finds legitimate: 1 when it was ours and the access may be tried
 * again, 0 when it was not, -ENOMEM when there is no memory, or no mapping, to track the page with.
 */
int track_fault(u64 address);
bool track_covers(u64 address);
/* Has track_start() been called? */
bool track_started(void);
/*
 * The SUT wants other rights to part of a region (PROT_*). What it may not do faults from now on; what
 * it may do again is allowed when it faults. Rights are not part of the state: whoever calls track_fault
 * knows the truth. Execution, once allowed in a region, stays allowed.
 */
int track_protect(u64 address, u64 size, int prot);
/* The first page in [from, end) of a region that was ever used, or end: all others are zero. */
u64 track_next_page(u64 from, u64 end);

/*
 * A stack whose bytes below `live_from` are dead: they are zeroed before the comparison. slot: which stack,
 * for remembering cold pages with old bytes in them. kernel_from: of its kernel stack, only what lies from
 * here on was changed; what lies below is zero, and was.
 */
struct track_stack {
	u64 low, live_from;
	u32 slot;
	u64 kernel_from;
};

/*
 * What the tracker may know about stacks that did not run: their saved stack pointers, at sp_base + slot *
 * sp_stride (0: no such stack), and what lies at the top of each but the first: tls_bytes for TLS, of which
 * those from top - tls_from to top - tls_to hold variables that others may write. The rest is its owner's.
 */
struct track_stacks {
	u64 sp_base, sp_stride, tls_bytes, tls_from, tls_to;
};
void track_set_stacks(const struct track_stacks *s);
/* The running fiber made this stack: look at all of it in this transition. */
void track_new_stack(u32 slot);

/*
 * End of a transition: log what changed, update the fingerprint. ran: the stack that ran; NULL: unknown,
 * everything is looked at (a transition that was abandoned half-way). Returns the new mark.
 */
u64 track_commit(const struct track_stack *ran);
/* There was no room left for a commit or a page: what changed was not logged, and the search cannot go on. */
bool track_full(void);
u64 track_mark(void);
/* Back to an earlier mark. */
void track_undo(u64 mark);
struct fingerprint track_fingerprint(void);
/* From now on nobody asks for the fingerprint: it stays what it is. */
void track_forget_fingerprint(void);
struct fingerprint track_full_fingerprint(void);

/* Every change that was logged since the mark, the last one first. fn must not change tracked memory. */
void track_changed(u64 mark, void (*fn)(void *self, u64 address, u64 was, u64 is), void *self);

/*
 * The difference between mark and now, as a blob that toggles, in this process or in another one that started
 * from the same initial state. Size: a multiple of 8, and so must be the blob's address. Apply: 0, or -errno
 * with nothing changed.
 */
size_t track_delta_size(u64 mark);
void track_delta_save(u64 mark, void *out);
int track_delta_apply(const void *blob);

/* All changes so far become part of the ground state: marks restart at 0. */
void track_forget(void);

/*
 * For --sanity: keep a copy of the present state, and later tell the first word in which the state differs
 * from it. False: none, or nothing was kept.
 */
void track_remember(void);
bool track_first_difference(u64 *address, u64 *was, u64 *is);

u64 track_memory(void);
const struct track_stats *track_get_stats(void);

#endif
