/*
 * The strategy of one rank (spread.h). States that wait to be extended are nodes with a delta each
 * (nodes.h), on a stack: the next one is near where the target stands. A node whose state belongs to
 * another rank waits for the answer first; answers come in the order of the questions.
 *
 * Counts are those of one worker: a state is counted by the rank that is told that it is new, and extended
 * there or where it was given to; every action of it is executed once.
 *
 * The end (rank 0 decides, Mattern's four counters): a rank is quiet if its stack is empty and all its
 * questions are answered. Rank 0, when it is quiet, asks all how many messages they have sent and received.
 * If in two rounds, one after the other, all are quiet, and the sums of both are the same four times, then
 * nothing is under way.
 */
#include "search/spread_priv.h"

u32 spread_owner(struct fingerprint fp, u32 ranks)
{
	return (u32)(((fp.hi >> 32) * ranks) >> 32);
}

/* ---- messages ---- */

static void send(struct spread *d, u32 to, enum message_kind kind, const void *bytes, u32 len)
{
	d->sent += kind < KIND_COUNTED;
	d->port->messages++;
	d->port->bytes += len;
	d->port->send(d->port->self, to, (u16)kind, bytes, len);
}

static void stop_all(struct spread *d, u32 why, u32 end)
{
	struct reason r = {why, end};
	if (d->told)
		return;
	d->told = true;
	if (d->port->rank) {
		send(d, 0, KIND_STOP, &r, sizeof(r));
		return;
	}
	for (u32 i = 1; i < d->port->ranks; i++)
		send(d, i, KIND_END, &r, sizeof(r));
	d->ended = true;
	d->reason = r;
}

static void say(void *to, const u64 *word, u32 words)
{
	struct spread *d = to;
	for (u32 i = 0; i < d->port->ranks; i++)
		if (i != d->port->rank)
			send(d, i, KIND_NOTE, word, words * (u32)sizeof(*word));
}

void spread_flush(struct spread *d, u32 to)
{
	struct ask *a = &d->ask[to];
	if (!a->count)
		return;
	send(d, to, KIND_ASK, a->fp, a->count * (u32)sizeof(a->fp[0]));
	d->port->asked += a->count;
	a->count = 0;
}

static void flush_all(struct spread *d)
{
	for (u32 i = 0; i < d->port->ranks; i++)
		spread_flush(d, i);
}

static void answer(struct spread *d, u32 to, const struct fingerprint *fp, u32 n)
{
	u8 is_new[SPREAD_MESSAGE / sizeof(*fp)];
	for (u32 i = 0; i < n; i++) {
		int known = visited_insert(&d->s->visited, fp[i]);
		is_new[i] = known == 1;
		if (known < 0)
			stop_all(d, SPREAD_OVER, SEARCH_LIMIT_MEMORY);
	}
	send(d, to, KIND_ANSWER, is_new, n);
}

/* ---- nodes ---- */

static bool push_node(struct spread *d, struct node *n)
{
	struct node **at = pages_vec_push(&d->stack, sizeof(*at));
	if (!at)
		return false;
	*at = n;
	return true;
}

bool spread_wait_for(struct spread *d, u32 owner, struct node *n)
{
	struct waiting *w = &d->waiting[owner];
	if (w->count == w->room) {
		u32 room = w->room ? 2 * w->room : 1024;
		struct node **grown = pages_map(room * sizeof(*grown));
		if (!grown)
			return false;
		for (u32 i = 0; i < w->count; i++)
			grown[i] = w->node[(w->first + i) % w->room];
		if (w->node)
			pages_unmap(w->node, w->room * sizeof(*w->node));
		*w = (struct waiting){grown, room, 0, w->count};
	}
	w->node[(w->first + w->count++) % w->room] = n;
	d->unanswered++;
	return true;
}

