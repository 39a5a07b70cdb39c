#include "search/reduction.h"

#include "base/pages.h"
#include "base/table.h"

/* With more live fibers than that, nothing is left out. */
#define FIBERS_MAX 256u
#define FIBER_WORDS (FIBERS_MAX / 64)
/* Footprints seen last at a control point are recognised by their hash. */
#define PRINTS 6u
/* Longer uses of memory are kept as ranges. */
#define WIDE_BYTES 16u
#define WIDE_PAGE 4096u
/* Objects of the reduction's own, beside enum object_class: pages with long ranges, dependent pairs. */
#define OBJECT_PAGE OBJECT_CLASSES
#define OBJECT_PAIR (OBJECT_CLASSES + 1)
#define FIRST_WORDS 4u
#define NO_POINT 0xffffffffu

/* Does a fact belong to the pending operation, or to steps that were made? */
enum fact_kind { FACT_PENDING, FACT_TAKEN, FACT_KINDS };

struct control_point {
	u32 fiber;
	u32 edges_in; /* 1 + index of the first struct link */
	u32 next_print[FACT_KINDS];
	u64 print[FACT_KINDS][PRINTS];
	u32 successor[2];       /* those seen last, + 1 */
	bool world[FACT_KINDS]; /* conflicts with everything */
	bool future_world;
};

/* Sets of bits that each point has. */
enum bit_set {
	SET_PENDING, /* bits of uses that conflict with the pending operation, */
	SET_TAKEN,   /* with steps from here */
	SET_FUTURE,  /* uses at points reachable from here, its own included */
	BIT_SETS
};

struct link {
	u32 from;
	u32 next; /* of the same target */
};

struct fact {
	u32 point;
	u32 next; /* of the same object */
	u8 mode, kind;
};

/* Something that is touched. Only what several fibers use in modes that don't commute has bits. */
struct object {
	u64 key;
	u32 facts;             /* 1 + index of the first */
	u32 fiber;             /* 1 + the first one that used it */
	u8 modes[2];           /* of that one; of all others */
	bool in_bits;          /* bits were given */
	u32 bit[ACCESS_MODES]; /* + 1; 0: nobody uses it so */
};

struct wide_fact {
	u64 start, end;
	u32 point;
	u8 mode, kind;
};

struct key_index {
	u64 key;
	u32 index;
};
struct key_only {
	u64 key;
};

struct reduction {
	const struct target_ops *ops;
	void *self;
	bool failed; /* out of memory, or too many fibers: nothing is left out any more */

	struct table point_table; /* struct key_index */
	struct pages_vec points;  /* struct control_point */
	u64 *bits;                /* BIT_SETS sets of `words` words for each point */
	u32 words;
	u64 bits_room; /* points */
	u32 bit_count;

	struct table objects;      /* struct object */
	struct table fact_table;   /* struct key_only */
	struct table edge_table;   /* struct key_only */
	struct table relied;       /* struct key_only: pairs, see pair_key */
	struct pages_vec facts;    /* struct fact */
	struct pages_vec edges;    /* struct link */
	struct pages_vec wide;     /* struct wide_fact */
	struct pages_vec worklist; /* u32 */
	u64 news;                  /* facts and edges */
	u64 checked;               /* `news` when the pairs were checked last */
	bool wrong;

	struct pages_vec
		path; /* u32: the points of the live fibers of each state entered, and their number */

	/* Scratch: of the state that is entered. */
	u32 n, fiber[FIBERS_MAX], at[FIBERS_MAX];
	u32 action_count[FIBERS_MAX];
	u64 drags[FIBERS_MAX][FIBER_WORDS];
	bool have_drags[FIBERS_MAX];
	struct pages_vec sorted; /* u32 */
};

static u64 mix(u64 hash, u64 value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 29;
}

static struct control_point *point_at(const struct reduction *r, u32 i)
{
	return (struct control_point *)r->points.data + i;
}

