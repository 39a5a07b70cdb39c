#include <stdio.h>
#include <string.h>

#include "property/property_priv.h"

/* A larger array is not watched as a whole: which of its elements are read is learnt, as with pointers. */
#define LARGEST_SPAN 16384u

struct coder {
	struct wire_properties *all;
	struct wire_property *of;
	const char *text;
	struct problem *problem;
	u32 begin;     /* of the code under way */
	bool as_it_is; /* the code of a term: nothing is taken from those kept */
	bool failed;
};

static void fail(struct coder *c, const char *why)
{
	if (!c->failed)
		problem_set(c->problem, "\"%s\": %s", c->text, why);
	c->failed = true;
}

u32 code_text(struct wire_properties *all, const char *text, size_t len)
{
	u32 at = all->text_len ? all->text_len : 1;

	if (len + 1 > sizeof(all->text) - at)
		return 0;
	memcpy(all->text + at, text, len);
	all->text[at + len] = 0;
	all->text_len = at + (u32)len + 1;
	return at;
}

static u32 text(struct coder *c, const char *from, size_t len)
{
	u32 at = code_text(c->all, from, len);

	if (!at)
		fail(c, "the texts of all properties together are too long");
	return at;
}

static struct property_instr *emit(struct coder *c, enum property_op op)
{
	static struct property_instr nowhere;
	struct property_instr *i = &nowhere;

	if (c->all->code_len < PROPERTY_CODE)
		i = &c->all->code[c->all->code_len++];
	else
		fail(c, "all properties together are too large");
	*i = (struct property_instr){.op = (u8)op};
	return i;
}

static void emit_const(struct coder *c, u64 value)
{
	emit(c, PROPERTY_CONST)->value = value;
}

static u32 here(const struct coder *c)
{
	return c->all->code_len - c->begin;
}

static void emit_node(struct coder *c, const struct expr *n);

/* Its own words; for messages. */
static u32 words_of(struct coder *c, const struct expr *n)
{
	for (u32 i = 0; i < c->of->terms; i++) {
		const struct property_term *t = &c->all->term[c->of->first_term + i];
		size_t len = n->to - n->from;

		if (strlen(c->all->text + t->text) == len &&
		    !memcmp(c->all->text + t->text, c->text + n->from, len))
			return t->text;
	}
	return text(c, c->text + n->from, n->to - n->from);
}

static void emit_load(struct coder *c, const struct expr *n)
{
	const struct expr *place = n->a;
	struct property_instr *i;

	if (c->of->step && !n->now && !c->as_it_is) {
		emit(c, PROPERTY_KEPT)->arg = n->term;
		return;
	}
	emit_node(c, place->a);
	u32 words = words_of(c, n);

	i = emit(c, place->type.kind == TYPE_FLOAT ? PROPERTY_LOAD_F : PROPERTY_LOAD);
	i->arg = words;
	i->size = (u8)(place->bit_size ? (place->bit_offset + place->bit_size + 7) / 8 : place->type.size);
	i->sign = place->type.sign;
	if (!place->bit_size)
		return;
	i->sign = 0;
	i = emit(c, PROPERTY_BITS);
	i->arg = place->bit_offset;
	i->size = (u8)place->bit_size;
	i->sign = place->type.sign;
}

static void emit_convert(struct coder *c, const struct expr *n)
{
	bool is_float = n->type.kind == TYPE_FLOAT;
	struct property_instr *i;

	emit_node(c, n->a);
	i = emit(c, is_float ? PROPERTY_TO_F : PROPERTY_CONVERT);
	i->type = (u8)n->number;
	i->size = (u8)n->type.size;
	i->sign = n->type.sign;
}

static void emit_binary(struct coder *c, const struct expr *n)
{
	struct property_instr *i;

	emit_node(c, n->a);
	emit_node(c, n->b);
	emit(c, n->op)->type = (u8)n->number;
	if (n->type.kind != TYPE_FLOAT || n->type.size != sizeof(float))
		return;
	i = emit(c, PROPERTY_TO_F); /* float is computed in float */
	i->type = PROPERTY_F64;
	i->size = sizeof(float);
}

/* a ? b : c, with b or c NULL: what `otherwise` says. */
static void emit_choice(struct coder *c, const struct expr *a, const struct expr *b, const struct expr *other,
			u64 otherwise)
{
	u32 to_other, to_end;

	emit_node(c, a);
	to_other = c->all->code_len;
	emit(c, PROPERTY_JUMP_FALSE);
	if (b)
		emit_node(c, b);
	else
		emit_const(c, otherwise);
	to_end = c->all->code_len;
	emit(c, PROPERTY_JUMP);
	if (c->failed)
		return;
	c->all->code[to_other].arg = here(c);
	if (other)
		emit_node(c, other);
	else
		emit_const(c, otherwise);
	c->all->code[to_end].arg = here(c);
}

