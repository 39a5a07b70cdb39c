/*
 * convert.c: operators and C's conversions: integer promotions, the usual arithmetic conversions, pointers.
 * Every function passes NULL on: then a problem has been told.
 */
#include <string.h>

#include "property/property_priv.h"

int number_of(const struct type *t)
{
	switch (t->kind) {
	case TYPE_INTEGER:
	case TYPE_BOOL:
	case TYPE_CHAR:
	case TYPE_ENUM:
		if (t->size < 4 || !t->size)
			return PROPERTY_I32;
		if (t->size == 4)
			return t->sign ? PROPERTY_I32 : PROPERTY_U32;
		return t->sign ? PROPERTY_I64 : PROPERTY_U64;
	case TYPE_FLOAT:
		return PROPERTY_F64;
	case TYPE_POINTER:
		return PROPERTY_U64;
	default:
		return -1;
	}
}

struct type type_number(enum property_type number)
{
	bool is_float = number == PROPERTY_F64, is_wide = number == PROPERTY_I64 || number == PROPERTY_U64;

	return (struct type){.kind = is_float ? TYPE_FLOAT : TYPE_INTEGER,
			     .sign = number == PROPERTY_I32 || number == PROPERTY_I64 || is_float,
			     .size = is_float || is_wide ? 8 : 4};
}

static struct expr *load(struct parser *p, struct expr *place)
{
	struct expr *n = node_new(p, NODE_LOAD, place, NULL, place->from);

	if (!n)
		return NULL;
	n->to = place->to;
	n->type = place->type;
	if (place->bit_size) { /* narrow ones are promoted to int, whatever they were declared as */
		if (n->type.kind != TYPE_BOOL && n->type.kind != TYPE_ENUM)
			n->type.kind = TYPE_INTEGER;
		if (place->bit_size < 32 || (place->bit_size == 32 && place->type.sign)) {
			n->type.size = 4;
			n->type.sign = true;
		} else if (place->bit_size == 32) {
			n->type.size = 4;
		}
	}
	if (p->step && !p->in_next && place->has_now) {
		return parser_fail(p, place->from,
				   "where this lies depends on next(): put all of it into next()");
	}
	n->now = p->in_next > 0;
	n->has_now |= n->now;
	return n;
}

struct expr *value_of(struct parser *p, struct expr *n)
{
	struct member only;
	char name[160];

	if (!n || n->kind != NODE_PLACE)
		return n;
	while (n->type.kind == TYPE_STRUCT && type_only_member(&n->type, &only)) {
		n->type = only.type;
		n->bit_size = only.bit_size;
		n->bit_offset = only.bit_offset;
	}
	if (n->type.kind == TYPE_ARRAY) {
		struct expr *address = node_new(p, NODE_OFFSET, n->a, NULL, n->from);

		if (address)
			address->type = n->type; /* an array's address knows its elements: make_follow */
		return address;
	}
	if (number_of(&n->type) < 0)
		return parser_fail(p, n->from, "%s has no value of its own: name a member or an element",
				   type_name(&n->type, name, sizeof(name)));
	return load(p, n);
}

/* A value that can be computed with; arrays count as their address. */
static struct expr *operand(struct parser *p, struct expr *n, enum property_type *number)
{
	char name[160];

	*number = PROPERTY_I32;
	n = value_of(p, n);
	if (!n)
		return NULL;
	if (n->type.kind == TYPE_ARRAY) {
		*number = PROPERTY_U64;
		return n;
	}
	if (number_of(&n->type) < 0)
		return parser_fail(p, n->from, "%s cannot be computed with",
				   type_name(&n->type, name, sizeof(name)));
	*number = (enum property_type)number_of(&n->type);
	return n;
}

static bool is_pointer(const struct expr *n)
{
	return n->type.kind == TYPE_POINTER || n->type.kind == TYPE_ARRAY;
}

struct expr *convert_to(struct parser *p, struct expr *n, const struct type *to)
{
	enum property_type from;
	struct expr *c;

	n = operand(p, n, &from);
	if (!n)
		return NULL;
	if (to->kind == TYPE_BOOL) {
		c = truth_of(p, n);
		return c;
	}
	c = node_new(p, NODE_CONVERT, n, NULL, n->from);
	if (!c)
		return NULL;
	c->number = from;
	c->type = *to;
	return c;
}

static struct expr *in_number(struct parser *p, struct expr *n, enum property_type to)
{
	struct type t = type_number(to);

	if (!n || (number_of(&n->type) == (int)to && to != PROPERTY_F64) ||
	    (is_pointer(n) && to == PROPERTY_U64))
		return n;
	return convert_to(p, n, &t);
}

struct expr *truth_of(struct parser *p, struct expr *n)
{
	enum property_type number;
	struct expr *b;

