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

/* What was learnt: true in every pass. */
static bool is_note(u32 kind)
{
	return kind == KIND_NOTE || kind == KIND_FACT || kind == KIND_KNOWN;
}

void spread_send(struct spread *d, u32 to, enum message_kind kind, const void *bytes, u32 len)
{
	*(is_note(kind) ? &d->notes_sent : &d->sent) += kind < KIND_COUNTED;
	d->port->messages++;
	d->port->bytes += len;
	d->port->send(d->port->self, to, (u16)(kind | (u32)d->pass << KIND_BITS), bytes, len);
}

void spread_stop_all(struct spread *d, u32 why, u32 end)
{
	struct reason r = {why, end};
	if (d->told)
		return;
	d->told = true;
	if (d->port->rank) {
		spread_send(d, 0, KIND_STOP, &r, sizeof(r));
		return;
	}
	for (u32 i = 1; i < d->port->ranks; i++)
		spread_send(d, i, KIND_END, &r, sizeof(r));
	d->ended = true;
	d->reason = r;
}

static void say(void *to, const u64 *word, u32 words)
{
	struct spread *d = to;
	for (u32 i = 0; i < d->port->ranks; i++)
		if (i != d->port->rank)
			spread_send(d, i, KIND_NOTE, word, words * (u32)sizeof(*word));
}

static void flush(struct spread *d, u32 to)
{
	struct asked_rank *o = &d->owner[to];
	struct fingerprint *fp = (struct fingerprint *)d->message;
	u32 n = 0;
	for (; n < o->to_ask; o->unasked = o->unasked->next)
		fp[n++] = *spread_print_of(o->unasked);
	o->to_ask = 0;
	d->to_ask -= n;
	d->port->asked += n;
	spread_send(d, to, KIND_ASK, fp, n * (u32)sizeof(*fp));
}

/*
 * There is nothing to do: some questions are asked though their batches are not full. No more than answers
 * are needed for the next moment, and the largest batches first, so that the others go on filling: with many
 * ranks a question in a message of its own would cost more than the state that it is about.
 */
static void flush_some(struct spread *d)
{
	u32 ranks = d->port->ranks;
	u64 left = d->to_ask, least = left <= ENOUGH ? 1 : (left + ranks - 1) / ranks;
	for (u32 i = 0; i < ranks && d->to_ask && d->unanswered - d->to_ask < ENOUGH; i++) {
		d->flush_at = (d->flush_at + 1) % ranks;
		if (d->owner[d->flush_at].to_ask >= least)
			flush(d, d->flush_at);
	}
}

void spread_ask(struct spread *d, u32 owner, struct node *n)
{
	struct asked_rank *o = &d->owner[owner];
	n->next = NULL;
	if (o->waiting++)
		o->last->next = n;
	else
		o->first = n;
	o->last = n;
	if (!o->to_ask++)
		o->unasked = n;
	d->unanswered++;
	d->to_ask++;
	if (o->to_ask == d->batch)
		flush(d, owner);
}

static void answer(struct spread *d, u32 to, const struct fingerprint *fp, u32 n)
{
	u8 is_new[SPREAD_MESSAGE / sizeof(*fp)];
	for (u32 i = 0; i < n; i++) {
		int known = visited_insert(&d->s->visited, fp[i]);
		is_new[i] = known == 1;
		if (known < 0)
			spread_stop_all(d, SPREAD_OVER, SEARCH_LIMIT_MEMORY);
	}
	spread_send(d, to, KIND_ANSWER, is_new, n);
}

/* ---- nodes ---- */

bool spread_push(struct spread *d, struct node *n)
{
	struct node **at = pages_vec_push(&d->stack, sizeof(*at));
	if (!at)
		return false;
	*at = n;
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
	return spread_push(d, n) ? MOVE_NEW : search_halt(s, SEARCH_LIMIT_MEMORY);
}

static enum move hear_answers(struct spread *d, u32 from, const u8 *is_new, u32 n)
{
	struct asked_rank *o = &d->owner[from];
	hd_assert(n <= o->waiting - o->to_ask);
	enum move m = MOVE_KNOWN;
	for (u32 i = 0; i < n && m < MOVE_HALT; i++) {
		struct node *node = o->first;
		o->first = node->next;
		o->waiting--;
		d->unanswered--;
		m = spread_answered(d, node, is_new[i]);
	}
	return m;
}

/* ---- the end ---- */

static bool is_quiet(struct spread *d)
{
	return !d->stack.len && !d->rests.len && !d->unanswered && !search_is_stale(d->s) &&
	       !spread_was_wrong(d);
}

static u64 all_sent(const struct spread *d)
{
	return d->sent + d->notes_sent;
}

static u64 all_received(const struct spread *d)
{
	return d->received + d->notes_received;
}