static u32 point_count(const struct reduction *r)
{
	return (u32)(r->points.len / sizeof(struct control_point));
}

static u64 *bits_of(const struct reduction *r, u32 point, enum bit_set set)
{
	return r->bits + ((u64)point * BIT_SETS + set) * r->words;
}

static bool has_bit(const u64 *bits, u32 bit)
{
	return bits[bit / 64] >> (bit % 64) & 1;
}

static void put_bit(u64 *bits, u32 bit)
{
	bits[bit / 64] |= 1UL << (bit % 64);
}

static struct fact *fact_at(const struct reduction *r, u32 i)
{
	return (struct fact *)r->facts.data + i;
}

/* ---- room ---- */

static bool fail(struct reduction *r)
{
	r->failed = true;
	return false;
}

/* Room for that many points, with that many words in a set. */
static bool make_room(struct reduction *r, u64 points, u32 words)
{
	if (points <= r->bits_room && words <= r->words)
		return true;
	u64 room = HD_MAX(r->bits_room, (u64)256);
	while (room < points)
		room *= 2;
	u64 *fresh = pages_map(room * BIT_SETS * words * sizeof(*fresh));
	if (!fresh)
		return fail(r);
	for (u64 set = 0; set < HD_MIN(r->bits_room, (u64)point_count(r)) * BIT_SETS; set++)
		for (u32 w = 0; w < r->words; w++)
			fresh[set * words + w] = r->bits[set * r->words + w];
	if (r->bits)
		pages_unmap(r->bits, r->bits_room * BIT_SETS * r->words * sizeof(*r->bits));
	r->bits = fresh;
	r->bits_room = room;
	r->words = words;
	return true;
}

/* ---- what is known ---- */

/* The index of this control point of the fiber, known or new. */
static u32 point_of(struct reduction *r, u32 fiber, u64 key)
{
	struct key_index *k = table_add(&r->point_table, key);
	if (!k)
		return fail(r), NO_POINT;
	if (hd_likely(k->index))
		return k->index - 1;
	u32 index = point_count(r);
	struct control_point *p = pages_vec_push(&r->points, sizeof(*p));
	if (!p || !make_room(r, index + 1, r->words))
		return fail(r), NO_POINT;
	*p = (struct control_point){.fiber = fiber};
	k->index = index + 1;
	return index;
}

static bool push_work(struct reduction *r, u32 point)
{
	u32 *p = pages_vec_push(&r->worklist, sizeof(*p));
	if (!p)
		return fail(r);
	*p = point;
	return true;
}

/* The future of `into` includes that of `from`; true: that was news. */
static bool include(struct reduction *r, u32 into, u32 from)
{
	u64 *a = bits_of(r, into, SET_FUTURE);
	const u64 *b = bits_of(r, from, SET_FUTURE);
	u64 news = 0;
	for (u32 w = 0; w < r->words; w++) {
		news |= b[w] & ~a[w];
		a[w] |= b[w];
	}
	struct control_point *p = point_at(r, into);
	bool world = point_at(r, from)->future_world && !p->future_world;
	p->future_world |= world;
	return news || world;
}

/* The future of this point has grown: so do those of all that lead to it. */
static void spread(struct reduction *r, u32 point)
{
	r->worklist.len = 0;
	if (!push_work(r, point))
		return;
	while (r->worklist.len) {
		r->worklist.len -= sizeof(u32);
		u32 at = *(u32 *)(r->worklist.data + r->worklist.len);
		for (u32 e = point_at(r, at)->edges_in; e;) {
			const struct link *edge = (const struct link *)r->edges.data + (e - 1);
			e = edge->next;
			if (include(r, edge->from, at) && !push_work(r, edge->from))
				return;
		}
	}
}

