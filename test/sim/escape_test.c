/*
 * Livelocks in a search by several workers (search/escape.h): on random graphs some of whose edges are busy
 * waiting, whatever worker takes which edge, a livelock is found exactly where there is one: a state from
 * which nothing but steps of waiting can ever be reached.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "graph.h"
#include "together.h"

#define WORKERS_MAX 3
#define GRAPHS 120

static struct shared {
	struct graph g;
	u64 seed;
	bool idle; /* no state is a livelock, all of them idle */
	bool slow; /* steps take their time, so that others get a part of each loop */
	u64 states[WORKERS_MAX];
	u32 told, at_the_end;
	enum search_end end[WORKERS_MAX];
} * shared;

/* Four of five edges wait; and all of them in some graphs. */
static bool is_busy(u32 node, u32 edge)
{
	return shared->seed % 4 == 0 || (node * 7 + edge * 3 + shared->seed) % 5;
}

static bool busy(void *t, u32 action)
{
	if (shared->slow)
		usleep(100);
	return is_busy(graph_at(t), MODEL_FIBER(action) * 2 + (action & 1));
}

static bool yes(void *t)
{
	(void)t;
	return true;
}

static bool idles(void *t)
{
	(void)t;
	return shared->idle;
}

static void livelock(void *t)
{
	((struct toy *)t)->key = 1;
}

static void join(void *t, void (*say)(void *to, const u64 *word, u32 words), void *to)
{
	(void)t;
	(void)say;
	(void)to;
}

static void leave(void *t)
{
	(void)t;
}

static bool hear(void *t, const u64 *word, u32 words)
{
	(void)t;
	(void)word;
	(void)words;
	return false;
}

static bool never(void *t)
{
	(void)t;
	return false;
}

static void goes_alone(void *t, enum target_alone why)
{
	(void)t;
	assert_int_equal(why, TARGET_ALONE_LIVELOCK);
	__atomic_fetch_add(&shared->at_the_end, 1, __ATOMIC_RELAXED);
}

static const struct target_team team = {
	.join = join, .leave = leave, .hear = hear, .wants_alone = never, .goes_alone = goes_alone};

static void work(struct team_member *m, void *arg)
{
	struct toy_model model = graph_model(&shared->g);
	struct toy t;
	(void)arg;
	toy_init(&t, &model);
	struct target_ops ops = *t.target.ops;
	ops.busy = busy;
	ops.can_livelock = yes;
	ops.livelock = livelock;
	ops.idles = ops.would_idle = idles;
	ops.team = &team;
	t.target.ops = &ops;
	t.hooks.team = m;
	shared->end[m->number] = toy_search(&t, &(struct search_options){.strategy = SEARCH_DFS});
	shared->states[m->number] = t.stats.states;
	__atomic_fetch_add(&shared->told, t.told, __ATOMIC_RELAXED);
}

/* A state that can be reached, and from which none can be that escapes; slow and plain. */
static bool has_livelock(const struct graph *g)
{
	u64 distance[GRAPH_NODES];
	bool escapes[GRAPH_NODES] = {false}, found = false;
	graph_distances(g, distance);
	for (bool changed = true; changed;) {
		changed = false;
		for (u32 i = 0; i < g->nodes; i++) {
			const struct graph_node *n = &g->node[i];
			bool out = !n->edges;
			for (u32 e = 0; e < n->edges; e++)
				out |= n->result[e] != STEP_OK || !is_busy(i, e) || escapes[n->to[e]];
			changed |= out && !escapes[i];
			escapes[i] |= out;
		}
	}
	for (u32 i = 0; i < g->nodes; i++)
		found |= distance[i] != ~0ull && !escapes[i];
	return found;
}

static void make_graph(u64 seed)
{
	shared->seed = seed;
	graph_random(&shared->g, seed);
	for (u32 i = 0; i < shared->g.nodes; i++) {
		shared->g.node[i].bad = false;
		for (u32 e = 0; e < shared->g.node[i].edges; e++)
			if (shared->g.node[i].result[e] == STEP_VIOLATION)
				shared->g.node[i].result[e] = STEP_OK;
	}
}

static void run(u32 workers)
{
	shared->told = 0;
	assert_int_equal(together_run(workers, work, NULL), 0);
}

static void look_for_one(u32 workers, bool expected)
{
	run(workers);
	assert_int_equal(shared->told > 0, expected);
	assert_int_equal(shared->end[0], expected ? SEARCH_VIOLATION : SEARCH_COMPLETE);
}

static void livelocks_are_found(void **state)
{
	u32 right[2] = {0};
	(void)state;
	for (u64 seed = 1; seed <= GRAPHS; seed++) {
		make_graph(seed);
		bool expected = has_livelock(&shared->g);
		right[expected]++;
		for (u32 workers = 1; workers <= WORKERS_MAX; workers++)
			look_for_one(workers, expected);
	}
	assert_true(right[0] > GRAPHS / 10 && right[1] > GRAPHS / 10);
	/* Some have to be found by looking at what all have told, else that is not tested. */
	shared->slow = true;
	for (u64 seed = 1; seed <= 20 * GRAPHS && !shared->at_the_end; seed++) {
		make_graph(seed);
		look_for_one(WORKERS_MAX, has_livelock(&shared->g));
	}
	shared->slow = false;
	assert_true(shared->at_the_end > 0);
}

/* And then all of it is explored by all, as if there were none. */
static void idling_is_none(void **state)
{
	(void)state;
	shared->idle = true;
	for (u64 seed = 1; seed <= GRAPHS / 4; seed++) {
		make_graph(seed);
		run(2);
		assert_int_equal(shared->told, 0);
		assert_int_equal(shared->states[0] + shared->states[1],
				 graph_enumerate(&shared->g, ~0ull).states);
	}
	assert_int_equal(shared->at_the_end, 0);
}

static int setup(void **state)
{
	(void)state;
	shared = together_memory(sizeof(*shared));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	return munmap(shared, sizeof(*shared));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(livelocks_are_found, setup, teardown),
		cmocka_unit_test_setup_teardown(idling_is_none, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