static void probe(struct spread *d)
{
	if (d->probing)
		return;
	d->probing = true;
	d->round++;
	d->replies = 1;
	d->all_quiet = is_quiet(d);
	d->sum = (struct status){.sent = all_sent(d), .received = all_received(d)};
	for (u32 i = 1; i < d->port->ranks; i++)
		spread_send(d, i, KIND_PROBE, &d->round, sizeof(d->round));
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
		spread_stop_all(d, SPREAD_OVER, SEARCH_COMPLETE);
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
	*(is_note(kind) ? &d->notes_received : &d->received) += kind < KIND_COUNTED;
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
	case KIND_FACT:
	case KIND_KNOWN:
		memcpy(copy, d->message, len);
		(kind == KIND_FACT ? spread_hear_fact : spread_hear_known)(d, (const u64 *)copy,
									   len / (u32)sizeof(u64));
		break;
	case KIND_WORK:
	case KIND_LATE:
		memcpy(copy, d->message, len);
		return spread_take(d, from, kind == KIND_LATE, (const u32 *)copy, len / (u32)sizeof(u32));
	case KIND_NOTHING:
		d->wanted = false;
		break;
	case KIND_WANT:
	case KIND_HANG:
		spread_wanted(d, from, kind == KIND_HANG);
		break;
	case KIND_PROBE:
		mine = (struct status){*(const u64 *)d->message, is_quiet(d), all_sent(d), all_received(d)};
		spread_send(d, 0, KIND_STATUS, &mine, sizeof(mine));
		break;
	case KIND_STATUS:
		hear_status(d, (const struct status *)d->message);
		break;
	case KIND_STOP:
	case KIND_END:
		if (!d->port->rank) {
			const struct reason *r = (const struct reason *)d->message;
			spread_stop_all(d, r->why, r->end);
			break;
		}
		d->reason = *(const struct reason *)d->message;
		d->ended = d->told = true;
	}
	return MOVE_KNOWN;
}

/*
 * A rank's reason to end, which came after another pass had begun. A violation is found again: the path to
 * this one counts no more.
 */
static void hear_late(struct spread *d, u32 kind)
{
	const struct reason *r = (const struct reason *)d->message;
	if (kind == KIND_STOP && r->why != SPREAD_PASS &&
	    !(r->why == SPREAD_OVER && r->end == SEARCH_VIOLATION))
		spread_stop_all(d, r->why, r->end);
}

/* A message of the pass after this one: rank 0 has ended this one. Its word of that is on the way. */
static void hold(struct spread *d, u32 from, u16 kind, u32 len)
{
	d->holds = true;
	d->held_from = from;
	d->held_kind = kind;
	d->held_len = len;
	memcpy(d->held, d->message, len);
	d->ended = d->told = true;
	d->reason = (struct reason){SPREAD_PASS, SEARCH_INTERRUPTED};
}

static enum move sort_out(struct spread *d, u32 from, u16 kind, u32 len)
{
	/* Passes are counted up to 255, and then from 0 again: those up to 127 ahead are to come. */
	u8 ahead = (u8)((u32)(kind >> KIND_BITS) - d->pass);
	u16 plain = kind & ((1u << KIND_BITS) - 1);
	if (!ahead || is_note(plain))
		return handle(d, from, plain, len);
	if (ahead < 128)
		hold(d, from, kind, len);
	else
		hear_late(d, plain);
	return MOVE_KNOWN;
}

static long receive(struct spread *d, u32 *from, u16 *kind)
{
	if (hd_likely(!d->holds))
		return d->port->receive(d->port->self, from, kind, d->message);
	d->holds = false;
	*from = d->held_from;
	*kind = d->held_kind;
	memcpy(d->message, d->held, d->held_len);
	return d->held_len;
}

/* All that has come. */
static enum move read_mail(struct spread *d)
{
	enum move m = MOVE_KNOWN;
	u32 from;
	u16 kind;
	while (m < MOVE_HALT && !d->ended) {
		long len = receive(d, &from, &kind);
		if (len < 0)
			break;
		m = sort_out(d, from, kind, (u32)len);
	}
	const struct target_team *t = d->s->ops->team;
	if (t && t->wants_alone(d->s->self))
		spread_stop_all(d, SPREAD_ALONE, SEARCH_INTERRUPTED);
	/* Whoever has learnt something learns some more, before all begin again. */
	if (search_is_stale(d->s)) {
		d->stale_at = d->stale_at ? d->stale_at : d->s->ticks + 1;
		if (d->s->ticks > d->stale_at + LEARN_MORE || !d->stack.len)
			spread_stop_all(d, SPREAD_RESTART, SEARCH_INTERRUPTED);
	}
	if (d->s->reduction && !d->told)
		spread_check_pass(d);
	if (!d->port->rank && !d->ended)
		judge(d);
	return m;
}

static enum move work(struct spread *d)
{
	enum move m = d->s->ticks >= d->s->pause_at ? spread_pause(d) : MOVE_KNOWN;
	for (; d->rests.len && m < MOVE_HALT; d->rests.len -= sizeof(struct node *))
		m = spread_extend_rest(d, ((struct node **)(d->rests.data + d->rests.len))[-1]);
	for (u32 i = 0; i < LOOK_EVERY && d->stack.len && m < MOVE_HALT; i++) {
		d->stack.len -= sizeof(struct node *);
		struct node *n = *(struct node **)(d->stack.data + d->stack.len);
		m = spread_extend(d, n);
		node_put(&d->nodes, n);
		if (d->hanging.len)
			spread_share(d);
	}
	return m;
}