static void learn_edge(struct reduction *r, u32 from, u32 to)
{
	struct control_point *p = point_at(r, from);
	if (hd_likely(p->successor[0] == to + 1 || p->successor[1] == to + 1))
		return;
	p->successor[1] = p->successor[0];
	p->successor[0] = to + 1;
	u64 before = r->edge_table.count;
	if (!table_add(&r->edge_table, ((u64)from << 32 | to) + 1)) {
		fail(r);
		return;
	}
	if (r->edge_table.count == before)
		return;
	struct link *e = pages_vec_push(&r->edges, sizeof(*e));
	if (!e) {
		fail(r);
		return;
	}
	*e = (struct link){from, point_at(r, to)->edges_in};
	point_at(r, to)->edges_in = (u32)(r->edges.len / sizeof(*e));
	r->news++;
	if (include(r, from, to))
		spread(r, from);
}

/* The bit for such uses of the object. Facts that conflict with them learn of it. */
static bool give_bit(struct reduction *r, struct object *o, enum access_mode mode)
{
	if (o->bit[mode])
		return true;
	if (r->bit_count == r->words * 64 && !make_room(r, r->bits_room, r->words * 2))
		return false;
	u32 bit = r->bit_count++;
	o->bit[mode] = bit + 1;
	for (u32 f = o->facts; f; f = fact_at(r, f - 1)->next) {
		const struct fact *fact = fact_at(r, f - 1);
		if (!access_commutes(fact->mode, mode))
			put_bit(bits_of(r, fact->point, fact->kind == FACT_PENDING ? SET_PENDING : SET_TAKEN),
				bit);
	}
	return true;
}

static void put_fact(struct reduction *r, struct object *o, struct fact fact)
{
	if (!give_bit(r, o, fact.mode))
		return;
	u64 *conflicts = bits_of(r, fact.point, fact.kind == FACT_PENDING ? SET_PENDING : SET_TAKEN);
	for (u32 m = 0; m < ACCESS_MODES; m++)
		if (o->bit[m] && !access_commutes(fact.mode, m))
			put_bit(conflicts, o->bit[m] - 1);
	u64 *future = bits_of(r, fact.point, SET_FUTURE);
	if (has_bit(future, o->bit[fact.mode] - 1))
		return;
	put_bit(future, o->bit[fact.mode] - 1);
	spread(r, fact.point);
}

static bool some_clash(u32 a, u32 b)
{
	for (u32 i = 0; i < ACCESS_MODES; i++)
		for (u32 j = 0; j < ACCESS_MODES; j++)
			if (a >> i & 1 && b >> j & 1 && !access_commutes(i, j))
				return true;
	return false;
}

/* Do several fibers use it in modes that don't commute? Among the others a fiber is not told from itself. */
static bool is_contended(const struct object *o)
{
	return some_clash(o->modes[0], o->modes[1]) || some_clash(o->modes[1], o->modes[1]);
}

static void learn_use(struct reduction *r, u32 point, u64 key, enum access_mode mode, enum fact_kind kind);

/* An object in memory is new: ranges that were used before may hold it. */
static void find_wide(struct reduction *r, u64 key)
{
	for (u64 i = 0; i < r->wide.len / sizeof(struct wide_fact); i++) {
		struct wide_fact w = ((struct wide_fact *)r->wide.data)[i];
		if (key >= w.start && key < w.end)
			learn_use(r, w.point, key, w.mode, w.kind);
	}
}

static void learn_use(struct reduction *r, u32 point, u64 key, enum access_mode mode, enum fact_kind kind)
{
	u64 before = r->fact_table.count;
	u64 id = mix(mix(mix(1, key), (u64)point << 8 | (u64)mode << 1 | kind), 2);
	if (!table_add(&r->fact_table, id ? id : 1)) {
		fail(r);
		return;
	}
	if (r->fact_table.count == before)
		return;
	u64 objects = r->objects.count;
	struct object *o = table_add(&r->objects, key + 1);
	struct fact *f = pages_vec_push(&r->facts, sizeof(*f));
	if (!o || !f) {
		fail(r);
		return;
	}
	r->news++;
	*f = (struct fact){point, o->facts, (u8)mode, (u8)kind};
	o->facts = (u32)(r->facts.len / sizeof(*f));
	u32 fiber = point_at(r, point)->fiber + 1;
	if (!o->fiber)
		o->fiber = fiber;
	o->modes[o->fiber != fiber] |= (u8)(1u << mode);
	if (o->in_bits) {
		put_fact(r, o, *f);
	} else if (is_contended(o)) {
		o->in_bits = true;
		for (u32 i = o->facts; i; i = fact_at(r, i - 1)->next)
			put_fact(r, o, *fact_at(r, i - 1));
	}
	if (r->objects.count != objects && object_class(key) == OBJECT_MEMORY)
		find_wide(r, key);
}