static void emit_node(struct coder *c, const struct expr *n)
{
	struct property_instr *i;

	if (c->failed)
		return;
	switch (n->kind) {
	case NODE_CONST:
		emit_const(c, n->value);
		break;
	case NODE_LOAD:
		emit_load(c, n);
		break;
	case NODE_PLACE:
		fail(c, "something without a value is used as one");
		break;
	case NODE_OFFSET:
		emit_node(c, n->a);
		emit_const(c, n->value);
		emit(c, PROPERTY_ADD)->type = PROPERTY_U64;
		break;
	case NODE_SCALED:
		emit_node(c, n->a);
		emit_node(c, n->b);
		emit(c, PROPERTY_SCALE)->value = n->value;
		break;
	case NODE_BOUND:
		emit_node(c, n->a);
		i = emit(c, PROPERTY_INDEX);
		i->value = n->value;
		i->arg = text(c, c->text + n->a->from, n->a->to - n->a->from);
		break;
	case NODE_UNARY:
		emit_node(c, n->a);
		emit(c, n->op)->type = (u8)n->number;
		break;
	case NODE_BINARY:
		emit_binary(c, n);
		break;
	case NODE_CONVERT:
		emit_convert(c, n);
		break;
	case NODE_BOOL:
		emit_node(c, n->a);
		emit(c, PROPERTY_TO_BOOL)->type = (u8)n->number;
		break;
	case NODE_AND:
		emit_choice(c, n->a, n->b, NULL, 0);
		break;
	case NODE_OR:
		emit_choice(c, n->a, NULL, n->b, 1);
		break;
	case NODE_CHOICE:
		emit_choice(c, n->a, n->b, n->c, 0);
		break;
	}
}

static struct property_code code_of(struct coder *c, const struct expr *n, bool as_it_is)
{
	c->begin = c->all->code_len;
	c->as_it_is = as_it_is;
	emit_node(c, n);
	return (struct property_code){c->begin, c->all->code_len - c->begin};
}

/* ---- what is read ---- */

static void add_range(struct coder *c, u64 address, u64 bytes)
{
	u64 total = bytes;

	for (u32 i = 0; i < c->all->ranges; i++) {
		const struct property_range *r = &c->all->range[i];

		if (i >= c->of->first_range && address >= r->address &&
		    address - r->address + bytes <= r->bytes)
			return;
		total += r->bytes;
	}
	if (c->all->ranges == PROPERTY_RANGES || total > PROPERTY_RANGE_BYTES) {
		fail(c, "all properties together read too much memory");
		return;
	}
	c->all->range[c->all->ranges++] = (struct property_range){address, bytes};
	c->of->ranges++;
}

static void add_enumerator(void *self, const char *name, u64 value)
{
	struct coder *c = self;
	struct property_term *t = &c->all->term[c->all->terms - 1];

	if (c->all->names == PROPERTY_NAMES || t->names == 256)
		return;
	u32 at = code_text(c->all, name, strlen(name));

	if (!at)
		return; /* it is shown as a number */
	c->all->name[c->all->names++] = (struct property_name){.value = value, .text = at};
	t->names++;
}

static enum property_format format_of(const struct type *t)
{
	switch (t->kind) {
	case TYPE_BOOL:
		return PROPERTY_BOOL;
	case TYPE_CHAR:
		return PROPERTY_CHAR;
	case TYPE_POINTER:
		return PROPERTY_POINTER;
	case TYPE_FLOAT:
		return PROPERTY_FLOAT;
	default:
		return t->sign ? PROPERTY_SIGNED : PROPERTY_UNSIGNED;
	}
}

static u32 term_text(struct coder *c, const struct expr *n)
{
	char buf[512];
	int len = (int)(n->to - n->from);

	if (!n->now || len > 480)
		return text(c, c->text + n->from, (size_t)len);
	snprintf(buf, sizeof(buf), "next(%.*s)", len, c->text + n->from);
	return text(c, buf, strlen(buf));
}

static void add_term(struct coder *c, struct expr *n)
{
	struct property_term *t;
	u32 words = term_text(c, n);

	for (u32 i = 0; i < c->of->terms; i++) {
		t = &c->all->term[c->of->first_term + i];
		if (words && !strcmp(c->all->text + t->text, c->all->text + words)) {
			n->term = i;
			c->all->text_len = words;
			return;
		}
	}
	if (c->all->terms == PROPERTY_TERMS) {
		fail(c, "all properties together name too many variables");
		return;
	}
	t = &c->all->term[c->all->terms++];
	n->term = c->of->terms++;
	*t = (struct property_term){.text = words,
				    .format = format_of(&n->a->type),
				    .before = c->of->step && !n->now,
				    .first = c->all->names};
	if (n->a->type.kind == TYPE_ENUM)
		type_each_enumerator(&n->a->type, add_enumerator, c);
	t->code = code_of(c, n, true);
}

static void collect(struct coder *c, struct expr *n)
{
	if (!n || c->failed)
		return;
	if (n->kind == NODE_LOAD) {
		add_term(c, n);
		if (n->a->span_bytes && n->a->span_bytes <= LARGEST_SPAN)
			add_range(c, n->a->span, n->a->span_bytes);
		else
			c->of->through_pointers = 1;
	}
	if (n->kind != NODE_CONST) {
		bool swapped = n->a && n->b &&
			       n->b->from < n->a->from; /* they are shown as they were written */

		collect(c, swapped ? n->b : n->a);
		collect(c, swapped ? n->a : n->b);
		collect(c, n->c);
	}
}

int code_property(struct wire_properties *all, struct wire_property *of, const char *words, struct expr *root,
		  struct problem *p)
{
	struct coder c = {.all = all, .of = of, .text = words, .problem = p};

	of->first_term = all->terms;
	of->first_range = all->ranges;
	of->terms = of->ranges = of->through_pointers = 0;
	collect(&c, root);
	of->code = code_of(&c, root, false);
	return c.failed ? -1 : 0;
}