enum move spread_count_new(struct spread *d, struct node *n)
{
	struct search *s = d->s;
	u64 share = s->o->max_states / d->port->ranks;
	if (s->o->max_states && s->stats->states >= HD_MAX(share, 1))
		return search_halt(s, SEARCH_LIMIT_STATES);
	s->stats->states++;
	s->stats->max_depth = HD_MAX(s->stats->max_depth, n->depth);
	return push_node(d, n) ? MOVE_NEW : search_halt(s, SEARCH_LIMIT_MEMORY);
}

static enum move hear_answers(struct spread *d, u32 from, const u8 *is_new, u32 n)
{
	struct waiting *w = &d->waiting[from];
	hd_assert(n <= w->count);
	enum move m = MOVE_KNOWN;
	for (u32 i = 0; i < n && m < MOVE_HALT; i++) {
		struct node *node = w->node[w->first];
		w->first = (w->first + 1) % w->room;
		w->count--;
		d->unanswered--;
		if (is_new[i]) {
			m = spread_count_new(d, node);
			continue;
		}
		d->s->stats->revisited++;
		node_put(&d->nodes, node);
	}
	return m;
}

/* ---- work ---- */

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

/* Half of what waits, from the bottom of the stack, as far as it fits. */
static void give(struct spread *d, u32 to)
{
	struct node **stack = (struct node **)d->stack.data;
	u64 all = d->stack.len / sizeof(*stack), n = 0;
	u32 len = 0;
	while (n < all / 2 && len + gift_bytes(stack[n]) <= WORK_BYTES && stack[n] != d->root)
		len += pack(stack[n++], d->message + len);
	for (u64 i = 0; i < n; i++)
		node_put(&d->nodes, stack[i]);
	for (u64 i = n; i < all && n; i++)
		stack[i - n] = stack[i];
	d->stack.len -= n * sizeof(*stack);
	d->port->given += n;
	send(d, to, n ? KIND_WORK : KIND_NOTHING, d->message, len);
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
		if (r == STEP_RESTART)
			return MOVE_RESTART;
		struct node *n = r == STEP_OK ? spread_node_here(d, before, path[i]) : NULL;
		if (!n) {
			stop_all(d, SPREAD_DISAGREE, SEARCH_STOPPED);
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
		stop_all(d, SPREAD_DISAGREE, SEARCH_STOPPED);
		return MOVE_KNOWN;
	}
	d->here->refs++;
	return push_node(d, d->here) ? MOVE_KNOWN : search_halt(s, SEARCH_LIMIT_MEMORY);
}

static enum move take(struct spread *d, const u32 *word, u32 words)
{
	enum move m = MOVE_KNOWN;
	d->wanted = false;
	for (u32 at = 0; at < words && m < MOVE_HALT && !d->told; at += GIFT_HEAD + word[at]) {
		struct fingerprint print;
		hd_assert(GIFT_HEAD + word[at] <= words - at && word[at]);
		memcpy(&print, word + at + 1, sizeof(print));
		m = follow(d, word + at + GIFT_HEAD, word[at], &print);
	}
	return m;
}

static void want(struct spread *d)
{
	if (d->wanted || d->port->ranks == 1)
		return;
	d->want_from = (d->want_from + 1) % d->port->ranks;
	if (d->want_from == d->port->rank)
		d->want_from = (d->want_from + 1) % d->port->ranks;
	d->wanted = true;
	send(d, d->want_from, KIND_WANT, NULL, 0);
}

/* ---- the end ---- */

static bool is_quiet(const struct spread *d)
{
	return !d->stack.len && !d->unanswered && !search_is_stale(d->s);
}

static void probe(struct spread *d)
{
	if (d->probing)
		return;
	d->probing = true;
	d->round++;
	d->replies = 1;
	d->all_quiet = is_quiet(d);
	d->sum = (struct status){.sent = d->sent, .received = d->received};
	for (u32 i = 1; i < d->port->ranks; i++)
		send(d, i, KIND_PROBE, &d->round, sizeof(d->round));
}

static void hear_status(struct spread *d, const struct status *s)
{
	if (s->round != d->round)
		return;
	d->all_quiet &= s->quiet;
	d->sum.sent += s->sent;
	d->sum.received += s->received;
	d->replies++;
}