/*
 * A long range of memory: it concerns every object in it, known or not yet. Among themselves, ranges are told
 * apart by pages.
 */
static void learn_wide(struct reduction *r, u32 point, const struct access *a, enum fact_kind kind)
{
	struct wide_fact *w = (struct wide_fact *)r->wide.data;
	for (u64 i = 0; i < r->wide.len / sizeof(*w); i++)
		if (w[i].start == a->object && w[i].end == a->object + a->bytes && w[i].point == point &&
		    w[i].mode == a->mode && w[i].kind == kind)
			return;
	w = pages_vec_push(&r->wide, sizeof(*w));
	if (!w) {
		fail(r);
		return;
	}
	*w = (struct wide_fact){a->object, a->object + a->bytes, point, (u8)a->mode, (u8)kind};
	u64 start = w->start, end = w->end;
	for (u64 page = start / WIDE_PAGE; page <= (end - 1) / WIDE_PAGE; page++)
		learn_use(r, point, object_id(OBJECT_PAGE, page), a->mode, kind);
	struct pages_vec inside = {0};
	for (struct object *o = NULL; (o = table_next(&r->objects, o)) != NULL;) {
		u64 *key = NULL;
		if (o->key - 1 >= start && o->key - 1 < end && !(key = pages_vec_push(&inside, sizeof(*key))))
			fail(r);
		if (key)
			*key = o->key - 1;
	}
	for (u64 i = 0; i < inside.len / sizeof(u64); i++)
		learn_use(r, point, ((u64 *)inside.data)[i], a->mode, kind);
	pages_vec_free(&inside);
}

static u64 print_hash(const struct footprint *f)
{
	u64 hash = mix(3, f->world);
	for (u32 i = 0; i < f->count; i++)
		hash = mix(hash, f->access[i].object ^ (u64)f->access[i].mode << 52 ^
					 (u64)f->access[i].bytes << 56);
	return hash;
}

static bool is_known_print(struct control_point *p, enum fact_kind kind, u64 hash)
{
	for (u32 i = 0; i < PRINTS; i++)
		if (p->print[kind][i] == hash)
			return true;
	p->print[kind][p->next_print[kind]++ % PRINTS] = hash;
	return false;
}

static void learn_world(struct reduction *r, u32 point, enum fact_kind kind)
{
	struct control_point *p = point_at(r, point);
	if (p->world[kind])
		return;
	p->world[kind] = true;
	r->news++;
	if (p->future_world)
		return;
	p->future_world = true;
	spread(r, point);
}

static void learn_print(struct reduction *r, u32 point, const struct footprint *f, enum fact_kind kind)
{
	if (hd_likely(is_known_print(point_at(r, point), kind, print_hash(f))))
		return;
	if (f->world)
		learn_world(r, point, kind);
	for (u32 i = 0; i < f->count && !r->failed; i++) {
		const struct access *a = &f->access[i];
		if (object_class(a->object) == OBJECT_MEMORY && a->bytes > WIDE_BYTES)
			learn_wide(r, point, a, kind);
		else
			for (u32 byte = 0; byte < HD_MAX(a->bytes, 1u); byte++)
				learn_use(r, point, a->object + byte, a->mode, kind);
	}
}

