/*
 * spread_priv.h: what the files of the search by many machines know of each other: spread.c, the dialogue of
 * the ranks; spread_extend.c, which goes to states and extends them; spread_share.c, who gets work;
 * spread_pass.c, what the reduction needs.
 */
#ifndef HEDDLE_SEARCH_SPREAD_PRIV_H
#define HEDDLE_SEARCH_SPREAD_PRIV_H

#include "search/nodes.h"
#include "search/search_priv.h"
#include "search/spread.h"

void *memcpy(void *to, const void *from, size_t n);

enum message_kind {
	KIND_ASK = 1, /* fingerprints: are they new? */
	KIND_ANSWER,  /* a byte for each */
	KIND_NOTE,    /* target_team: what was learnt */
	KIND_FACT,    /* of the reduction: to the rank above, spread_pass.c */
	KIND_KNOWN,   /* … and to those below */
	KIND_WORK,    /* paths to states that are the receiver's now: the answer to KIND_WANT */
	KIND_LATE,    /* the same, for KIND_HANG */
	KIND_COUNTED, /* those above count for the end */
	KIND_WANT,    /* give me work */
	KIND_NOTHING, /* there is none here */
	KIND_HANG,    /* give me work when there is some: no answer until then */
	KIND_PROBE,   /* how far are you? number of the round */
	KIND_STATUS,
	KIND_STOP, /* to rank 0: end, for this reason */
	KIND_END,  /* from rank 0 */
};

/* The pass that a message belongs to stands above its kind: what comes from an earlier one is void. */
#define KIND_BITS 8u

/* Fingerprints a question: fewer for many ranks, so that no more than QUESTIONS are held back by all. */
#define BATCH_MIN 16u
#define BATCH_MAX 256u
#define QUESTIONS 65536u
#define ENOUGH 512u /* questions under way, for a rank that has nothing else to do */
/* Entries of the cache of what was asked lately: it grows. */
#define CACHE_MIN (1u << 10)
#define CACHE_MAX (1u << 20)
#define LOOK_EVERY 16u    /* states between two looks at the mail */
#define WORK_BYTES 32768u /* of one gift */
#define LEARN_MORE 1000u  /* steps */
#define WORTH 8u          /* steps of a path that one state is worth */
#define TRIES 2u          /* ranks that are asked for work before this one hangs on others */

#define CHECK_EVERY 1024u /* ticks between two looks at what the pass relies on */

/*
 * Of a state that was extended by some of its actions: the others, until it is known whether they may be left
 * out (spread_extend.c). Lies in a node below the state, where others have their delta.
 */
struct rest {
	u32 pending; /* states it led to, whose owners have not answered */
	u32 count;
	bool led_on; /* one of them was new */
	u32 action[];
};

/* What a node has before its delta. */
struct node_head {
	struct fingerprint print;
	struct node *rest; /* of its parent, which waits for the answer as well; NULL: it does not */
};

struct status {
	u64 round, quiet, sent, received;
};

struct reason {
	u32 why, end; /* enum spread_why, enum search_end */
};

/* Nodes that wait for an owner's answer, oldest first, linked by node.next; the last are still unasked. */
struct asked_rank {
	struct node *first, *last, *unasked;
	u32 waiting, to_ask; /* how many: in all, and from `unasked` on */
};

struct spread {
	struct search *s;
	struct spread_port *port;
	struct nodes nodes;
	struct node *root, *here;
	struct pages_vec stack;   /* struct node * */
	struct pages_vec way;     /* scratch */
	struct pages_vec actions; /* scratch */
	struct fingerprint *cache;
	u32 cache_size, cached;   /* entries; questions since it has this size */
	struct asked_rank *owner; /* each rank, as one of those that are asked */
	u32 batch, flush_at;
	u64 unanswered, to_ask; /* questions: made or to be made, and the latter alone */
	u64 sent, received;     /* that count */
	/* What was learnt outlives a pass, and so do these two. */
	u64 notes_sent, notes_received;
	u8 pass;
	bool walks_ended; /* in MOVE_HALT: search.end says why */
	bool ended, told;
	/* A step led to the end of the search: the target stands behind it, at the end of the path. */
	bool beyond;
	target_mark before;
	/* The reduction: */
	struct pages_vec rests; /* struct node *: struct rest, to be explored */
	struct node *rest;      /* of the state that is being extended */
	u64 checked_at;         /* in ticks: when the pairs relied upon were looked at */
	bool led_on;            /* the state that is being extended led to a new one here */
	/* Work (spread_share.c): */
	bool wanted;              /* an answer is under way */
	u32 want_from;            /* whom to ask for some next */
	u32 in_vain;              /* how many had none, one after the other */
	u32 hangs_on;             /* bit k: the rank 2^k behind this one will send some */
	struct pages_vec hanging; /* u32: ranks that hang on this one, oldest first */
	u64 stale_at;             /* in ticks; 0: it is not */
	struct reason reason;
	/* Rank 0: */
	u64 round, last_sum;
	u32 replies;
	bool all_quiet, last_quiet, probing;
	struct status sum;
	char message[SPREAD_MESSAGE];
	/* Of the pass after this one, came early: is there one? */
	bool holds;
	u32 held_from, held_len;
	u16 held_kind;
	char held[SPREAD_MESSAGE];
};

/* spread.c */
void spread_send(struct spread *d, u32 to, enum message_kind kind, const void *bytes, u32 len);
void spread_stop_all(struct spread *d, u32 why, u32 end);
bool spread_push(struct spread *d, struct node *n);
void spread_ask(struct spread *d, u32 owner, struct node *n);
enum move spread_count_new(struct spread *d, struct node *n);

/* spread_share.c */
void spread_want(struct spread *d);
/* Another rank wants work, or hangs on this one. */
void spread_wanted(struct spread *d, u32 from, bool hangs);
/* Gives to ranks that hang on this one. */
void spread_share(struct spread *d);
/* Work that has come. */
enum move spread_take(struct spread *d, u32 from, bool late, const u32 *word, u32 words);

/* spread_pass.c */
void spread_share_facts(struct spread *d);
void spread_hear_fact(struct spread *d, const u64 *word, u32 words);
void spread_hear_known(struct spread *d, const u64 *word, u32 words);
/* Is a decision of this pass known to be wrong? All begin another one, then. */
bool spread_was_wrong(struct spread *d);
void spread_check_pass(struct spread *d);

/* spread_extend.c */
static inline struct node_head *spread_head(struct node *n)
{
	return (struct node_head *)n->delta;
}
static inline struct fingerprint *spread_print_of(struct node *n)
{
	return &spread_head(n)->print;
}
void spread_go_up(struct spread *d);
enum move spread_go_down(struct spread *d, struct node *to);
struct node *spread_node_here(struct spread *d, target_mark before, u32 action);
enum move spread_extend(struct spread *d, struct node *n);
/* The state that n leads to is new, or known: what that means for the one before it. */
enum move spread_answered(struct spread *d, struct node *n, bool is_new);
/* What was not left out after all. */
enum move spread_extend_rest(struct spread *d, struct node *rest);
/* To the initial state, wherever the target stands. */
enum move spread_go_back(struct spread *d);
/* Some walks, if it is time for them (prelude.h). */
enum move spread_pause(struct spread *d);

#endif