/* All have replied: is it the end? */
static void judge(struct spread *d)
{
	if (!d->probing || d->replies < d->port->ranks)
		return;
	d->probing = false;
	d->all_quiet &= is_quiet(d) && d->sum.sent == d->sum.received;
	bool over = d->all_quiet && d->last_quiet && d->sum.sent == d->last_sum;
	d->last_quiet = d->all_quiet;
	d->last_sum = d->sum.sent;
	if (over)
		stop_all(d, SPREAD_OVER, SEARCH_COMPLETE);
}

/* ---- the loop ---- */

static enum move hear_note(struct spread *d, const u64 *word, u32 words)
{
	const struct target_team *t = d->s->ops->team;
	if (t)
		t->hear(d->s->self, word, words); /* if it makes the search stale, read_mail sees that */
	return MOVE_KNOWN;
}

static enum move handle(struct spread *d, u32 from, u16 kind, u32 len)
{
	char copy[SPREAD_MESSAGE];
	struct status mine;
	d->received += kind < KIND_COUNTED;
	switch (kind) {
	case KIND_ASK:
		memcpy(copy, d->message, len);
		answer(d, from, (const struct fingerprint *)copy, len / (u32)sizeof(struct fingerprint));
		break;
	case KIND_ANSWER:
		return hear_answers(d, from, (const u8 *)d->message, len);
	case KIND_NOTE:
		memcpy(copy, d->message, len);
		return hear_note(d, (const u64 *)copy, len / (u32)sizeof(u64));
	case KIND_WORK:
		memcpy(copy, d->message, len);
		return take(d, (const u32 *)copy, len / (u32)sizeof(u32));
	case KIND_NOTHING:
		d->wanted = false;
		break;
	case KIND_WANT:
		give(d, from);
		break;
	case KIND_PROBE:
		mine = (struct status){*(const u64 *)d->message, is_quiet(d), d->sent, d->received};
		send(d, 0, KIND_STATUS, &mine, sizeof(mine));
		break;
	case KIND_STATUS:
		hear_status(d, (const struct status *)d->message);
		break;
	case KIND_STOP:
	case KIND_END:
		if (!d->port->rank) {
			const struct reason *r = (const struct reason *)d->message;
			stop_all(d, r->why, r->end);
			break;
		}
		d->reason = *(const struct reason *)d->message;
		d->ended = d->told = true;
	}
	return MOVE_KNOWN;
}

/* All that has come. */
static enum move read_mail(struct spread *d)
{
	enum move m = MOVE_KNOWN;
	u32 from;
	u16 kind;
	while (m < MOVE_HALT && !d->ended) {
		long len = d->port->receive(d->port->self, &from, &kind, d->message);
		if (len < 0)
			break;
		m = handle(d, from, kind, (u32)len);
	}
	const struct target_team *t = d->s->ops->team;
	if (t && t->wants_alone(d->s->self))
		stop_all(d, SPREAD_ALONE, SEARCH_INTERRUPTED);
	/* Whoever has learnt something learns some more, before all begin again. */
	if (search_is_stale(d->s)) {
		d->stale_at = d->stale_at ? d->stale_at : d->s->ticks + 1;
		if (d->s->ticks > d->stale_at + LEARN_MORE || !d->stack.len)
			stop_all(d, SPREAD_RESTART, SEARCH_INTERRUPTED);
	}
	if (!d->port->rank && !d->ended)
		judge(d);
	return m;
}

static enum move work(struct spread *d)
{
	enum move m = MOVE_KNOWN;
	for (u32 i = 0; i < LOOK_EVERY && d->stack.len && m < MOVE_HALT; i++) {
		d->stack.len -= sizeof(struct node *);
		struct node *n = *(struct node **)(d->stack.data + d->stack.len);
		m = spread_extend(d, n);
		node_put(&d->nodes, n);
	}
	return m;
}

