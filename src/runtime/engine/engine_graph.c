#include "runtime/engine/engine_graph.h"

#include "base/pages.h"
#include "base/text.h"
#include "runtime/engine/engine_priv.h"
#include "runtime/rt.h"
#include "runtime/sched/fiber.h"
#include "search/fingerprint_map.h"
#include "state/track.h"
#include "wire/wire.h"

#define LABEL 4096
#define NOWHERE 0xffffffffu

/* Engine memory: never rolled back. */
static struct graph {
	bool on;
	struct fingerprint_map numbers; /* + 1 */
	u32 states;
	bool more;
	struct pages_vec records; /* struct wire_graph_record and texts */
	/* The step under way. */
	bool in_step;
	u32 from, thread;
	char what[512];
	u64 ends, pruned; /* as counted before it */
} graph;

static void add(enum wire_graph_kind kind, u32 from, u32 to, u32 thread, const char *text)
{
	u32 len = (u32)str_len(text);
	struct wire_graph_record *r = pages_vec_push(&graph.records, sizeof(*r) + HD_ROUND_UP(len, 8));
	if (!r) {
		graph.more = true;
		return;
	}
	*r = (struct wire_graph_record){.kind = kind, .from = from, .to = to, .thread = thread, .len = len};
	for (u32 i = 0; i < len; i++)
		((char *)(r + 1))[i] = text[i];
}

/* What each thread stands at, a line each. */
static void describe_state(char *buf, size_t cap)
{
	struct text t;
	text_init(&t, buf, cap);
	for (u32 slot = 0; slot < sched_fiber_limit(); slot++) {
		const struct fiber *f = &model->fiber[slot];
		if (f->life != FIBER_ALIVE || model->exited)
			continue;
		text_fmt(&t, "%s%u: ", t.len ? "\n" : "", slot + 1);
		op_describe(f, &f->op, OP_DESCRIBE_PENDING, &t);
	}
	if (model->exited)
		text_str(&t, "the process has ended");
}

static u32 new_state(void)
{
	static char label[LABEL];
	if (graph.states == WIRE_GRAPH_STATES) {
		graph.more = true;
		return NOWHERE;
	}
	describe_state(label, sizeof(label));
	add(WIRE_GRAPH_STATE, 0, graph.states, 0, label);
	return graph.states++;
}

/* The number of the current state, known or new. */
static u32 number_here(void)
{
	struct fingerprint fp = track_fingerprint();
	u32 known = fingerprint_map_get(&graph.numbers, fp);
	if (known)
		return known - 1;
	u32 number = new_state();
	if (number != NOWHERE && !fingerprint_map_put(&graph.numbers, fp, number + 1))
		graph.more = true;
	return number;
}

static void add_edge(u32 to)
{
	graph.in_step = false;
	if (graph.from != NOWHERE && to != NOWHERE)
		add(WIRE_GRAPH_EDGE, graph.from, to, graph.thread, graph.what);
}

static enum move on_enter(void *self, struct search *s, const u32 *actions, u32 n)
{
	(void)self;
	(void)s;
	(void)actions;
	(void)n;
	number_here();
	return MOVE_KNOWN;
}

static enum move on_step(void *self, struct search *s, u32 action)
{
	(void)self;
	(void)s;
	const struct fiber *f = &model->fiber[ACTION_FIBER(action)];
	struct text t;
	text_init(&t, graph.what, sizeof(graph.what));
	op_describe(f, &f->op, ACTION_ALT(action), &t);
	graph.from = number_here();
	graph.thread = ACTION_FIBER(action) + 1;
	graph.in_step = true;
	graph.ends = rt_worker->stats.end_states;
	graph.pruned = rt_worker->stats.pruned;
	return MOVE_KNOWN;
}

/* A step that was cut short leads to no state that could be met again. */
static void add_violation(bool is_state, const char *what)
{
	u32 to = is_state ? number_here() : new_state();
	if (graph.in_step)
		add_edge(to);
	if (to != NOWHERE)
		add(WIRE_GRAPH_VIOLATION, 0, to, 0, what);
}

void graph_violation(void)
{
	const struct wire_violation *v = violation_last();
	if (graph.on)
		add_violation(violation_traits(v->kind)->concerns_all_threads, v->message);
}

static enum move on_edge(void *self, struct search *s, u32 action, enum edge to)
{
	(void)self;
	(void)s;
	(void)action;
	if (!graph.in_step) /* it was a violation, told already */
		return MOVE_KNOWN;
	if (to == EDGE_DEAD) {
		if (rt_worker->stats.pruned == graph.pruned) /* a violation like one before */
			add_violation(false, violation_last()->message);
		graph.in_step = false;
		return MOVE_KNOWN;
	}
	u32 number = number_here();
	add_edge(number);
	if (to == EDGE_END && number != NOWHERE && rt_worker->stats.end_states != graph.ends)
		add(WIRE_GRAPH_END, 0, number, 0, "");
	return MOVE_KNOWN;
}

static void *on_begin(struct search *s)
{
	(void)s;
	/* Of several workers each sees a part, and none the whole. */
	graph.on = rt_wire->config.graph && rt_wire->workers <= 1;
	if (!graph.on)
		return NULL;
	graph.states = 0;
	graph.more = graph.in_step = false;
	graph.records.len = 0;
	fingerprint_map_free(&graph.numbers);
	return &graph;
}

static u64 memory_of(const void *self)
{
	(void)self;
	return fingerprint_map_bytes(&graph.numbers) + graph.records.cap;
}

const struct observer engine_graph = {
	.begin = on_begin,
	.enter = on_enter,
	.step = on_step,
	.edge = on_edge,
	.memory = memory_of,
};

void graph_write(void)
{
	struct wire_graph *out = &rt_worker->result.graph;
	if (!graph.on)
		return;
	out->offset = engine_keep_path((const u32 *)graph.records.data, graph.records.len / sizeof(u32));
	out->bytes = out->offset ? graph.records.len : 0;
	out->more = graph.more || !out->offset;
}