static void learn_pending(struct reduction *r, u32 fiber, u32 point)
{
	struct footprint f;
	r->ops->reduction->pending(r->self, fiber, &f);
	learn_print(r, point, &f, FACT_PENDING);
}

/* ---- pairs ---- */

static bool conflicts(const struct reduction *r, u32 u, bool u_moves, u32 v)
{
	const struct control_point *a = point_at(r, u);
	if (a->world[FACT_PENDING] || (u_moves && a->world[FACT_TAKEN]) || point_at(r, v)->future_world)
		return true;
	const u64 *pending = bits_of(r, u, SET_PENDING), *taken = bits_of(r, u, SET_TAKEN);
	const u64 *future = bits_of(r, v, SET_FUTURE);
	u64 common = 0;
	for (u32 w = 0; w < r->words; w++)
		common |= (pending[w] | (u_moves ? taken[w] : 0)) & future[w];
	return common;
}

static u64 pair_key(u32 u, bool u_moves, u32 v)
{
	return ((u64)u << 32 | (u64)v << 1 | u_moves) + 1;
}

static void rely_on(struct reduction *r, u32 u, bool u_moves, u32 v)
{
	if (!table_add(&r->relied, pair_key(u, u_moves, v)))
		fail(r);
}

bool reduction_was_wrong(struct reduction *r)
{
	if (r->failed && r->relied.count)
		r->wrong = true;
	if (r->wrong || r->checked == r->news)
		return r->wrong;
	r->checked = r->news;
	for (const struct key_only *k = NULL; !r->wrong && (k = table_next(&r->relied, k)) != NULL;) {
		u64 pair = k->key - 1;
		r->wrong = conflicts(r, (u32)(pair >> 32), pair & 1, (u32)pair >> 1);
	}
	return r->wrong;
}

/* ---- states ---- */

static void push_points(struct reduction *r)
{
	u32 *to = pages_vec_push(&r->path, (r->n + 1) * sizeof(*to));
	if (!to) {
		fail(r);
		return;
	}
	for (u32 i = 0; i < r->n; i++)
		to[i] = r->at[i];
	to[r->n] = r->n;
}

/* The points of the state that was entered last. */
static const u32 *points_of_top(const struct reduction *r, u32 *n)
{
	const u32 *end = (const u32 *)(r->path.data + r->path.len);
	*n = end[-1];
	return end - 1 - *n;
}

static void find_points(struct reduction *r)
{
	const struct target_reduction *t = r->ops->reduction;
	r->n = t->fibers(r->self, r->fiber, FIBERS_MAX);
	if (r->n > FIBERS_MAX) {
		r->n = 0;
		fail(r);
	}
	for (u32 i = 0; i < r->n && !r->failed; i++)
		r->at[i] = point_of(r, r->fiber[i], t->point(r->self, r->fiber[i]));
}

/* Which fibers must join the set if the i-th is in it. */
static const u64 *drags(struct reduction *r, u32 i)
{
	u64 *d = r->drags[i];
	if (r->have_drags[i])
		return d;
	r->have_drags[i] = true;
	for (u32 w = 0; w < FIBER_WORDS; w++)
		d[w] = 0;
	for (u32 j = 0; j < r->n; j++)
		if (i == j || conflicts(r, r->at[i], r->action_count[i], r->at[j]))
			put_bit(d, j);
	return d;
}

static void close_set(struct reduction *r, u64 *set)
{
	u64 done[FIBER_WORDS] = {0};
	for (bool more = true; more;) {
		more = false;
		for (u32 w = 0; w < FIBER_WORDS; w++)
			for (u64 left = set[w] & ~done[w]; left; left &= left - 1) {
				u32 i = w * 64 + (u32)__builtin_ctzl(left);
				put_bit(done, i);
				more = true;
				const u64 *d = drags(r, i);
				for (u32 x = 0; x < FIBER_WORDS; x++)
					set[x] |= d[x];
			}
	}
}

