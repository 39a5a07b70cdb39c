/*
 * Observers: what they are told agrees with what there is, for each strategy; and they can end a search
 * anywhere.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "graph.h"
#include "search/search_priv.h"

/* What one observer saw. Static: an observer is a table of functions, its memory is what begin returns. */
static struct seen {
	u64 begins, ends, enters, steps, leaves, edges[4];
	u64 deepest;
	u32 node[4096]; /* dfs: of the states that were entered and not left */
	u64 open;
	u64 calls, halt_at; /* 0: never */
	bool nested, wanted, in_step;
	u32 pending;
} seen;

static u32 node_of(struct search *s)
{
	return graph_at(s->self);
}

static enum move call(struct search *s)
{
	return ++seen.calls == seen.halt_at ? search_halt(s, SEARCH_STOPPED) : MOVE_KNOWN;
}

static void *see_begin(struct search *s)
{
	seen.begins++;
	seen.open = 0;
	assert_int_equal(search_depth(s), 0);
	return seen.wanted ? &seen : NULL;
}

static enum move see_enter(void *self, struct search *s, const u32 *actions, u32 n)
{
	assert_ptr_equal(self, &seen);
	assert_false(seen.in_step);
	u32 expected[GRAPH_EDGES];
	assert_int_equal(graph_actions(s->self, expected), n);
	assert_memory_equal(actions, expected, n * sizeof(*actions));
	seen.enters++;
	if (seen.nested)
		assert_int_equal(search_depth(s), seen.open);
	assert_true(seen.open < HD_ARRAY_LEN(seen.node));
	seen.node[seen.open++] = node_of(s);
	seen.deepest = HD_MAX(seen.deepest, search_depth(s));
	return call(s);
}

static enum move see_step(void *self, struct search *s, u32 action)
{
	(void)self;
	assert_false(seen.in_step);
	assert_int_equal(seen.node[seen.open - 1], node_of(s));
	seen.in_step = true;
	seen.pending = action;
	seen.steps++;
	return call(s);
}

static enum move see_edge(void *self, struct search *s, u32 action, enum edge to)
{
	(void)self;
	assert_true(seen.in_step);
	assert_int_equal(action, seen.pending);
	const struct graph *g = ((struct toy *)s->self)->model->arg;
	const struct graph_node *from = &g->node[seen.node[seen.open - 1]];
	u32 edge = MODEL_FIBER(action) * 2 + (action & 1);
	assert_int_equal(node_of(s), from->to[edge]);
	assert_int_equal(to == EDGE_DEAD, from->result[edge] != STEP_OK);
	if (to == EDGE_END)
		assert_int_equal(g->node[node_of(s)].edges, 0);
	seen.in_step = false;
	seen.edges[to]++;
	return call(s);
}

static enum move see_leave(void *self, struct search *s)
{
	(void)self;
	assert_true(seen.open > 0);
	seen.open--;
	if (s->o->strategy <= SEARCH_BFS)
		assert_int_equal(seen.node[seen.open], node_of(s));
	seen.leaves++;
	return call(s);
}

static void see_end(void *self, struct search *s)
{
	(void)self;
	(void)s;
	seen.ends++;
}

static const struct observer observer = {
	.begin = see_begin,
	.enter = see_enter,
	.step = see_step,
	.edge = see_edge,
	.leave = see_leave,
	.end = see_end,
};

static enum search_end observe(const struct graph *g, enum search_strategy strategy, bool wanted, u64 halt_at,
			       struct search_stats *stats)
{
	struct toy_model m = graph_model(g);
	struct search_options o = {.strategy = strategy, .keep_going = true, .max_runs = 20, .seed = 7};
	struct toy t;
	toy_init(&t, &m);
	t.hooks.observer[0] = &observer;
	seen = (struct seen){.nested = strategy == SEARCH_DFS, .wanted = wanted, .halt_at = halt_at};
	enum search_end end = toy_search(&t, &o);
	*stats = t.stats;
	toy_free(&t);
	return end;
}

static void every_state_and_edge_once(void **state)
{
	(void)state;
	for (u64 seed = 1; seed < 300; seed++) {
		struct graph g;
		graph_random(&g, seed);
		for (enum search_strategy strategy = SEARCH_DFS; strategy <= SEARCH_BFS; strategy++) {
			struct search_stats st;
			assert_int_equal(observe(&g, strategy, true, 0, &st), SEARCH_COMPLETE);
			assert_int_equal(seen.begins, 1);
			assert_int_equal(seen.ends, 1);
			assert_int_equal(seen.enters, seen.leaves);
			u64 extended = g.node[0].edges ? 1 : 0;
			assert_int_equal(seen.enters, extended + seen.edges[EDGE_NEW]);
			assert_int_equal(st.states, 1 + seen.edges[EDGE_NEW] + seen.edges[EDGE_END]);
			assert_int_equal(seen.steps, st.transitions + st.pruned);
			assert_int_equal(st.revisited, seen.edges[EDGE_KNOWN]);
		}
	}
}

static void walks_tell_too(void **state)
{
	(void)state;
	for (u64 seed = 1; seed < 50; seed++) {
		struct graph g;
		graph_random(&g, seed);
		for (enum search_strategy strategy = SEARCH_RANDOM; strategy <= SEARCH_PCT; strategy++) {
			struct search_stats st;
			struct toy_model m = graph_model(&g);
			struct search_options o = {
				.strategy = strategy, .keep_going = true, .max_runs = 20, .max_depth = 50};
			struct toy t;
			toy_init(&t, &m);
			t.hooks.observer[0] = &observer;
			seen = (struct seen){.wanted = true};
			toy_search(&t, &o);
			st = t.stats;
			toy_free(&t);
			assert_int_equal(seen.steps, st.transitions + st.pruned);
			assert_int_equal(seen.enters, seen.steps);
			assert_true(seen.leaves <= seen.enters);
		}
	}
}

static void nobody_is_told_who_does_not_want_to(void **state)
{
	(void)state;
	struct graph g;
	graph_random(&g, 3);
	struct search_stats st;
	assert_int_equal(observe(&g, SEARCH_DFS, false, 0, &st), SEARCH_COMPLETE);
	assert_int_equal(seen.begins, 1);
	assert_int_equal(seen.enters + seen.steps + seen.leaves + seen.ends, 0);
}

static void an_observer_ends_the_search_anywhere(void **state)
{
	(void)state;
	u64 all = 0;
	for (u64 seed = 1; seed < 20; seed++) {
		struct graph g;
		graph_random(&g, seed);
		for (enum search_strategy strategy = SEARCH_DFS; strategy <= SEARCH_BFS; strategy++) {
			struct search_stats st;
			observe(&g, strategy, true, 0, &st);
			u64 calls = seen.calls;
			all += calls;
			for (u64 i = 1; i <= calls; i++) {
				assert_int_equal(observe(&g, strategy, true, i, &st), SEARCH_STOPPED);
				assert_int_equal(seen.calls, i);
				assert_int_equal(seen.ends, 1);
			}
		}
	}
	assert_true(all > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_state_and_edge_once),
		cmocka_unit_test(walks_tell_too),
		cmocka_unit_test(nobody_is_told_who_does_not_want_to),
		cmocka_unit_test(an_observer_ends_the_search_anywhere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
