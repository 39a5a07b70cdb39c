/*
 * Scripts of random graphs are recorded, followed, and forged: words are changed, dropped, doubled,
 *
 * exchanged,
 * subtrees cut away, numbers and labels altered. A forgery that is followed to its end without a deviation
 * must have led through every state and every transition all the same: then it was none.
 *
 * FORGERIES=N: so many, in place of 20,000.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "search/follow.h"
#include "toy.h"

#define STATES 24
#define WORDS 4096
#define NUMBERS 4096

static u64 random_state = 1;

static u32 draw(u32 below)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return below ? (u32)(random_state >> 33) % below : 0;
}

/* var[0] is the state; an edge is an action of fiber 0 to 3. */
struct graph {
	u32 states, edges[STATES];
	int to[STATES][4]; /* -1: nowhere */
};

static u32 graph_actions(const struct toy *t, u32 *out)
{
	const struct graph *g = t->model->arg;
	u32 n = g->edges[t->var[0]];

	for (u32 i = 0; i < n; i++)
		out[i] = i << 16;
	return n;
}

static enum step_result graph_step(struct toy *t, u32 action)
{
	const struct graph *g = t->model->arg;
	int to = g->to[t->var[0]][action >> 16];

	if (to < 0)
		return STEP_PRUNED;
	toy_set(t, 0, to);
	return STEP_OK;
}

static void make_graph(struct graph *g)
{
	*g = (struct graph){.states = 2 + draw(STATES - 2)};
	for (u32 i = 0; i < g->states; i++) {
		g->edges[i] = draw(5);
		for (u32 k = 0; k < g->edges[i]; k++)
			g->to[i][k] = draw(20) ? (int)draw(g->states) : -1;
	}
	g->edges[0] += !g->edges[0];
}

struct tape {
	u32 word[WORDS], n, at;
};

static bool keep(void *self, const u32 *word, u32 n)
{
	struct tape *t = self;

	assert_true(t->n + n <= WORDS);
	memcpy(t->word + t->n, word, n * sizeof(*word));
	t->n += n;
	return true;
}

static u32 give(void *self, u32 *word, u32 room)
{
	struct tape *t = self;
	u32 n = HD_MIN(HD_MIN(t->n - t->at, room), 1 + draw(7));

	memcpy(word, t->word + t->at, n * sizeof(*word));
	t->at += n;
	return n;
}

static bool never_again(void *self)
{
	(void)self;
	return false;
}

static void record(const struct toy_model *model, struct tape *tape, struct search_stats *truth)
{
	const struct search_options o = {.strategy = SEARCH_DFS};
	const struct tape_sink sink = {keep, tape};
	struct toy t;
	u32 from = 0;

	toy_init(&t, model);
	t.hooks.record = &sink;
	tape->n = 0;
	assert_int_equal(toy_search(&t, &o), SEARCH_COMPLETE);
	*truth = t.stats;
	toy_free(&t);
	/* Labels come first, then TAPE_BEGIN; a follower is told so. */
	struct tape sorted = {.n = 0};
	for (u32 pass = 0; pass < 2; pass++) {
		for (from = 0; from < tape->n;) {
			u32 tag = TAPE_TAG(tape->word[from]), value = TAPE_VALUE(tape->word[from]);
			u32 len = 1 + (tag == TAPE_LABEL                       ? 4
				       : tag == TAPE_ENTER || tag == TAPE_MORE ? value
									       : 0);
			bool first = tag == TAPE_LABEL;
			if (tag != TAPE_FACT && tag != TAPE_BEGIN && first == !pass)
				keep(&sorted, tape->word + from, len);
			from += len;
		}
		if (!pass) {
			const u32 begin = TAPE_WORD(TAPE_BEGIN, 0);
			keep(&sorted, &begin, 1);
		}
	}
	*tape = sorted;
	tape->word[tape->n - 1] = TAPE_WORD(TAPE_END, 0);
}

