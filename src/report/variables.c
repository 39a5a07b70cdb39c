/*
 * variables.c: looks at all variables that can be reached, and compares two looks.
 *
 * A look is a list of nodes: a variable, or what a pointer in an earlier node points to; each place is in it
 * once, under the first name it is reached by. Globals come first, then the locals of main's thread, then
 * those of others: so an object is called the same in all steps, by whoever uses it, as long as something
 * of lasting nature leads to it.
 */
#include "report/variables.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/variables_priv.h"

#define NODES 2048      /* of one look */
#define DEPTH 4         /* pointers followed in a row */
#define NODE_BYTES 8192 /* of one node that are looked at */
#define LOOK_BYTES (2u << 20)
#define HASH_SIZE 8192 /* > NODES, a power of two */
#define CHANGES_SHOWN 12
#define THREADS_SEEN 256

struct value_node {
	char name[128];
	bool deref; /* the name is that of a pointer to it */
	bool fresh;
	const struct value_type *type;
	u64 address, key, frame;
	u32 bytes_at, bytes, thread, depth;
	char function[64];
};

struct value_look {
	struct value_node *node;
	size_t n;
	u8 *bytes;
	size_t used;
	u16 hash[HASH_SIZE]; /* number of a node + 1 */
};

struct value_stack {
	bool alive;
	struct value_roots roots; /* innermost frame first */
};

struct variables {
	struct symbols *s;
	struct value_types types;
	struct value_roots statics;
	bool have_statics, looked;
	struct value_stack *stack; /* by thread number - 1 */
	struct value_look look[3]; /* now, before, and a glance */
	const struct value_look *names;
};

static bool look_make(struct value_look *l)
{
	l->node = calloc(NODES, sizeof(*l->node));
	l->bytes = malloc(LOOK_BYTES);
	return l->node && l->bytes;
}

struct variables *variables_open(struct symbols *s)
{
	struct variables *v = calloc(1, sizeof(*v));

	if (!v)
		return NULL;
	v->s = s;
	v->names = &v->look[0];
	v->stack = calloc(THREADS_SEEN, sizeof(*v->stack));
	if (!v->stack || !look_make(&v->look[0]) || !look_make(&v->look[1]) || !look_make(&v->look[2])) {
		variables_close(v);
		return NULL;
	}
	return v;
}

void variables_close(struct variables *v)
{
	if (!v)
		return;
	for (size_t i = 0; v->stack && i < THREADS_SEEN; i++)
		free(v->stack[i].roots.root);
	for (size_t i = 0; i < HD_ARRAY_LEN(v->look); i++) {
		free(v->look[i].node);
		free(v->look[i].bytes);
	}
	free(v->stack);
	free(v->statics.root);
	value_types_free(&v->types);
	free(v);
}

void variables_stand(struct variables *v, u32 thread, const struct wire_regs *regs)
{
	struct value_stack *st;

	if (!thread || thread > THREADS_SEEN)
		return;
	st = &v->stack[thread - 1];
	st->alive = true;
	st->roots.n = 0;
	value_roots_stack(v->s, &v->types, thread, regs, &st->roots);
}

void variables_ended(struct variables *v, u32 thread)
{
	if (thread && thread <= THREADS_SEEN)
		v->stack[thread - 1].alive = false;
}

/* --- looking --- */

