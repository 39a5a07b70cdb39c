/*
 * How a script is cut. A subgraph is an interval of the script's transitions: those made between entering its
 * root and leaving it. A part is a set of intervals; what others have taken out of it before is missing.
 */
#include <stdlib.h>
#include <string.h>

#include "script/part.h"

static int no_memory(struct problem *p)
{
	return problem_set(p, "out of memory");
}

void partition_free(struct partition *q)
{
	for (u32 i = 0; i < q->parts; i++)
		free(q->part[i].interval);
	free(q->part);
	memset(q, 0, sizeof(*q));
}

static int add_interval(struct partition_part *to, u64 from, u64 end)
{
	struct script_interval *grown;

	if (from >= end)
		return 0;
	grown = realloc(to->interval, (to->intervals + 1) * sizeof(*grown));
	if (!grown)
		return -1;
	to->interval = grown;
	grown[to->intervals++] = (struct script_interval){from, end};
	to->transitions += end - from;
	return 0;
}

static int cut_evenly(struct partition *out, const struct script *s, u32 k, struct problem *p)
{
	u64 all = s->transitions;

	for (u32 i = 0; i < k; i++) {
		u64 from = (u64)((unsigned __int128)all * i / k),
		    to = (u64)((unsigned __int128)all * (i + 1) / k);
		if (add_interval(&out->part[i], from, to))
			return no_memory(p);
		out->part[i].root = i == 0;
		/* A state without transitions is a script, too. */
		if (!all && i == 0 && !(out->part[0].interval = calloc(1, sizeof(struct script_interval))))
			return no_memory(p);
		out->part[i].intervals += !all && i == 0;
	}
	return 0;
}

/* ---- the greedy algorithm ---- */

struct subgraph {
	u64 start, size; /* where it lies, */
	u64 told;        /* and what Subgraphs says of what remains of it; 0: it is taken */
};

static int read_subgraphs(struct script *s, struct subgraph *g, struct problem *p)
{
	struct script_event e;
	int ret = script_rewind(s, p);

	for (e.kind = SCRIPT_ENTER; ret == 0 && e.kind != SCRIPT_END;) {
		u64 size = s->model.frames ? model_top(&s->model)->size : 0;
		u64 start = s->model.frames ? model_top(&s->model)->start : 0;
		ret = script_next(s, &e, p);
		if (ret == 0 && e.kind == SCRIPT_LEAVE)
			g[e.number] = (struct subgraph){start, size, e.size};
	}
	/* Of a search that was cut short, some states were not left. */
	for (u32 i = 0; ret == 0 && i < s->model.frames; i++) {
		const struct model_frame *f = &s->model.frame[i];
		g[f->number] = (struct subgraph){f->start, s->transitions - f->start,
						 s->transitions - f->start};
	}
	return ret;
}

static u64 distance(u64 a, u64 b)
{
	return a > b ? a - b : b - a;
}

/*
 * The subgraph whose size is closest to what each of the remaining parts should have, left / parts; 0: none
 * is left. Of two that are as close the smaller one, of two of one size the first.
 */
static u32 closest(const struct subgraph *g, u64 states, u64 left, u32 parts)
{
	u32 best = 0;
	u64 best_distance = 0;

	for (u32 i = 2; i <= states; i++) {
		u64 d = distance(g[i].told * parts, left);
		if (g[i].told &&
		    (!best || d < best_distance || (d == best_distance && g[i].told < g[best].told))) {
			best = i;
			best_distance = d;
		}
	}
	return best;
}

/* owner: of each transition's interval, kept as a sorted list of those taken so far. */
struct taken {
	struct script_interval at;
	u32 part;
};

static int by_start(const void *a, const void *b)
{
	const struct taken *x = a, *y = b;
	u64 size_x = x->at.to - x->at.from, size_y = y->at.to - y->at.from;

	if (x->at.from != y->at.from)
		return x->at.from < y->at.from ? -1 : 1;
	return size_x == size_y ? 0 : size_x > size_y ? -1 : 1; /* the outer one first */
}

/* Nested intervals, the inner ones taken out of the outer ones: what is whose. */
static int share_out(struct partition *out, struct taken *t, u32 n, struct problem *p)
{
	u32 *open = calloc(n + 1, sizeof(*open)), depth = 0;
	u64 at = 0;
	int ret = open ? 0 : no_memory(p);

	qsort(t, n, sizeof(*t), by_start);
	for (u32 i = 0; ret == 0 && i <= n; i++) {
		u64 next = i < n ? t[i].at.from : UINT64_MAX;
		while (ret == 0 && depth && t[open[depth - 1]].at.to <= next) {
			const struct taken *done = &t[open[--depth]];
			if (add_interval(&out->part[done->part], at, done->at.to))
				ret = no_memory(p);
			at = HD_MAX(at, done->at.to);
		}
		if (ret == 0 && depth && i < n && add_interval(&out->part[t[open[depth - 1]].part], at, next))
			ret = no_memory(p);
		if (i < n) {
			at = next;
			open[depth++] = i;
		}
	}
	free(open);
	return ret;
}

static int cut_subgraphs(struct partition *out, struct script *s, u32 k, struct problem *p)
{
	struct subgraph *g = calloc(s->states + 2, sizeof(*g));
	struct taken *t = calloc(k + 1, sizeof(*t));
	u64 left = s->transitions;
	u32 n = 0;
	int ret = g && t ? read_subgraphs(s, g, p) : no_memory(p);

	for (u32 i = 0; ret == 0 && i + 1 < k; i++) {
		u32 root = closest(g, s->states, left, k - i);
		if (!root)
			break;
		u64 from = g[root].start, to = from + g[root].size, size = g[root].told;
		t[n++] = (struct taken){{from, to}, i};
		out->part[i].root = root;
		for (u32 a = 1; a < root; a++) /* ancestors */
			if (g[a].start + g[a].size >= to && g[a].told)
				g[a].told = g[a].told > size ? g[a].told - size : 1;
		for (u64 d = root; d <= s->states && g[d].start <= to && d >= root; d++)
			g[d].told = 0;
		left -= HD_MIN(left, size);
	}
	if (ret == 0) {
		t[n++] = (struct taken){{0, s->transitions}, k - 1};
		out->part[k - 1].root = 1;
		ret = share_out(out, t, n, p);
	}
	free(g);
	free(t);
	return ret;
}

int partition_make(struct partition *out, struct script *s, u32 k, bool subgraphs, struct problem *p)
{
	int ret;

	memset(out, 0, sizeof(*out));
	out->part = calloc(k, sizeof(*out->part));
	if (!out->part)
		return no_memory(p);
	out->parts = k;
	ret = subgraphs ? cut_subgraphs(out, s, k, p) : cut_evenly(out, s, k, p);
	if (ret)
		partition_free(out);
	return ret;
}