	n = operand(p, n, &number);
	if (!n)
		return NULL;
	b = node_new(p, NODE_BOOL, n, NULL, n->from);
	if (!b)
		return NULL;
	b->number = number;
	b->type = type_number(PROPERTY_I32);
	return b;
}

/* What both operands are converted to. */
static enum property_type common(enum property_type a, enum property_type b)
{
	if (a == PROPERTY_F64 || b == PROPERTY_F64)
		return PROPERTY_F64;
	if (a == PROPERTY_U64 || b == PROPERTY_U64)
		return PROPERTY_U64;
	if (a == PROPERTY_I64 || b == PROPERTY_I64)
		return PROPERTY_I64;
	return a == PROPERTY_U32 || b == PROPERTY_U32 ? PROPERTY_U32 : PROPERTY_I32;
}

/* Two numbers, one of them a floating-point one: what is float stays float, and makes the other one so. */
static void both_floats(struct parser *p, struct expr **a, struct expr **b)
{
	u64 left = (*a)->type.kind == TYPE_FLOAT ? (*a)->type.size : 0;
	u64 right = (*b)->type.kind == TYPE_FLOAT ? (*b)->type.size : 0;
	struct type to = type_number(PROPERTY_F64);

	to.size = HD_MAX(left, right);
	if (left != to.size)
		*a = convert_to(p, *a, &to);
	if (right != to.size)
		*b = convert_to(p, *b, &to);
}

static void both_numbers(struct parser *p, enum property_type number, struct expr **a, struct expr **b)
{
	if (number == PROPERTY_F64) {
		both_floats(p, a, b);
		return;
	}
	*a = in_number(p, *a, number);
	*b = in_number(p, *b, number);
}

static struct expr *operation(struct parser *p, enum property_op op, struct expr *a, struct expr *b,
			      enum property_type number, bool compares)
{
	struct expr *n = a ? node_new(p, NODE_BINARY, a, b, a->from) : NULL;

	if (!n || !b)
		return NULL;
	n->op = op;
	n->number = number;
	n->type = type_number(compares ? PROPERTY_I32 : number);
	if (number == PROPERTY_F64 && !compares)
		n->type.size = a->type.size;
	return n;
}

/* p + n, p - n, p - q. */
static struct expr *pointer_sum(struct parser *p, bool minus, struct expr *a, struct expr *b)
{
	struct type element;
	struct expr *n;

	if (!is_pointer(a)) {
		n = a;
		a = b;
		b = n;
	}
	if (!type_element(p->names, &a->type, &element) || !element.size)
		return parser_fail(p, a->from, "the size of what it points to is not known");
	if (is_pointer(b)) {
		struct type wide = type_number(PROPERTY_I64);

		if (!minus)
			return parser_fail(p, a->from, "two pointers cannot be added");
		n = operation(p, PROPERTY_SUB, convert_to(p, a, &wide), convert_to(p, b, &wide), PROPERTY_I64,
			      false);
		struct expr *size = node_new(p, NODE_CONST, NULL, NULL, a->from);

		if (!size || !n)
			return NULL;
		size->value = element.size;
		size->type = wide;
		return operation(p, PROPERTY_DIV, n, size, PROPERTY_I64, false);
	}
	b = in_number(p, b, PROPERTY_I64);
	n = b ? node_new(p, NODE_SCALED, a, b, a->from) : NULL;
	if (!n)
		return NULL;
	n->value = minus ? -element.size : element.size;
	n->type = a->type;
	if (n->type.kind == TYPE_ARRAY && n->type.dimension == 0)
		n->type.count = 0;
	return n;
}

static const struct operator_word {
	const char *word;
	enum property_op op;
	bool compares, swaps, shifts, integers;
} operators[] = {
	{"*", PROPERTY_MUL, .swaps = false},
	{"/", PROPERTY_DIV, .swaps = false},
	{"%", PROPERTY_MOD, .integers = true},
	{"+", PROPERTY_ADD, .swaps = false},
	{"-", PROPERTY_SUB, .swaps = false},
	{"<<", PROPERTY_SHL, .shifts = true, .integers = true},
	{">>", PROPERTY_SHR, .shifts = true, .integers = true},
	{"<", PROPERTY_LT, .compares = true},
	{"<=", PROPERTY_LE, .compares = true},
	{">", PROPERTY_LT, .compares = true, .swaps = true},
	{">=", PROPERTY_LE, .compares = true, .swaps = true},
	{"==", PROPERTY_EQ, .compares = true},
	{"!=", PROPERTY_NE, .compares = true},
	{"&", PROPERTY_AND, .integers = true},
	{"^", PROPERTY_XOR, .integers = true},
	{"|", PROPERTY_OR, .integers = true},
};