/* This rank's own reason to end, or to begin again, is told to all. */
static void pass_on(struct spread *d, enum move m)
{
	const struct target_team *t = d->s->ops->team;
	if (m == MOVE_RESTART)
		stop_all(d, t && t->wants_alone(d->s->self) ? SPREAD_ALONE : SPREAD_RESTART,
			 SEARCH_INTERRUPTED);
	else if (m == MOVE_HALT)
		stop_all(d, SPREAD_OVER, d->s->end);
}

static void loop(struct spread *d)
{
	u32 rests = 0;
	while (!d->ended) {
		enum move m = read_mail(d);
		if (m < MOVE_HALT && !d->told && !d->ended)
			m = work(d);
		if (m >= MOVE_HALT)
			pass_on(d, m);
		if (d->told || d->stack.len)
			rests = 0;
		if (d->ended || (d->stack.len && !d->told))
			continue;
		flush_all(d);
		if (!d->told) {
			if (d->port->rank == 0 && is_quiet(d))
				probe(d);
			want(d);
			if (!(++rests & 63))
				pass_on(d, search_poll(d->s));
		}
		if (!d->port->rank)
			judge(d);
		d->port->rest(d->port->self);
	}
}

static void free_all(struct spread *d)
{
	for (u32 i = 0; d->waiting && i < d->port->ranks; i++)
		if (d->waiting[i].node)
			pages_unmap(d->waiting[i].node, d->waiting[i].room * sizeof(struct node *));
	if (d->waiting)
		pages_unmap(d->waiting, d->port->ranks * sizeof(*d->waiting));
	if (d->ask)
		pages_unmap(d->ask, d->port->ranks * sizeof(*d->ask));
	if (d->cache)
		pages_unmap(d->cache, CACHE * sizeof(*d->cache));
	nodes_free(&d->nodes);
	pages_vec_free(&d->stack);
	pages_vec_free(&d->way);
	pages_vec_free(&d->actions);
}

static enum move begin(struct spread *d)
{
	struct search *s = d->s;
	d->root = d->here = node_new(&d->nodes, NULL, 0, 0);
	d->cache = pages_map(CACHE * sizeof(*d->cache));
	d->ask = pages_map(d->port->ranks * sizeof(*d->ask));
	d->waiting = pages_map(d->port->ranks * sizeof(*d->waiting));
	if (!d->root || !d->cache || !d->ask || !d->waiting)
		return search_halt(s, SEARCH_LIMIT_MEMORY);
	d->root->refs = 3;
	if (s->ops->team)
		s->ops->team->join(s->self, say, d);
	struct fingerprint fp = s->ops->fingerprint(s->self);
	/* The initial state is known to its owner from the beginning, and rank 0's to extend. */
	if (spread_owner(fp, d->port->ranks) == d->port->rank && visited_insert(&s->visited, fp) < 0)
		return search_halt(s, SEARCH_LIMIT_MEMORY);
	if (d->port->rank)
		return MOVE_KNOWN;
	s->stats->states++;
	return push_node(d, d->root) ? MOVE_KNOWN : search_halt(s, SEARCH_LIMIT_MEMORY);
}

static u64 spread_memory(const struct search *s)
{
	const struct spread *d = s->mine;
	return d->nodes.bytes + d->stack.cap + d->way.cap + d->actions.cap + CACHE * sizeof(*d->cache);
}

static enum move spread_run(struct search *s)
{
	struct spread *d = pages_map(sizeof(*d));
	if (!d)
		return search_halt(s, SEARCH_LIMIT_MEMORY);
	d->s = s;
	d->port = s->hooks->port;
	d->want_from = d->port->rank;
	s->mine = d;
	pass_on(d, begin(d));
	loop(d);
	d->port->why = d->reason.why;
	s->end = (enum search_end)d->reason.end;
	free_all(d);
	s->mine = NULL;
	pages_unmap(d, sizeof(*d));
	return MOVE_HALT;
}

const struct strategy strategy_spread = {.run = spread_run, .memory = spread_memory};
