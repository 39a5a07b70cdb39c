/*
 * spread_priv.h: what spread.c, the dialogue of the ranks, and spread_extend.c, which goes to states and
 * extends them, know of each other.
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
	KIND_WORK,    /* paths to states that are the receiver's now */
	KIND_COUNTED, /* those above count for the end */
	KIND_WANT,    /* give me work */
	KIND_NOTHING, /* there is none here */
	KIND_PROBE,   /* how far are you? number of the round */
	KIND_STATUS,
	KIND_STOP, /* to rank 0: end, for this reason */
	KIND_END,  /* from rank 0 */
};

#define BATCH 256u        /* fingerprints a question */
#define CACHE (1u << 20)  /* entries: what was asked lately */
#define LOOK_EVERY 16u    /* states between two looks at the mail */
#define WORK_BYTES 32768u /* of one gift */
#define LEARN_MORE 1000u  /* steps */

struct status {
	u64 round, quiet, sent, received;
};

struct reason {
	u32 why, end; /* enum spread_why, enum search_end */
};

/* Nodes whose states other ranks were asked about, oldest first. */
struct waiting {
	struct node **node; /* a ring */
	u32 room, first, count;
};

struct ask {
	u32 count;
	struct fingerprint fp[BATCH];
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
	struct ask *ask;         /* for each rank, what is to be asked next */
	struct waiting *waiting; /* for each rank, unanswered and not yet asked */
	u64 unanswered;
	u64 sent, received; /* that count */
	u32 want_from;      /* whom to ask for work next */
	bool wanted;        /* an answer is under way */
	u64 stale_at;       /* in ticks; 0: it is not */
	bool ended, told;
	struct reason reason;
	/* Rank 0: */
	u64 round, last_sum;
	u32 replies;
	bool all_quiet, last_quiet, probing;
	struct status sum;
	char message[SPREAD_MESSAGE];
};

/* spread.c */
void spread_flush(struct spread *d, u32 to);
bool spread_wait_for(struct spread *d, u32 owner, struct node *n);
enum move spread_count_new(struct spread *d, struct node *n);

/* spread_extend.c */
struct fingerprint *spread_print_of(struct node *n);
void spread_go_up(struct spread *d);
enum move spread_go_down(struct spread *d, struct node *to);
struct node *spread_node_here(struct spread *d, target_mark before, u32 action);
enum move spread_extend(struct spread *d, struct node *n);

#endif