/* Is the script certified? */
static bool follow(const struct toy_model *model, struct tape *tape, struct search_stats *stats,
		   u32 *distinct)
{
	static struct fingerprint prints[NUMBERS];
	const struct search_options o = {.strategy = SEARCH_DFS};
	const struct tape_source source = {give, never_again, tape};
	struct wire_followed out = {0};
	struct follow f = {.from = &source, .prints = prints, .room = NUMBERS, .out = &out};
	struct toy t;

	memset(prints, 0, sizeof(prints));
	tape->at = 0;
	toy_init(&t, model);
	t.hooks.follow = &f;
	enum search_end end = toy_search(&t, &o);
	*stats = t.stats;
	toy_free(&t);
	*distinct = 0;
	for (u32 i = 1; i < NUMBERS; i++) {
		u32 k = 1;
		while (k < i && (prints[k].lo != prints[i].lo || prints[k].hi != prints[i].hi))
			k++;
		*distinct += k == i && (prints[i].lo | prints[i].hi);
		if (!(prints[i].lo | prints[i].hi) && i > 4 * STATES)
			break;
	}
	return end == SEARCH_COMPLETE && out.whole && !out.deviation && !out.unfinished;
}

static u32 some_record(const struct tape *t, u32 *len)
{
	u32 at[WORDS + 2], n = 0, chosen;

	for (u32 i = 0; i < t->n;) {
		u32 tag = TAPE_TAG(t->word[i]), value = TAPE_VALUE(t->word[i]);
		at[n++] = i;
		i += 1 + (tag == TAPE_LABEL ? 4 : tag == TAPE_ENTER || tag == TAPE_MORE ? value : 0);
	}
	at[n] = t->n;
	chosen = draw(n);
	*len = at[chosen + 1] - at[chosen];
	return at[chosen];
}

static void cut(struct tape *t, u32 at, u32 n)
{
	memmove(t->word + at, t->word + at + n, (t->n - at - n) * sizeof(u32));
	t->n -= n;
}

static void insert(struct tape *t, u32 at, const u32 *word, u32 n)
{
	if (t->n + n > WORDS)
		return;
	memmove(t->word + at + n, t->word + at, (t->n - at) * sizeof(u32));
	memcpy(t->word + at, word, n * sizeof(u32));
	t->n += n;
}

/* A state that is entered becomes one that was met: what lies below it is cut away. */
static void cut_subtree(struct tape *t)
{
	u32 len, at = some_record(t, &len), depth = 0, i = at;

	if (TAPE_TAG(t->word[at]) != TAPE_ENTER)
		return;
	do {
		u32 tag = TAPE_TAG(t->word[i]);
		depth += tag == TAPE_ENTER;
		depth -= tag == TAPE_LEAVE;
		i += 1 + (tag == TAPE_ENTER ? TAPE_VALUE(t->word[i]) : 0);
	} while (depth && i < t->n);
	cut(t, at, HD_MIN(i, t->n) - at);
	insert(t, at, &(u32){TAPE_WORD(TAPE_KNOWN, 1 + draw(6))}, 1);
}

static void forge(struct tape *t)
{
	if (!t->n)
		return;
	u32 len, at = some_record(t, &len), copy[WORDS];
	u32 *w = &t->word[at], tag = TAPE_TAG(*w);

	switch (draw(9)) {
	case 0: /* another value */
		*w = TAPE_WORD(tag, draw(8) ? draw(STATES) : (u32)random_state);
		break;
	case 1: /* another kind of record */
		*w = TAPE_WORD(draw(16), TAPE_VALUE(*w));
		break;
	case 2: /* dropped */
		cut(t, at, len);
		break;
	case 3: /* twice */
		memcpy(copy, w, len * sizeof(*w));
		insert(t, at, copy, len);
		break;
	case 4: /* another label, or another order */
		if (len > 1)
			w[1 + draw(len - 1)] = draw(6);
		break;
	case 5: /* a transition less */
		if (tag == TAPE_ENTER && len > 1) {
			*w = TAPE_WORD(TAPE_ENTER, len - 2);
			cut(t, at + 1 + draw(len - 1), 1);
		}
		break;
	case 6:
		cut_subtree(t);
		break;
	case 7: /* cut short */
		t->n = draw(t->n);
		break;
	default: /* put elsewhere */
		memcpy(copy, w, len * sizeof(*w));
		cut(t, at, len);
		insert(t, draw(t->n), copy, len);
	}
}