static u64 mix(u64 a, u64 b)
{
	u64 h = (a ^ b * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;

	return h ^ h >> 29;
}

/* The slot where a node with this key is, or would be. */
static u16 *slot_of(struct value_look *l, u64 key, const struct value_type *type)
{
	size_t at = mix(key, (u64)type) & (HASH_SIZE - 1);

	while (l->hash[at]) {
		const struct value_node *n = &l->node[l->hash[at] - 1];

		if (n->key == key && n->type == type)
			break;
		at = (at + 1) & (HASH_SIZE - 1);
	}
	return &l->hash[at];
}

/* A copy of the node joins the look, unless it is there already, or can't be read. NULL: it does not. */
static struct value_node *add_node(struct variables *v, struct value_look *l, const struct value_node *like,
				   const void *value)
{
	u16 *slot = slot_of(l, like->key, like->type);
	u32 bytes = HD_MIN(like->type->size, (u32)NODE_BYTES);
	struct value_node *n = &l->node[l->n];

	if (*slot || l->n == NODES || l->used + bytes > LOOK_BYTES)
		return NULL;
	if (value)
		memcpy(l->bytes + l->used, value, bytes);
	else if (!symbols_peek(v->s, like->address, l->bytes + l->used, bytes))
		return NULL;
	*n = *like;
	n->bytes = bytes;
	n->bytes_at = (u32)l->used;
	l->used += bytes;
	*slot = (u16)(++l->n);
	return n;
}

static void part_name(const struct value_node *n, const struct value_part *p, char *out, size_t cap)
{
	const char *path = p->path;

	if (!n->deref || n->type->rust)
		snprintf(out, cap, "%s%s", n->name, path);
	else if (path[0] == '.')
		snprintf(out, cap, "%s->%s", n->name, path + 1);
	else if (path[0])
		snprintf(out, cap, "(*%s)%s", n->name, path);
	else
		snprintf(out, cap, "*%s", n->name);
}

static void follow(struct variables *v, struct value_look *l, size_t at)
{
	const struct value_node *from = &l->node[at];

	for (u32 i = 0; i < from->type->parts; i++) {
		const struct value_part *p = &from->type->part[i];
		Dwarf_Die type = p->type;
		struct value_node to = {
			.depth = from->depth + 1, .thread = from->thread, .frame = from->frame};

		if (p->kind != PART_POINTER || !type.addr || p->offset + 8 > from->bytes)
			continue;
		memcpy(&to.address, l->bytes + from->bytes_at + p->offset, 8);
		to.key = to.address;
		if (!to.address || dwarf_tag(&type) == DW_TAG_base_type ||
		    !(to.type = value_type_of(&v->types, &type)) || !to.type->parts)
			continue;
		part_name(from, p, to.name, sizeof(to.name));
		to.deref = !p->through;
		memcpy(to.function, from->function, sizeof(to.function));
		add_node(v, l, &to, NULL);
	}
}

static void add_root(struct variables *v, struct value_look *l, const struct value_root *r)
{
	struct value_node n = {
		.type = r->type, .address = r->address, .thread = r->thread, .frame = r->frame};
	u64 name = 0;

	n.fresh = r->fresh;
	for (const char *c = r->name; *c; c++)
		name = name * 31 + (u8)*c;
	/* What lies in a register goes by its name. */
	n.key = r->address ? r->address : mix(mix(r->frame, r->thread), name) | 1UL << 63;
	snprintf(n.name, sizeof(n.name), "%s", r->name);
	memcpy(n.function, r->function, sizeof(n.function));
	add_node(v, l, &n, r->address ? NULL : &r->value);
}

static bool is_plain_pointer(const struct value_node *n)
{
	return n->type->parts == 1 && !n->type->part[0].path[0];
}

/*
 * What the nodes from `first` on lead to, level by level, so that names are short; p->m is preferred to
 * q.from->m.
 */
static void follow_all(struct variables *v, struct value_look *l, size_t first)
{
	for (size_t end = l->n; first < end && l->node[first].depth < DEPTH; first = end, end = l->n) {
		for (size_t i = first; i < end; i++)
			if (is_plain_pointer(&l->node[i]))
				follow(v, l, i);
		for (size_t i = first; i < end; i++)
			if (!is_plain_pointer(&l->node[i]))
				follow(v, l, i);
	}
}

/* Outermost frame first, and each frame's variables as they are declared. */
static void add_stack(struct variables *v, struct value_look *l, u32 thread)
{
	const struct value_roots *r = &v->stack[thread - 1].roots;

	for (size_t end = v->stack[thread - 1].alive ? r->n : 0, begin; end; end = begin) {
		for (begin = end - 1; begin && r->root[begin - 1].frame == r->root[begin].frame; begin--)
			;
		for (size_t i = begin; i < end; i++)
			add_root(v, l, &r->root[i]);
	}
}

static void look_around(struct variables *v, struct value_look *l)
{
	size_t first;

	l->n = l->used = 0;
	memset(l->hash, 0, sizeof(l->hash));
	if (!v->have_statics)
		value_roots_static(v->s, &v->types, &v->statics);
	v->have_statics = true;
	for (size_t i = 0; i < v->statics.n; i++)
		add_root(v, l, &v->statics.root[i]);
	add_stack(v, l, 1);
	follow_all(v, l, 0);
	first = l->n;
	for (u32 t = 2; t <= THREADS_SEEN; t++)
		add_stack(v, l, t);
	follow_all(v, l, first);
}

/* --- changes --- */

struct value_changes {
	FILE *f;
	size_t told, more;
	u64 seen[CHANGES_SHOWN * 4]; /* addresses: one place may have several names */
	size_t seen_n;
};

static bool told_before(struct value_changes *c, u64 address)
{
	for (size_t i = 0; i < c->seen_n; i++)
		if (c->seen[i] == address)
			return true;
	if (c->seen_n < HD_ARRAY_LEN(c->seen))
		c->seen[c->seen_n++] = address;
	return false;
}

static void tell_part(struct variables *v, struct value_changes *c, const struct value_node *now,
		      const struct value_node *before, const struct value_part *p)
{
	const u8 *a = v->look[1].bytes + before->bytes_at + p->offset;
	const u8 *b = v->look[0].bytes + now->bytes_at + p->offset;
	char name[320], from[256], to[256];

	if (p->kind == PART_OPAQUE || (p->kind == PART_POINTER && (now->type->rust || p->through)) ||
	    p->offset + p->size > now->bytes || !memcmp(a, b, p->size) ||
	    told_before(c, now->key + p->offset))
		return;
	value_text(v->s, p, a, from, sizeof(from));
	value_text(v->s, p, b, to, sizeof(to));
	if (!strcmp(from, to))
		return;
	if (c->told == CHANGES_SHOWN) {
		c->more++;
		return;
	}
	part_name(now, p, name, sizeof(name));
	c->told++;
	if (before->fresh)
		fprintf(c->f, "%s = %s\n", name, to);
	else
		fprintf(c->f, "%s: %s → %s\n", name, from, to);
}

static void tell_node(struct variables *v, struct value_changes *c, const struct value_node *now)
{
	struct value_look *old = &v->look[1];
	u16 slot = *slot_of(old, now->key, now->type);
	const struct value_node *before = slot ? &old->node[slot - 1] : NULL;

	/* A frame that took the place of another is no change of a variable. */
	if (!before || before->bytes != now->bytes ||
	    (!now->depth && (before->frame != now->frame || strcmp(before->name, now->name) ||
			     strcmp(before->function, now->function))) ||
	    !memcmp(old->bytes + before->bytes_at, v->look[0].bytes + now->bytes_at, now->bytes))
		return;
	for (u32 i = 0; i < now->type->parts; i++)
		tell_part(v, c, now, before, &now->type->part[i]);
}

char *variables_look(struct variables *v)
{
	struct value_look swap = v->look[0];
	struct value_changes c = {0};
	char *text = NULL;
	size_t len = 0;
	bool first = !v->looked;

	v->look[0] = v->look[1];
	v->look[1] = swap;
	v->looked = true;
	v->names = &v->look[0];
	look_around(v, &v->look[0]);
	c.f = first ? NULL : open_memstream(&text, &len);
	if (!c.f)
		return NULL;
	for (size_t i = 0; i < v->look[0].n; i++)
		tell_node(v, &c, &v->look[0].node[i]);
	if (c.more)
		fprintf(c.f, "… and %zu more\n", c.more);
	if (fclose(c.f) || !len) {
		free(text);
		return NULL;
	}
	text[len - 1] = 0; /* the last end of line */
	return text;
}

void variables_glance(struct variables *v)
{
	v->names = &v->look[2];
	look_around(v, &v->look[2]);
}

/* --- names --- */

/* The smallest part around the offset. */
static const struct value_part *part_at(const struct value_type *t, u64 offset)
{
	const struct value_part *best = NULL;

	for (u32 i = 0; i < t->parts; i++) {
		const struct value_part *p = &t->part[i];

		if (offset >= p->offset && offset - p->offset < p->size && (!best || p->size < best->size))
			best = p;
	}
	return best;
}

/* What main has declared lives as long as the program, mostly; whose it is need not be told. */
static bool is_main(const char *function)
{
	size_t n = strlen(function);

	return n >= 4 && !strcmp(function + n - 4, "main") && (n == 4 || function[n - 5] == ':');
}

/* "of thread 2" where somebody else speaks; the type of a lock that has data in it. */
static void finish_name(const struct value_node *n, const struct value_part *p, u32 speaker, char *out,
			size_t cap)
{
	size_t len = strlen(out);
	Dwarf_Die type = p->type;

	if (p->kind == PART_OPAQUE && n->type->rust && dwarf_diename(&type))
		len += (size_t)snprintf(out + len, cap - len, " (%s)", dwarf_diename(&type));
	if (n->thread && n->thread != speaker && !(n->thread == 1 && is_main(n->function)) && len < cap)
		snprintf(out + len, cap - len, " of %s in thread %u", n->function, n->thread);
}

/* Blocks are rounded up: of one small thing in a block it is not sure that there could be two. */
static bool is_element(const struct value_type *type, u64 offset, u64 bytes)
{
	return bytes >= 2 * (u64)type->size && (offset >= type->size || type->size >= 16);
}

/* The element of an array on the heap that a pointer in the node leads to. */
static bool name_element(struct variables *v, const struct value_node *n, u32 speaker, u64 address, u64 block,
			 u64 bytes, char *out, size_t cap)
{
	for (u32 i = 0; i < n->type->parts; i++) {
		const struct value_part *p = &n->type->part[i], *inside;
		Dwarf_Die die = p->type;
		const struct value_type *type;
		u64 to;
		char name[320];

		if (p->kind != PART_POINTER || !die.addr || p->through || p->offset + 8 > n->bytes)
			continue;
		memcpy(&to, v->names->bytes + n->bytes_at + p->offset, 8);
		if (to != block || address - to >= bytes || !(type = value_type_of(&v->types, &die)) ||
		    !is_element(type, address - to, bytes) ||
		    !(inside = part_at(type, (address - to) % type->size)))
			continue;
		part_name(n, p, name, sizeof(name));
		snprintf(out, cap, "%s[%lu]%s", name, (address - to) / type->size, inside->path);
		finish_name(n, inside, speaker, out, cap);
		return true;
	}
	return false;
}

bool variables_name(struct variables *v, u32 thread, u64 address, u64 block, u64 bytes, char *out, size_t cap)
{
	const struct value_look *l = v->names;

	for (size_t i = 0; block && i < l->n; i++)
		if (name_element(v, &l->node[i], thread, address, block, bytes, out, cap))
			return true;
	for (size_t i = 0; i < l->n; i++) {
		const struct value_node *n = &l->node[i];
		const struct value_part *p;

		if (!n->address || address < n->address || address - n->address >= n->type->size ||
		    !(p = part_at(n->type, address - n->address)))
			continue;
		part_name(n, p, out, cap);
		finish_name(n, p, thread, out, cap);
		return true;
	}
	return false;
}
