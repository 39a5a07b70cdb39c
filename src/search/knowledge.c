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

/* ---- what is known ---- */

bool knowledge_push_work(struct reduction *r, u32 point)
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
	if (!knowledge_push_work(r, point))
		return;
	while (r->worklist.len) {
		r->worklist.len -= sizeof(u32);
		u32 at = *(u32 *)(r->worklist.data + r->worklist.len);
		for (u32 e = point_at(r, at)->edges_in; e;) {
			const struct link *edge = link_at(r, e);
			e = edge->next_in;
			if (include(r, edge->from, at) && !knowledge_push_work(r, edge->from))
				return;
		}
	}
}

/* If this control point is one of several variants that have become one: the one; else itself. */
static u32 merged(struct reduction *r, u32 point)
{
	u64 coarse = point_at(r, point)->coarse;
	const struct variants *v = table_find(&r->variants, coarse);
	if (!v || v->count <= VARIANTS)
		return point;
	const struct key_index *k = table_find(&r->point_table, coarse);
	return k ? k->index - 1 : point;
}

/* What the step made becomes the label of the edge; its hash is part of the edge's key. */
static u64 made_hash(const struct footprint *by)
{
	u64 hash = 0;
	for (u32 i = 0; i < by->count; i++)
		if (by->access[i].mode == ACCESS_MAKE)
			hash = mix_hash(hash, by->access[i].object);
	return hash;
}

static bool push_made(struct reduction *r, struct link *e, const struct footprint *by)
{
	e->made = (u32)(r->made.len / sizeof(u64));
	for (u32 i = 0; i < by->count; i++) {
		u64 *object = by->access[i].mode == ACCESS_MAKE ? pages_vec_push(&r->made, sizeof(*object))
								: NULL;
		if (by->access[i].mode == ACCESS_MAKE && !object)
			return false;
		if (object)
			*object = by->access[i].object;
		e->made_count += object != NULL;
	}
	return true;
}

void knowledge_edge(struct reduction *r, u32 from, u32 to, const struct footprint *by)
{
	struct control_point *p = point_at(r, from);
	u64 key = mix_hash(mix_hash(4, (u64)from << 32 | to), made_hash(by)) | 1;
	if (hd_likely(p->edge[0] == key || p->edge[1] == key))
		return;
	p->edge[1] = p->edge[0];
	p->edge[0] = key;
	u64 before = r->edge_table.count;
	if (!table_add(&r->edge_table, key)) {
		reduction_fail(r);
		return;
	}
	if (r->edge_table.count == before)
		return;
	struct link edge = {from, to, point_at(r, to)->edges_in, p->edges_out, 0, 0}, *e;
	if (!push_made(r, &edge, by) || !(e = pages_vec_push(&r->edges, sizeof(*e)))) {
		reduction_fail(r);
		return;
	}
	*e = edge;
	p->edges_out = point_at(r, to)->edges_in = (u32)(r->edges.len / sizeof(*e));
	r->news++;
	knowledge_say_edge(r, from, to, by);
	if (include(r, from, to))
		spread(r, from);
	u32 one = merged(r, from);
	if (one != from && one != to)
		knowledge_edge(r, one, to, by);
}

/*
 * Does a fiber that does u next have to look out for another that could do v before it? What u makes was not
 * there before: a use of it, known from executions in which u came first, would have been another one
 * without u. What is made by v was not there either, so v can't come before a use u of it, unless somebody
 * takes it away in between, who conflicts with u.
 */