static void true_scripts_are_certified(void **unused)
{
	(void)unused;
	for (u32 i = 0; i < 500; i++) {
		struct graph g;
		const struct toy_model model = {
			.vars = 1, .actions = graph_actions, .step = graph_step, .arg = &g};
		struct search_stats truth, found;
		struct tape tape;
		u32 distinct;

		make_graph(&g);
		record(&model, &tape, &truth);
		assert_true(follow(&model, &tape, &found, &distinct));
		assert_int_equal(found.states, truth.states);
		assert_int_equal(found.transitions, truth.transitions);
		assert_int_equal(distinct, truth.states);
	}
}

static void no_forgery_is_certified(void **unused)
{
	const char *wanted = getenv("FORGERIES");
	u64 count = wanted ? strtoull(wanted, NULL, 10) : 20000, passed = 0;
	struct graph g;
	const struct toy_model model = {.vars = 1, .actions = graph_actions, .step = graph_step, .arg = &g};
	struct search_stats truth = {0}, found;
	struct tape tape, forged;

	(void)unused;
	for (u64 i = 0; i < count; i++) {
		u32 distinct;

		if (i % 20 == 0) {
			make_graph(&g);
			record(&model, &tape, &truth);
		}
		forged = tape;
		for (u32 k = 1 + draw(3); k; k--)
			forge(&forged);
		if (!follow(&model, &forged, &found, &distinct))
			continue;
		passed++;
		assert_int_equal(distinct, truth.states);
		assert_true(found.states >= truth.states && found.transitions >= truth.transitions);
	}
	print_message("%lu forgeries, %lu of them true after all\n", count, passed);
}

/* Of a part, every step of busy waiting is noted: here even actions, of a script that is all one part. */
static bool is_even(void *self, u32 action)
{
	(void)self;
	return (action >> 16) % 2 == 0;
}

static bool yes(void *self)
{
	(void)self;
	return true;
}

static u32 even_edges(const struct graph *g)
{
	bool met[STATES] = {true};
	u32 queue[STATES] = {0}, n = 1, count = 0;

	for (u32 i = 0; i < n; i++)
		for (u32 k = 0; k < g->edges[queue[i]]; k++) {
			int to = g->to[queue[i]][k];
			count += to >= 0 && is_even(NULL, k << 16);
			if (to >= 0 && !met[to]) {
				met[to] = true;
				queue[n++] = (u32)to;
			}
		}
	return count;
}

static void busy_waiting_in_parts_is_noted(void **unused)
{
	static struct fingerprint prints[NUMBERS];
	static u8 cover[NUMBERS];
	static struct wire_busy_edge busy[WORDS];
	static struct wire_range_made range[16];

	(void)unused;
	for (u32 i = 0; i < 200; i++) {
		struct graph g;
		const struct toy_model model = {
			.vars = 1, .actions = graph_actions, .step = graph_step, .arg = &g};
		const struct search_options o = {.strategy = SEARCH_DFS};
		struct search_stats truth;
		struct tape tape;
		struct toy t;

		make_graph(&g);
		record(&model, &tape, &truth);
		const struct tape_source source = {give, never_again, &tape};
		struct wire_followed out = {0};
		u32 room = i % 4 ? WORDS : 0;
		struct follow f = {.from = &source,
				   .part = true,
				   .prints = prints,
				   .room = NUMBERS,
				   .cover = cover,
				   .range = range,
				   .busy = busy,
				   .busy_room = room,
				   .out = &out};
		memset(prints, 0, sizeof(prints));
		tape.at = 0;
		toy_init(&t, &model);
		t.hooks.follow = &f;
		struct target_ops ops = *t.target.ops;
		ops.busy = is_even;
		ops.can_livelock = yes;
		t.target.ops = &ops;
		assert_int_equal(toy_search(&t, &o), SEARCH_COMPLETE);
		assert_int_equal(out.busy_edges, room ? even_edges(&g) : 0);
		assert_int_equal(out.busy_lost, !room && even_edges(&g));
		toy_free(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(true_scripts_are_certified),
		cmocka_unit_test(busy_waiting_in_parts_is_noted),
		cmocka_unit_test(no_forgery_is_certified),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
