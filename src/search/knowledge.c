/*
 * What is known of a program: control points, what is touched there, what comes next (reduction.h).
 */
#include "search/reduction_priv.h"

/* ---- room ---- */

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
		return reduction_fail(r);
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

/* ---- with several workers ---- */

enum news_what { NEWS_USE, NEWS_EDGE, NEWS_WORLD, NEWS_WIDE };

static void say(const struct reduction *r, enum news_what what, u32 point, enum access_mode mode,
		enum fact_kind kind, u64 a, u64 b)
{
	if (hd_likely(!r->say) || r->hearing)
		return;
	const struct control_point *p = point_at(r, point);
	u64 word[TARGET_NOTE_WORDS] = {what | (u64)mode << 8 | (u64)kind << 16 | (u64)p->fiber << 32, p->key,
				       a, b};
	r->say(r->to, word);
}

/* ---- what is known ---- */

/* The index of this control point of the fiber, known or new. */
u32 knowledge_point(struct reduction *r, u32 fiber, u64 key)
{
	struct key_index *k = table_add(&r->point_table, key);
	if (!k)
		return reduction_fail(r), NO_POINT;
	if (hd_likely(k->index))
		return k->index - 1;
	u32 index = point_count(r);
	struct control_point *p = pages_vec_push(&r->points, sizeof(*p));
	if (!p || !make_room(r, index + 1, r->words))
		return reduction_fail(r), NO_POINT;
	*p = (struct control_point){.key = key, .fiber = fiber};
	k->index = index + 1;
	return index;
}

static bool push_work(struct reduction *r, u32 point)
{
	u32 *p = pages_vec_push(&r->worklist, sizeof(*p));
	if (!p)
		return reduction_fail(r);
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

void knowledge_edge(struct reduction *r, u32 from, u32 to)
{
	struct control_point *p = point_at(r, from);
	if (hd_likely(p->successor[0] == to + 1 || p->successor[1] == to + 1))
		return;
	p->successor[1] = p->successor[0];
	p->successor[0] = to + 1;
	u64 before = r->edge_table.count;
	if (!table_add(&r->edge_table, ((u64)from << 32 | to) + 1)) {
		reduction_fail(r);
		return;
	}
	if (r->edge_table.count == before)
		return;
	struct link *e = pages_vec_push(&r->edges, sizeof(*e));
	if (!e) {
		reduction_fail(r);
		return;
	}
	*e = (struct link){from, point_at(r, to)->edges_in};
	point_at(r, to)->edges_in = (u32)(r->edges.len / sizeof(*e));
	r->news++;
	say(r, NEWS_EDGE, from, 0, 0, point_at(r, to)->key, point_at(r, to)->fiber);
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

/* An object in memory is new: ranges that were used before may hold it. */
static void find_wide(struct reduction *r, u64 key)
{
	for (u64 i = 0; i < r->wide.len / sizeof(struct wide_fact); i++) {
		struct wide_fact w = ((struct wide_fact *)r->wide.data)[i];
		if (key >= w.start && key < w.end)
			knowledge_use(r, w.point, key, w.mode, w.kind);
	}
}

void knowledge_use(struct reduction *r, u32 point, u64 key, enum access_mode mode, enum fact_kind kind)
{
	u64 before = r->fact_table.count;
	u64 id = mix_hash(mix_hash(mix_hash(1, key), (u64)point << 8 | (u64)mode << 1 | kind), 2);
	if (!table_add(&r->fact_table, id ? id : 1)) {
		reduction_fail(r);
		return;
	}
	if (r->fact_table.count == before)
		return;
	u64 objects = r->objects.count;
	struct object *o = table_add(&r->objects, key + 1);
	struct fact *f = pages_vec_push(&r->facts, sizeof(*f));
	if (!o || !f) {
		reduction_fail(r);
		return;
	}
	r->news++;
	say(r, NEWS_USE, point, mode, kind, key, 0);
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
		reduction_fail(r);
		return;
	}
	*w = (struct wide_fact){a->object, a->object + a->bytes, point, (u8)a->mode, (u8)kind};
	say(r, NEWS_WIDE, point, a->mode, kind, a->object, a->bytes);
	u64 start = w->start, end = w->end;
	for (u64 page = start / WIDE_PAGE; page <= (end - 1) / WIDE_PAGE; page++)
		knowledge_use(r, point, object_id(OBJECT_PAGE, page), a->mode, kind);
	struct pages_vec inside = {0};
	for (struct object *o = NULL; (o = table_next(&r->objects, o)) != NULL;) {
		u64 *key = NULL;
		if (o->key - 1 >= start && o->key - 1 < end && !(key = pages_vec_push(&inside, sizeof(*key))))
			reduction_fail(r);
		if (key)
			*key = o->key - 1;
	}
	for (u64 i = 0; i < inside.len / sizeof(u64); i++)
		knowledge_use(r, point, ((u64 *)inside.data)[i], a->mode, kind);
	pages_vec_free(&inside);
}

static u64 print_hash(const struct footprint *f)
{
	u64 hash = mix_hash(3, f->world);
	for (u32 i = 0; i < f->count; i++)
		hash = mix_hash(hash, f->access[i].object ^ (u64)f->access[i].mode << 52 ^
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
	say(r, NEWS_WORLD, point, 0, kind, 0, 0);
	if (p->future_world)
		return;
	p->future_world = true;
	spread(r, point);
}

void knowledge_print(struct reduction *r, u32 point, const struct footprint *f, enum fact_kind kind)
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
				knowledge_use(r, point, a->object + byte, a->mode, kind);
	}
}

void knowledge_hear(struct reduction *r, const u64 word[TARGET_NOTE_WORDS])
{
	enum access_mode mode = word[0] >> 8 & 0xff;
	enum fact_kind kind = word[0] >> 16 & 0xff;
	u32 point = knowledge_point(r, (u32)(word[0] >> 32), word[1]), to;
	if (point == NO_POINT)
		return;
	switch ((enum news_what)(word[0] & 0xff)) {
	case NEWS_USE:
		knowledge_use(r, point, word[2], mode, kind);
		break;
	case NEWS_EDGE:
		to = knowledge_point(r, (u32)word[3], word[2]);
		if (to != NO_POINT)
			knowledge_edge(r, point, to);
		break;
	case NEWS_WORLD:
		learn_world(r, point, kind);
		break;
	case NEWS_WIDE:
		learn_wide(r, point, &(struct access){word[2], (u32)word[3], mode}, kind);
		break;
	}
}

/* ---- conflicts ---- */

bool knowledge_conflicts(const struct reduction *r, u32 u, bool u_moves, u32 v)
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