static struct expr *logical(struct parser *p, bool and_, struct expr *a, struct expr *b)
{
	struct expr *n;

	a = truth_of(p, a);
	b = truth_of(p, b);
	n = a && b ? node_new(p, and_ ? NODE_AND : NODE_OR, a, b, a->from) : NULL;
	if (n)
		n->type = type_number(PROPERTY_I32);
	return n;
}

static struct expr *arithmetic(struct parser *p, const struct operator_word *o, struct expr *a,
			       struct expr *b)
{
	enum property_type left, right, number;

	a = operand(p, a, &left);
	b = a ? operand(p, b, &right) : NULL;
	if (!a || !b)
		return NULL;
	bool pointers = is_pointer(a) || is_pointer(b);

	if (pointers && !o->compares && o->op != PROPERTY_ADD && o->op != PROPERTY_SUB)
		return parser_fail(p, a->from, "pointers have no operator %s", o->word);
	if (pointers && !o->compares && (is_pointer(a) || o->op == PROPERTY_ADD))
		return pointer_sum(p, o->op == PROPERTY_SUB, a, b);
	if (o->integers && (left == PROPERTY_F64 || right == PROPERTY_F64))
		return parser_fail(p, a->from, "%s needs whole numbers", o->word);
	if (pointers && (left == PROPERTY_F64 || right == PROPERTY_F64))
		return parser_fail(p, a->from, "a pointer and a floating-point number cannot be compared");
	if (o->shifts)
		return operation(p, o->op, a, in_number(p, b, PROPERTY_I64), left, false);
	number = common(left, right);
	both_numbers(p, number, &a, &b);
	return o->swaps ? operation(p, o->op, b, a, number, true)
			: operation(p, o->op, a, b, number, o->compares);
}

struct expr *make_binary(struct parser *p, const char *op, struct expr *a, struct expr *b)
{
	u32 from = a ? a->from : 0;
	struct expr *n = NULL;

	if (!a || !b)
		return NULL;
	if (!strcmp(op, "&&") || !strcmp(op, "||"))
		n = logical(p, op[0] == '&', a, b);
	for (size_t i = 0; !n && !p->failed && i < HD_ARRAY_LEN(operators); i++)
		if (!strcmp(operators[i].word, op))
			n = arithmetic(p, &operators[i], a, b);
	if (n) {
		n->from = from;
		n->to = p->last_end;
	}
	return n;
}

struct expr *make_unary(struct parser *p, const char *op, struct expr *a, u32 from)
{
	enum property_type number;
	struct expr *n;

	if (!a)
		return NULL;
	if (*op == '*')
		return make_follow(p, a, from);
	if (*op == '&') {
		if (a->kind != NODE_PLACE || a->bit_size)
			return parser_fail(p, from, "this has no address");
		n = node_new(p, NODE_OFFSET, a->a, NULL, from);
		if (n) {
			n->type = a->type;
			n->type.kind = TYPE_POINTER;
			n->type.size = sizeof(u64);
			n->type.by_address = true;
		}
		return n;
	}
	if (*op == '!') {
		n = truth_of(p, a);
		struct expr *zero = node_new(p, NODE_CONST, NULL, NULL, from);

		if (zero)
			zero->type = type_number(PROPERTY_I32);
		n = operation(p, PROPERTY_EQ, n, zero, PROPERTY_I32, true);
	} else {
		a = operand(p, a, &number);
		if (!a)
			return NULL;
		if (is_pointer(a) || (number == PROPERTY_F64 && *op == '~'))
			return parser_fail(p, from, "%s needs a number", op);
		if (*op == '+')
			return in_number(p, a, number);
		n = node_new(p, NODE_UNARY, a, NULL, from);
		if (n) {
			n->op = *op == '-' ? PROPERTY_NEG : PROPERTY_NOT;
			n->number = number;
			n->type = type_number(number);
			if (number == PROPERTY_F64)
				n->type.size = a->type.size;
		}
	}
	if (n)
		n->from = from;
	return n;
}

struct expr *make_choice(struct parser *p, struct expr *a, struct expr *b, struct expr *c)
{
	enum property_type left, right;
	struct expr *n;

	a = truth_of(p, a);
	b = a ? operand(p, b, &left) : NULL;
	c = b ? operand(p, c, &right) : NULL;
	if (!c)
		return NULL;
	if (!is_pointer(b) || !is_pointer(c))
		both_numbers(p, common(left, right), &b, &c);
	n = node_new(p, NODE_CHOICE, a, b, a->from);
	if (!n || !b || !c)
		return NULL;
	n->c = c;
	n->has_now |= c->has_now;
	n->type = b->type;
	n->to = p->last_end;
	return n;
}