/* This rank's own reason to end, or to begin again, is told to all. */
static void pass_on(struct spread *d, enum move m)
{
	const struct target_team *t = d->s->ops->team;
	if (m == MOVE_RESTART)
		spread_stop_all(d, t && t->wants_alone(d->s->self) ? SPREAD_ALONE : SPREAD_RESTART,
				SEARCH_INTERRUPTED);
	else if (m == MOVE_HALT)
		spread_stop_all(d, SPREAD_OVER, d->s->end);
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
		flush_some(d);
		if (!d->told) {
			if (d->port->rank == 0 && is_quiet(d))
				probe(d);
			spread_want(d);
			if (!(++rests & 63))
				pass_on(d, search_poll(d->s));
		}
		if (!d->port->rank)
			judge(d);
		d->port->rest(d->port->self);
	}
}

/* Of one pass. */
static void forget(struct spread *d)
{
	if (d->owner)
		pages_unmap(d->owner, d->port->ranks * sizeof(*d->owner));
	if (d->cache)
		pages_unmap(d->cache, d->cache_size * sizeof(*d->cache));
	d->owner = NULL;
	d->cache = NULL;
	nodes_free(&d->nodes);
	d->stack.len = d->rests.len = d->hanging.len = 0;
	d->unanswered = d->to_ask = d->sent = d->received = 0;
	d->want_from = d->port->rank;
	d->in_vain = d->hangs_on = 0;
	d->wanted = d->ended = d->told = d->probing = d->last_quiet = false;
	d->stale_at = 0;
}

struct spread *spread_new(struct search *s)
{
	struct spread *d = pages_map(sizeof(*d));
	hd_assert(d); /* the others would wait for ever: its controller tells them */
	d->s = s;
	d->port = s->hooks->port;
	d->batch = HD_MAX(HD_MIN(QUESTIONS / d->port->ranks, BATCH_MAX), BATCH_MIN);
	if (s->ops->team)
		s->ops->team->join(s->self, say, d);
	if (s->reduction)
		spread_share_facts(d);
	return d;
}

void spread_free(struct spread *d)
{
	if (!d)
		return;
	forget(d);
	pages_vec_free(&d->stack);
	pages_vec_free(&d->rests);
	pages_vec_free(&d->way);
	pages_vec_free(&d->actions);
	pages_vec_free(&d->hanging);
	pages_unmap(d, sizeof(*d));
}

u32 spread_rank(const struct spread *d)
{
	return d->port->rank;
}

void spread_walked(struct spread *d, u32 move)
{
	d->walks_ended = move == MOVE_HALT;
	if (move == MOVE_HALT) {
		d->beyond = true;
		d->before = d->s->root;
	}
}

static enum move begin(struct spread *d)
{
	struct search *s = d->s;
	d->root = d->here = node_new(&d->nodes, NULL, 0, 0);
	d->cache_size = CACHE_MIN;
	d->cached = 0;
	d->cache = pages_map(d->cache_size * sizeof(*d->cache));
	d->owner = pages_map(d->port->ranks * sizeof(*d->owner));
	if (!d->root || !d->cache || !d->owner)
		return search_halt(s, SEARCH_LIMIT_MEMORY);
	d->root->refs = 3;
	if (d->walks_ended)
		return MOVE_HALT;
	struct fingerprint fp = s->ops->fingerprint(s->self);
	/* The initial state is known to its owner from the beginning, and rank 0's to extend. */
	if (spread_owner(fp, d->port->ranks) == d->port->rank && visited_insert(&s->visited, fp) < 0)
		return search_halt(s, SEARCH_LIMIT_MEMORY);
	if (d->port->rank)
		return MOVE_KNOWN;
	s->stats->states++;
	return spread_push(d, d->root) ? MOVE_KNOWN : search_halt(s, SEARCH_LIMIT_MEMORY);
}

static u64 spread_memory(const struct search *s)
{
	const struct spread *d = s->spread;
	return d->nodes.bytes + d->stack.cap + d->rests.cap + d->way.cap + d->actions.cap +
	       d->cache_size * sizeof(*d->cache);
}

static enum move spread_run(struct search *s)
{
	struct spread *d = s->spread;
	enum move m = MOVE_HALT;
	pass_on(d, begin(d));
	/* A rank that has learnt of shorter steps since the last pass can't make those of the others. */
	if (search_is_stale(s))
		pass_on(d, MOVE_RESTART);
	loop(d);
	d->port->why = d->reason.why;
	s->end = (enum search_end)d->reason.end;
	if (d->reason.why == SPREAD_PASS) {
		m = spread_go_back(d);
		d->pass++;
		s->another_pass = true;
		s->keeps_steps = search_is_stale(s);
	}
	forget(d);
	return m;
}

const struct strategy strategy_spread = {
	.run = spread_run, .memory = spread_memory, .reduces = true, .walks = true};
