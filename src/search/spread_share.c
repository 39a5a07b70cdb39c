/*
 * Work goes to those who have none (spread.h), as paths. Two ways:
 *
 *   A rank with nothing to do asks some ranks, one after the other, which answer at once.
 *   If they have none either, it *hangs on* the ranks 1, 2, 4, 8 … behind it: these remember it, and send
 *   work as soon as they have some. So nobody asks for ever, work reaches N ranks in log2(N) gifts, and a
 *   rank that has just enough for itself at the moment of asking is not missed.
 *
 * A rank that waits for answers is not without work: most answers bring some, and following another rank's
 * path is dearer than waiting.
 */
#include "search/spread_priv.h"

/* A path in a gift: its length, the fingerprint that it leads to, the actions. */
#define GIFT_HEAD 5u /* words */
static u32 gift_bytes(const struct node *n)
{
	return (GIFT_HEAD + n->depth) * (u32)sizeof(u32);
}

static u32 pack(struct node *n, char *to)
{
	u32 *word = (u32 *)to, bytes = gift_bytes(n);
	word[0] = n->depth;
	memcpy(word + 1, spread_print_of(n), sizeof(struct fingerprint));
	for (; n->parent; n = n->parent)
		word[GIFT_HEAD + n->depth - 1] = n->action;
	return bytes;
}

/*
 * How many to give, from the bottom of the stack: half of what waits, as far as it fits. None if following
 * their path is more work than they are.
 */
static u32 worth_giving(const struct spread *d)
{
	struct node **stack = (struct node **)d->stack.data;
	u64 half = d->stack.len / sizeof(*stack) / 2;
	u32 len = 0, n = 0;
	while (n < half && stack[n] != d->root && len + gift_bytes(stack[n]) <= WORK_BYTES)
		len += gift_bytes(stack[n++]);
	return n && n * WORTH >= stack[0]->depth ? n : 0;
}

static bool give(struct spread *d, u32 to, enum message_kind kind)
{
	struct node **stack = (struct node **)d->stack.data;
	u64 all = d->stack.len / sizeof(*stack);
	u32 n = worth_giving(d), len = 0;
	if (!n)
		return false;
	for (u32 i = 0; i < n; i++)
		len += pack(stack[i], d->message + len);
	for (u32 i = 0; i < n; i++)
		node_put(&d->nodes, stack[i]);
	for (u64 i = n; i < all; i++)
		stack[i - n] = stack[i];
	d->stack.len -= n * sizeof(*stack);
	d->port->given += n;
	spread_send(d, to, kind, d->message, len);
	return true;
}

void spread_share(struct spread *d)
{
	u32 *rank = (u32 *)d->hanging.data;
	u64 all = d->hanging.len / sizeof(*rank), n = 0;
	while (n < all && give(d, rank[n], KIND_LATE))
		n++;
	for (u64 i = n; i < all && n; i++)
		rank[i - n] = rank[i];
	d->hanging.len -= n * sizeof(*rank);
}

void spread_wanted(struct spread *d, u32 from, bool hangs)
{
	if (!d->told && give(d, from, hangs ? KIND_LATE : KIND_WORK))
		return;
	u32 *at = hangs ? pages_vec_push(&d->hanging, sizeof(*at)) : NULL;
	if (at)
		*at = from;
	else if (!hangs)
		spread_send(d, from, KIND_NOTHING, NULL, 0);
	/* Without memory for its name it gets none from here; the search ends all the same. */
}

static u32 behind(const struct spread *d, u32 k)
{
	return (u32)((d->port->rank + (1ull << k)) % d->port->ranks);
}

/* Follows the path from the initial state, and leaves nodes on the way. */
static enum move follow(struct spread *d, const u32 *path, u32 len, const struct fingerprint *print)
{
	struct search *s = d->s;
	struct node *at = d->here;
	u32 same = 0;
	while (same < HD_MIN(len, at->depth) && search_path(s)[same] == path[same])
		same++;
	while (d->here->depth > same)
		spread_go_up(d);
	for (u32 i = same; i < len; i++) {
		u32 *actions = search_action_room(&d->actions), k = 0;
		u32 count = actions ? s->ops->actions(s->self, actions) : 0;
		target_mark before = s->ops->mark(s->self);
		while (k < count && actions[k] != path[i])
			k++;
		enum step_result r = k < count ? s->ops->step(s->self, path[i]) : STEP_PRUNED;
		if (r == STEP_RESTART) {
			s->ops->undo(s->self, before);
			return MOVE_RESTART;
		}
		struct node *n = r == STEP_OK ? spread_node_here(d, before, path[i]) : NULL;
		if (!n) {
			spread_stop_all(d, SPREAD_DISAGREE, SEARCH_STOPPED);
			s->ops->undo(s->self, before);
			return MOVE_KNOWN;
		}
		s->ops->undo(s->self, before);
		enum move m = spread_go_down(d, n);
		node_put(&d->nodes, n);
		if (m >= MOVE_HALT)
			return m;
	}
	if (print->lo != spread_print_of(d->here)->lo || print->hi != spread_print_of(d->here)->hi) {
		spread_stop_all(d, SPREAD_DISAGREE, SEARCH_STOPPED);
		return MOVE_KNOWN;
	}
	d->here->refs++;
	return spread_push(d, d->here) ? MOVE_KNOWN : search_halt(s, SEARCH_LIMIT_MEMORY);
}

enum move spread_take(struct spread *d, u32 from, bool late, const u32 *word, u32 words)
{
	enum move m = MOVE_KNOWN;
	for (u32 k = 0; k < 32 && late; k++)
		if (behind(d, k) == from)
			d->hangs_on &= ~(1u << k);
	if (!late)
		d->wanted = false;
	d->in_vain = 0;
	for (u32 at = 0; at < words && m < MOVE_HALT && !d->told; at += GIFT_HEAD + word[at]) {
		struct fingerprint print;
		hd_assert(GIFT_HEAD + word[at] <= words - at && word[at]);
		memcpy(&print, word + at + 1, sizeof(print));
		m = follow(d, word + at + GIFT_HEAD, word[at], &print);
	}
	return m;
}

void spread_want(struct spread *d)
{
	u32 ranks = d->port->ranks;
	/* Answers may be work. */
	if (d->wanted || d->unanswered || ranks == 1)
		return;
	if (d->in_vain < TRIES) {
		d->want_from = (d->want_from + 1) % ranks;
		d->want_from += d->want_from == d->port->rank;
		d->want_from %= ranks;
		d->in_vain++;
		d->wanted = true;
		spread_send(d, d->want_from, KIND_WANT, NULL, 0);
		return;
	}
	for (u32 k = 0; k < 32 && 1u << k < ranks; k++)
		if (!(d->hangs_on >> k & 1)) {
			d->hangs_on |= 1u << k;
			spread_send(d, behind(d, k), KIND_HANG, NULL, 0);
		}
}