static u32 count_actions(const struct reduction *r, const u64 *set)
{
	u32 n = 0;
	for (u32 i = 0; i < r->n; i++)
		n += has_bit(set, i) ? r->action_count[i] : 0;
	return n;
}

/* The smallest set, by actions; its size. */
static u32 choose(struct reduction *r, u32 all, u64 *best)
{
	u32 fewest = all;
	for (u32 i = 0; i < r->n && fewest > 1; i++) {
		if (!r->action_count[i] || r->action_count[i] >= fewest)
			continue;
		u64 set[FIBER_WORDS] = {0};
		put_bit(set, i);
		close_set(r, set);
		u32 n = count_actions(r, set);
		if (n >= fewest)
			continue;
		fewest = n;
		for (u32 w = 0; w < FIBER_WORDS; w++)
			best[w] = set[w];
	}
	return fewest;
}

static void rely_on_set(struct reduction *r, const u64 *set)
{
	for (u32 i = 0; i < r->n; i++)
		for (u32 j = 0; has_bit(set, i) && j < r->n; j++)
			if (!has_bit(set, j))
				rely_on(r, r->at[i], r->action_count[i], r->at[j]);
}

static u32 position_of(const struct reduction *r, u32 fiber)
{
	u32 i = 0;
	while (i < r->n && r->fiber[i] != fiber)
		i++;
	return i;
}

/* Those of the set to the front, all in their order. */
static bool sort(struct reduction *r, const u64 *set, u32 *actions, u32 n)
{
	r->sorted.len = 0;
	u32 *rest = pages_vec_push(&r->sorted, n * sizeof(*rest)), chosen = 0, others = 0;
	if (!rest)
		return fail(r);
	for (u32 i = 0; i < n; i++)
		if (has_bit(set, position_of(r, r->ops->action_fiber(r->self, actions[i]))))
			actions[chosen++] = actions[i];
		else
			rest[others++] = actions[i];
	for (u32 i = 0; i < others; i++)
		actions[chosen + i] = rest[i];
	return true;
}

/* How many actions each fiber has; false: the actions don't all belong to live fibers, or all to one. */
static bool count_by_fiber(struct reduction *r, const u32 *actions, u32 n)
{
	u32 fibers = 0;
	for (u32 i = 0; i < r->n; i++) {
		r->action_count[i] = 0;
		r->have_drags[i] = false;
	}
	for (u32 i = 0; i < n; i++) {
		u32 at = position_of(r, r->ops->action_fiber(r->self, actions[i]));
		if (at == r->n)
			return false;
		fibers += !r->action_count[at]++;
	}
	return fibers > 1;
}

u32 reduction_enter(struct reduction *r, u32 *actions, u32 n)
{
	u64 set[FIBER_WORDS] = {0};
	if (hd_unlikely(r->failed))
		return n;
	find_points(r);
	push_points(r);
	if (r->failed || n < 2 || !r->ops->reduction->usable(r->self) || !count_by_fiber(r, actions, n))
		return n;
	for (u32 i = 0; i < r->n; i++)
		learn_pending(r, r->fiber[i], r->at[i]);
	u32 chosen = r->failed ? n : choose(r, n, set);
	if (chosen == n || !sort(r, set, actions, n))
		return n;
	rely_on_set(r, set);
	return chosen;
}

void reduction_leave(struct reduction *r)
{
	if (hd_unlikely(r->failed))
		return;
	u32 n;
	points_of_top(r, &n);
	r->path.len -= (n + 1) * sizeof(u32);
}

static u32 point_before(const struct reduction *r, u32 fiber)
{
	u32 n;
	const u32 *at = points_of_top(r, &n);
	for (u32 i = 0; i < n; i++)
		if (point_at(r, at[i])->fiber == fiber)
			return at[i];
	return NO_POINT;
}

/* A fiber stands at another control point because of a step that was made at `by`. */
static void learn_move(struct reduction *r, u32 fiber, u32 by)
{
	u64 key = r->ops->reduction->point(r->self, fiber);
	u32 before = point_before(r, fiber), after = key ? point_of(r, fiber, key) : NO_POINT;
	if (after == NO_POINT)
		return;
	learn_edge(r, before == NO_POINT ? by : before, after);
	learn_pending(r, fiber, after);
}

