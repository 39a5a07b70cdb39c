/*
 * livelock_test.c: the detector against brute force: on random small graphs, the components it tells are
 * exactly those with a cycle, without an edge to the outside, whose inner edges are all busy waiting; and the
 * round it tells leads back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "search/livelock.h"

#define NODES 9
#define STEP(is_busy) \
	(struct target_loop) \
	{ \
		.steps = (is_busy) ? LOOP_WAITS : LOOP_WORKS \
	}
#define END (NODES) /* an edge to the end of an execution */

struct graph {
	int n;
	int edges[NODES]; /* out-degree */
	int to[NODES][4];
	bool busy[NODES][4];
};

struct walk {
	const struct graph *g;
	struct livelock l;
	bool seen[NODES], told[NODES];
	u32 path[NODES * 8];
	int node[NODES * 8]; /* the state before each action of the path */
	u64 depth;
};

static u64 seed;

static u32 dice(u32 sides)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (u32)(seed >> 33) % sides;
}

static struct graph random_graph(void)
{
	struct graph g = {.n = 2 + (int)dice(NODES - 1)};
	for (int i = 0; i < g.n; i++) {
		g.edges[i] = 1 + (int)dice(3);
		for (int e = 0; e < g.edges[i]; e++) {
			g.to[i][e] = dice(12) ? (int)dice((u32)g.n) : END;
			g.busy[i][e] = dice(6) != 0;
		}
	}
	return g;
}

static struct fingerprint print_of(int node)
{
	/* The same home slot for several nodes: removal has to shift entries. */
	return (struct fingerprint){(u64)(node / 3), (u64)node + 1};
}

static void check_round(const struct walk *w, int node, const u32 *round, u64 len)
{
	int at = node;
	assert_true(len > 0);
	for (u64 i = 0; i < len; i++) {
		assert_true((int)round[i] < w->g->edges[at]);
		at = w->g->to[at][round[i]];
		assert_int_not_equal(at, END);
	}
	assert_int_equal(at, node);
}

static void visit(struct walk *w, int node, bool busy)
{
	w->seen[node] = true;
	livelock_enter(&w->l, print_of(node), STEP(busy));
	for (int e = 0; e < w->g->edges[node]; e++) {
		int to = w->g->to[node][e];
		w->path[w->depth++] = (u32)e;
		if (to == END)
			livelock_out(&w->l);
		else if (w->seen[to])
			livelock_known(&w->l, print_of(to), STEP(w->g->busy[node][e]), w->path, w->depth);
		else
			visit(w, to, w->g->busy[node][e]);
		w->depth--;
	}
	const u32 *round;
	u64 len;
	if (livelock_leave(&w->l, &round, &len)) {
		w->told[node] = true;
		check_round(w, node, round, len);
	}
}

static void reach(const struct graph *g, bool r[NODES][NODES])
{
	for (int i = 0; i < g->n; i++)
		for (int e = 0; e < g->edges[i]; e++)
			if (g->to[i][e] != END)
				r[i][g->to[i][e]] = true;
	for (int k = 0; k < g->n; k++)
		for (int i = 0; i < g->n; i++)
			for (int j = 0; j < g->n; j++)
				r[i][j] |= r[i][k] && r[k][j];
}

/* Is the component of this node (which can reach itself) a livelock? */
static bool is_livelock(const struct graph *g, bool r[NODES][NODES], int node)
{
	for (int i = 0; i < g->n; i++) {
		if (i != node && !(r[node][i] && r[i][node]))
			continue;
		for (int e = 0; e < g->edges[i]; e++) {
			int to = g->to[i][e];
			if (to == END || !r[to][node] || !g->busy[i][e])
				return false;
		}
	}
	return r[node][node];
}

static void same_as_brute_force(void **state)
{
	(void)state;
	int livelocks = 0;
	for (seed = 1; seed < 20000;) {
		u64 start = seed;
		struct graph g = random_graph();
		struct walk w = {.g = &g};
		bool r[NODES][NODES] = {{false}};
		reach(&g, r);
		assert_true(livelock_begin(&w.l));
		visit(&w, 0, false);
		livelock_end(&w.l);
		for (int i = 0; i < g.n; i++) {
			bool told = false;
			for (int j = 0; j < g.n; j++)
				told |= w.told[j] && (i == j || (r[i][j] && r[j][i]));
			assert_int_equal(told, w.seen[i] && is_livelock(&g, r, i));
			livelocks += w.told[i];
		}
		seed = start + 1;
	}
	assert_true(livelocks > 1000);
}

static void many_open_states(void **state)
{
	(void)state;
	struct livelock l;
	const u32 *round;
	u64 len;
	assert_true(livelock_begin(&l));
	u32 *path = calloc(20001, sizeof(*path));
	for (u64 i = 0; i < 20000; i++)
		livelock_enter(&l, (struct fingerprint){i * 7, i}, STEP(i > 0));
	livelock_known(&l, (struct fingerprint){0, 0}, STEP(true), path, 20000);
	for (u64 i = 0; i < 19999; i++)
		assert_false(livelock_leave(&l, &round, &len));
	assert_true(livelock_leave(&l, &round, &len));
	assert_int_equal(len, 20000);
	free(path);
	livelock_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_as_brute_force),
		cmocka_unit_test(many_open_states),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