static bool hinders(enum access_mode v, enum access_mode u)
{
	return u == ACCESS_MAKE || !access_commutes(u, v);
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
		if (hinders(mode, fact->mode))
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
		if (o->bit[m] && hinders(m, fact.mode))
			put_bit(conflicts, o->bit[m] - 1);
	put_bit(bits_of(r, fact.point, SET_OWN), o->bit[fact.mode] - 1);
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
			if (a >> i & 1 && b >> j & 1 && (hinders(i, j) || hinders(j, i)))
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

static void learn_end(struct reduction *r, u32 point, enum fact_kind kind)
{
	struct control_point *p = point_at(r, point);
	r->news += !p->ends[kind];
	p->ends[kind] = true;
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

/* A use of something that must be there. */
static bool needs(const struct footprint *f, u64 object)
{
	for (u32 i = 0; i < f->count; i++)
		if (f->access[i].object == object && f->access[i].mode != ACCESS_MAKE &&
		    access_commutes(ACCESS_MAKE, f->access[i].mode))
			return true;
	return false;
}

/* What is needed is what all footprints of this point need. The fewer there are, the more conflicts. */
static void learn_needs(struct reduction *r, struct control_point *p, const struct footprint *f,
			enum fact_kind kind, bool first)
{
	u64 *need = p->need[kind];
	for (u32 i = 0; first && i < f->count; i++)
		if (needs(f, f->access[i].object)) {
			if (p->need_count[kind] < NEEDS)
				need[p->need_count[kind]++] = f->access[i].object;
			else
				p->needs_more[kind] = true;
		}
	u32 kept = 0;
	for (u32 i = 0; i < p->need_count[kind]; i++)
		if (needs(f, need[i]))
			need[kept++] = need[i];
	r->news += kept != p->need_count[kind];
	p->need_count[kind] = kept;
}

void knowledge_print(struct reduction *r, u32 point, const struct footprint *f, enum fact_kind kind)
{
	struct control_point *p = point_at(r, point);
	bool first = !p->next_print[kind];
	if (hd_likely(is_known_print(p, kind, print_hash(f))))
		return;
	u64 before = r->news;
	learn_needs(r, p, f, kind, first);
	if (f->world & FOOTPRINT_WORLD)
		learn_world(r, point, kind);
	if (f->world & FOOTPRINT_ENDS)
		learn_end(r, point, kind);
	for (u32 i = 0; i < f->count && !r->failed; i++) {
		const struct access *a = &f->access[i];
		if (object_class(a->object) == OBJECT_MEMORY && a->bytes > WIDE_BYTES)
			learn_wide(r, point, a, kind);
		else
			for (u32 byte = 0; byte < HD_MAX(a->bytes, 1u); byte++)
				knowledge_use(r, point, a->object + byte, a->mode, kind);
	}
	/* What brings nothing new here brings nothing new to those who know all that is known here. */
	if (first || r->news != before || point_at(r, point)->needs_more[kind])
		knowledge_say_print(r, point, f, kind);
	u32 one = merged(r, point);
	if (one != point)
		knowledge_print(r, one, f, kind);
}

void knowledge_pair(struct reduction *r, u32 point, u64 object)
{
	u64 before = r->news, coarse = point_at(r, point)->coarse;
	for (u32 i = 0; i < point_count(r) && !r->failed; i++)
		if (point_at(r, i)->coarse == coarse)
			knowledge_use(r, i, object, ACCESS_WRITE, FACT_TAKEN);
	if (r->news == before)
		return;
	struct dependent *p = pages_vec_push(&r->pairs, sizeof(*p));
	if (!p) {
		reduction_fail(r);
		return;
	}
	*p = (struct dependent){coarse, object};
	knowledge_say_pair(r, point, object);
}

/* ---- control points ---- */

static u32 add_point(struct reduction *r, u32 fiber, u32 joins, u64 coarse, u64 key)
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
	*p = (struct control_point){.key = key, .fiber = fiber, .coarse = coarse, .joins = joins};
	k->index = index + 1;
	knowledge_say_point(r, index);
	for (u64 i = 0; i < r->pairs.len / sizeof(struct dependent); i++) {
		struct dependent known = ((const struct dependent *)r->pairs.data)[i];
		if (known.coarse == coarse)
			knowledge_use(r, index, known.object, ACCESS_WRITE, FACT_TAKEN);
	}
	return index;
}

static const struct footprint nothing;

u32 knowledge_aside(struct reduction *r, u32 point)
{
	const struct control_point *p = point_at(r, point);
	if (!p->joins || p->joins == JOINS_ASIDE)
		return point;
	u64 key = mix_hash(5, p->coarse) | 1;
	u32 beside = add_point(r, p->fiber, JOINS_ASIDE, key, key);
	if (beside != NO_POINT)
		knowledge_edge(r, point, beside, &nothing);
	return beside;
}

/* Of what a variant touched. */
struct copied {
	u64 object;
	u8 mode, kind;
};

static bool push_copies(struct reduction *r, const struct object *o, u64 coarse, struct pages_vec *out)
{
	for (u32 i = o->facts; i; i = fact_at(r, i - 1)->next) {
		const struct fact *f = fact_at(r, i - 1);
		struct copied *c = point_at(r, f->point)->coarse == coarse ? pages_vec_push(out, sizeof(*c))
									   : NULL;
		if (c)
			*c = (struct copied){o->key - 1, f->mode, f->kind};
		else if (point_at(r, f->point)->coarse == coarse)
			return reduction_fail(r);
	}
	return true;
}

static void copy_wide(struct reduction *r, u32 from, u32 to)
{
	for (u64 i = 0; i < r->wide.len / sizeof(struct wide_fact); i++) {
		struct wide_fact w = ((struct wide_fact *)r->wide.data)[i], *copy;
		if (w.point != from)
			continue;
		w.point = to;
		if ((copy = pages_vec_push(&r->wide, sizeof(*copy))) != NULL)
			*copy = w;
		else
			reduction_fail(r);
	}
}

/* All variants become one: what is known of each is known of it, what comes behind it comes behind each. */
static u32 make_one(struct reduction *r, u32 fiber, u32 joins, u64 coarse)
{
	struct pages_vec copies = {0};
	u32 variants = point_count(r), one = add_point(r, fiber, joins, coarse, coarse);
	for (u32 i = 0; i < variants && !r->failed; i++) {
		if (point_at(r, i)->coarse != coarse)
			continue;
		for (u32 kind = 0; kind < FACT_KINDS; kind++) {
			if (point_at(r, i)->world[kind])
				learn_world(r, one, kind);
			if (point_at(r, i)->ends[kind])
				learn_end(r, one, kind);
		}
		copy_wide(r, i, one);
		knowledge_edge(r, i, one, &nothing);
		knowledge_edge(r, one, i, &nothing);
	}
	for (struct object *o = NULL; !r->failed && (o = table_next(&r->objects, o)) != NULL;)
		push_copies(r, o, coarse, &copies);
	for (u64 i = 0; i < copies.len / sizeof(struct copied) && !r->failed; i++) {
		struct copied c = ((struct copied *)copies.data)[i];
		knowledge_use(r, one, c.object, c.mode, c.kind);
	}
	pages_vec_free(&copies);
	if (r->failed)
		return NO_POINT;
	for (u32 kind = 0; kind < FACT_KINDS; kind++)
		point_at(r, one)->next_print[kind] =
			1; /* its first footprint is long past: it needs nothing */
	return one;
}

/* Another worker has met it: as a variant, or as the one that they have become. */
void knowledge_heard_point(struct reduction *r, u32 fiber, u32 joins, u64 coarse, u64 key)
{
	struct variants *v = table_add(&r->variants, coarse);
	if (!v) {
		reduction_fail(r);
		return;
	}
	if (!r->ops->reduction->detail) {
		add_point(r, fiber, joins, coarse, key);
		return;
	}
	bool were_one = v->count > VARIANTS;
	u32 known = point_count(r);
	if (key == coarse) {
		v->count = VARIANTS + 1;
	} else {
		u32 index = add_point(r, fiber, joins, coarse, key);
		v->count += index == known;
		if (were_one && index == known) {
			u32 one = merged(r, index);
			knowledge_edge(r, index, one, &nothing);
			knowledge_edge(r, one, index, &nothing);
		}
	}
	if (!were_one && v->count > VARIANTS)
		make_one(r, fiber, joins, coarse);
}

u32 knowledge_point(struct reduction *r, u32 fiber)
{
	const struct target_reduction *t = r->ops->reduction;
	u64 coarse = t->point(r->self, fiber);
	struct variants *v = coarse ? table_add(&r->variants, coarse) : NULL;
	if (coarse && !v)
		reduction_fail(r);
	if (!v)
		return NO_POINT;
	bool fine = t->detail && v->count <= VARIANTS;
	u64 key = fine ? mix_hash(mix_hash(6, coarse), t->detail(r->self, fiber)) | 1 : coarse;
	const struct key_index *k = table_find(&r->point_table, key);
	if (hd_likely(k))
		return k->index - 1;
	u32 joins = t->joins ? t->joins(r->self, fiber) : 0, index = add_point(r, fiber, joins, coarse, key);
	v->count += fine;
	return v->count > VARIANTS && fine ? make_one(r, fiber, joins, coarse) : index;
}