void reduction_learn(struct reduction *r, u32 action, bool ended)
{
	if (hd_unlikely(r->failed))
		return;
	u32 fiber = r->ops->action_fiber(r->self, action), from = point_before(r, fiber);
	const struct footprint *f = r->ops->footprint(r->self);
	if (from == NO_POINT) {
		fail(r);
		return;
	}
	learn_print(r, from, f, FACT_TAKEN);
	if (ended)
		return;
	learn_move(r, fiber, from);
	for (u32 i = 0; i < f->count && !r->failed; i++) {
		u64 object = f->access[i].object;
		if (object_class(object) == OBJECT_THREAD && f->access[i].mode == ACCESS_WRITE &&
		    object != object_id(OBJECT_THREAD, fiber))
			learn_move(r, (u32)(object & OBJECT_KEY_MASK), from);
	}
}

/* An object of their own, which both write. */
void reduction_depend(struct reduction *r, u32 fiber, u32 other)
{
	const struct target_reduction *t = r->ops->reduction;
	u64 key[2] = {t->point(r->self, fiber), t->point(r->self, other)};
	if (r->failed || !key[0] || !key[1])
		return;
	u64 object = object_id(OBJECT_PAIR, mix(0, key[0]) + mix(0, key[1]));
	u32 at[2] = {point_of(r, fiber, key[0]), point_of(r, other, key[1])};
	for (u32 i = 0; i < 2 && !r->failed; i++)
		learn_use(r, at[i], object, ACCESS_WRITE, FACT_TAKEN);
}

/* ---- passes ---- */

void reduction_begin_pass(struct reduction *r)
{
	table_free(&r->relied);
	r->relied = (struct table)TABLE_OF(struct key_only);
	r->path.len = 0;
	r->wrong = false;
	r->checked = r->news;
}

struct reduction *reduction_new(const struct target *t)
{
	if (!t->ops->reduction || !t->ops->footprint)
		return NULL;
	struct reduction *r = pages_map(sizeof(*r));
	if (!r)
		return NULL;
	*r = (struct reduction){.ops = t->ops,
				.self = t->self,
				.words = FIRST_WORDS,
				.point_table = TABLE_OF(struct key_index),
				.objects = TABLE_OF(struct object),
				.fact_table = TABLE_OF(struct key_only),
				.edge_table = TABLE_OF(struct key_only),
				.relied = TABLE_OF(struct key_only)};
	return r;
}

void reduction_free(struct reduction *r)
{
	if (!r)
		return;
	table_free(&r->point_table);
	table_free(&r->objects);
	table_free(&r->fact_table);
	table_free(&r->edge_table);
	table_free(&r->relied);
	pages_vec_free(&r->points);
	pages_vec_free(&r->facts);
	pages_vec_free(&r->edges);
	pages_vec_free(&r->wide);
	pages_vec_free(&r->worklist);
	pages_vec_free(&r->path);
	pages_vec_free(&r->sorted);
	if (r->bits)
		pages_unmap(r->bits, r->bits_room * BIT_SETS * r->words * sizeof(*r->bits));
	pages_unmap(r, sizeof(*r));
}

u64 reduction_memory(const struct reduction *r)
{
	return table_bytes(&r->point_table) + table_bytes(&r->objects) + table_bytes(&r->fact_table) +
	       table_bytes(&r->edge_table) + table_bytes(&r->relied) + r->points.cap + r->facts.cap +
	       r->edges.cap + r->wide.cap + r->path.cap +
	       r->bits_room * BIT_SETS * r->words * sizeof(*r->bits);
}

u64 reduction_facts(const struct reduction *r)
{
	return r->news;
}

u64 reduction_points(const struct reduction *r)
{
	return point_count(r);
}