struct expr *make_follow(struct parser *p, struct expr *pointer, u32 from)
{
	struct type element;
	struct expr *n;

	if (pointer && pointer->kind == NODE_PLACE && pointer->type.kind == TYPE_ARRAY) {
		struct expr *zero = node_new(p, NODE_CONST, NULL, NULL, from);

		if (zero)
			zero->type = type_number(PROPERTY_I64);
		return make_index(p, pointer, zero);
	}
	pointer = value_of(p, pointer);
	if (!pointer)
		return NULL;
	if (!is_pointer(pointer) || !pointer->type.die.addr)
		return parser_fail(p, from, "this is no pointer that can be followed");
	if (!type_element(p->names, &pointer->type, &element) || element.kind == TYPE_OTHER)
		return parser_fail(p, from, "what it points to has no type that can be read");
	n = node_new(p, NODE_PLACE, pointer, NULL, from);
	if (n)
		n->type = element;
	return n;
}

static struct expr *element_of_array(struct parser *p, struct expr *array, struct expr *index,
				     const struct type *element)
{
	struct expr *bound = index, *address, *n;
	bool fixed = index->kind == NODE_CONST;

	if (fixed && array->type.count && index->value >= array->type.count)
		return parser_fail(p, index->from, "the array has elements 0 to %lu", array->type.count - 1);
	if (array->type.count && !fixed) {
		bound = node_new(p, NODE_BOUND, index, NULL, index->from);
		if (!bound)
			return NULL;
		bound->value = array->type.count;
		bound->type = index->type;
	}
	address = node_new(p, NODE_SCALED, array->a, bound, array->from);
	n = address ? node_new(p, NODE_PLACE, address, NULL, array->from) : NULL;
	if (!n)
		return NULL;
	address->value = element->size;
	n->type = *element;
	n->span = array->span;
	n->span_bytes = array->type.count ? array->span_bytes : 0;
	if (fixed && n->span_bytes && array->a->kind == NODE_CONST) {
		address->kind = NODE_CONST;
		address->value = n->span = array->a->value + index->value * element->size;
		n->span_bytes = element->size;
	}
	return n;
}

struct expr *make_index(struct parser *p, struct expr *a, struct expr *index)
{
	struct type element;
	struct expr *n;

	if (!a || !index)
		return NULL;
	if (index->type.kind == TYPE_FLOAT || is_pointer(index))
		return parser_fail(p, index->from, "an index is a whole number");
	if (index->kind != NODE_CONST)
		index = in_number(p, index, PROPERTY_I64);
	if (!index)
		return NULL;
	if (a->kind == NODE_PLACE && a->type.kind == TYPE_ARRAY) {
		if (!type_element(p->names, &a->type, &element) || !element.size)
			return parser_fail(p, a->from, "the size of its elements is not known");
		return element_of_array(p, a, index, &element);
	}
	a = value_of(p, a);
	if (!a)
		return NULL;
	if (!is_pointer(a))
		return parser_fail(p, a->from, "this is neither an array nor a pointer");
	n = pointer_sum(p, false, a, index);
	return n ? make_follow(p, n, a->from) : NULL;
}

struct expr *make_member(struct parser *p, struct expr *place, const char *name, u32 at)
{
	struct suggestion s = {name, SIMILAR_NONE};
	struct member m;
	struct expr *n, *address;
	char like[160], type[160];

	if (!place)
		return NULL;
	if (place->type.kind == TYPE_POINTER)
		return parser_fail(p, at, "a pointer has no members: write ->%s, if it points to a struct",
				   name);
	if (place->kind != NODE_PLACE || place->type.kind != TYPE_STRUCT)
		return parser_fail(p, at, "%s has no members", type_name(&place->type, type, sizeof(type)));
	if (!type_member(&place->type, name, &m)) {
		type_each_member(&place->type, suggest, &s);
		return parser_fail(p, at, "%s has no member %s%s",
				   type_name(&place->type, type, sizeof(type)), name,
				   similar_text(&s.best, "", like, sizeof(like)));
	}
	address = node_new(p, NODE_OFFSET, place->a, NULL, place->from);
	n = address ? node_new(p, NODE_PLACE, address, NULL, place->from) : NULL;
	if (!n)
		return NULL;
	address->value = m.offset;
	n->type = m.type;
	n->bit_offset = m.bit_offset;
	n->bit_size = m.bit_size;
	n->span = place->span;
	n->span_bytes = place->span_bytes;
	if (place->a->kind == NODE_CONST) {
		address->kind = NODE_CONST;
		address->a = NULL;
		address->value = n->span = place->a->value + m.offset;
		n->span_bytes = m.bit_size ? (m.bit_offset + m.bit_size + 7) / 8 : m.type.size;
	}
	return n;
}
