/*
 * parser.c: recursive descent, with C's precedence. Below ?: stands implication: a -> b is !a || b, and a
 * -> b -> c is a -> (b -> c).
 *
 * "->" has two meanings. Behind a pointer to a struct or union it is member access, as in C; behind
 * anything else it is implication. So types are computed while parsing. "==>" is always implication.
 */
#include <dwarf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "property/property_priv.h"

#define DEEPEST 200
#define MOST_NODES 5000

static struct expr *expression(struct parser *p);
static struct expr *unary(struct parser *p);

struct expr *parser_fail(struct parser *p, u32 at, const char *format, ...)
{
	char why[1024];
	va_list args;

	if (p->failed)
		return NULL;
	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	p->failed = true;
	problem_set(p->problem, "%s \"%s\": column %u: %s", p->step ? "--step" : "--invariant", p->text,
		    at + 1, why);
	return NULL;
}

struct expr *node_new(struct parser *p, enum node_kind kind, struct expr *a, struct expr *b, u32 from)
{
	struct expr *n;

	if (p->failed)
		return NULL;
	if (p->nodes++ == MOST_NODES)
		return parser_fail(p, from, "the expression is too large");
	n = calloc(1, sizeof(*n));
	if (!n)
		return parser_fail(p, from, "out of memory");
	n->kind = kind;
	n->a = a;
	n->b = b;
	n->from = from;
	n->to = a && !b ? a->to : p->last_end;
	n->has_now = (a && a->has_now) || (b && b->has_now);
	n->all = p->all;
	p->all = n;
	return n;
}

void parser_free(struct parser *p)
{
	while (p->all) {
		struct expr *n = p->all;

		p->all = n->all;
		free(n);
	}
}

static void advance(struct parser *p)
{
	p->last_end = p->token.at + p->token.len;
	lexer_next(p->text, p->last_end, &p->token);
	if (p->token.kind == TOKEN_WRONG)
		parser_fail(p, p->token.at, "%.*s: %s", (int)p->token.len, p->text + p->token.at,
			    p->token.wrong);
}

static bool is_op(const struct parser *p, const char *op)
{
	return p->token.kind == TOKEN_OPERATOR && !strcmp(p->token.name, op);
}

static bool take(struct parser *p, const char *op)
{
	if (!is_op(p, op))
		return false;
	advance(p);
	return true;
}

static void expect(struct parser *p, const char *op)
{
	if (take(p, op) || p->failed)
		return;
	if (p->token.kind == TOKEN_END)
		parser_fail(p, p->token.at, "%s is missing at the end", op);
	else
		parser_fail(p, p->token.at, "%s is expected, not %.*s", op, (int)p->token.len,
			    p->text + p->token.at);
}

/* ---- names ---- */

static struct expr *constant(struct parser *p, u64 value, enum property_type type, u32 from)
{
	struct expr *n = node_new(p, NODE_CONST, NULL, NULL, from);

	if (!n)
		return NULL;
	n->value = value;
	n->type = type_number(type);
	return n;
}

static struct expr *variable(struct parser *p, const struct token *t)
{
	const struct variable *v;
	struct problem why;
	struct expr *n;
	u64 value;

	if (!t->file[0] && names_enumerator(p->names, t->name, &value) &&
	    names_variable(p->names, NULL, t->name, &v, NULL))
		return constant(p, value, value == (u64)(int)value ? PROPERTY_I32 : PROPERTY_I64, t->at);
	if (names_variable(p->names, t->file[0] ? t->file : NULL, t->name, &v, &why))
		return parser_fail(p, t->at, "%s", why.text);
	n = node_new(p, NODE_PLACE, constant(p, v->address, PROPERTY_U64, t->at), NULL, t->at);
	if (!n)
		return NULL;
	if (!type_of((Dwarf_Die *)&v->die, &n->type))
		return parser_fail(p, t->at, "the type of %s is not known", t->name);
	if (n->type.kind == TYPE_STRUCT && dwarf_hasattr(&n->type.die, DW_AT_declaration))
		names_definition(p->names, &n->type);
	n->span = v->address;
	n->span_bytes = n->type.size;
	if (n->type.kind == TYPE_POINTER && dwarf_tag(&n->type.die) != DW_TAG_pointer_type)
		return make_follow(p, n, t->at); /* a reference is what it refers to */
	return n;
}

static struct expr *next(struct parser *p, u32 from)
{
	struct expr *n;

	if (!p->step)
		return parser_fail(p, from, "next() is about two states: give it with --step");
	if (p->in_next)
		return parser_fail(p, from, "next() in next(): there is one step only");
	p->saw_next = true;
	p->in_next++;
	expect(p, "(");
	n = value_of(p, expression(p));
	expect(p, ")");
	p->in_next--;
	return n;
}

static struct expr *size_of(struct parser *p, u32 from)
{
	struct expr *n;

	if (take(p, "(")) {
		n = expression(p);
		expect(p, ")");
	} else {
		n = unary(p);
	}
	return n ? constant(p, n->type.size, PROPERTY_U64, from) : NULL;
}

static struct expr *word(struct parser *p)
{
	struct token t = p->token;

	advance(p);
	if (t.file[0])
		return variable(p, &t);
	if (!strcmp(t.name, "true") || !strcmp(t.name, "false"))
		return constant(p, t.name[0] == 't', PROPERTY_I32, t.at);
	if (!strcmp(t.name, "NULL") || !strcmp(t.name, "nullptr"))
		return constant(p, 0, PROPERTY_U64, t.at);
	if (!strcmp(t.name, "sizeof"))
		return size_of(p, t.at);
	if (!strcmp(t.name, "next") && is_op(p, "("))
		return next(p, t.at);
	return variable(p, &t);
}

static struct expr *primary(struct parser *p)
{
	struct token t = p->token;
	struct expr *n;

	switch (t.kind) {
	case TOKEN_NUMBER:
		advance(p);
		return constant(p, t.value, (enum property_type)t.type, t.at);
	case TOKEN_FLOAT:
		advance(p);
		n = constant(p, t.value, PROPERTY_F64, t.at);
		if (n)
			n->type.size = t.type;
		return n;
	case TOKEN_NAME:
		return word(p);
	default:
		break;
	}
	if (take(p, "(")) {
		n = expression(p);
		expect(p, ")");
		if (n) {
			n->from = t.at;
			n->to = p->last_end;
		}
		return n;
	}
	if (t.kind == TOKEN_END)
		return parser_fail(p, t.at, "the expression ends too early");
	return parser_fail(p, t.at, "a value is expected, not %.*s", (int)t.len, p->text + t.at);
}

/* ---- operators ---- */

/* See above: is the -> that comes next a member access? */
static bool points_to_struct(struct parser *p, const struct expr *n)
{
	struct type element;

	return n && (n->type.kind == TYPE_POINTER || n->type.kind == TYPE_ARRAY) &&
	       type_element(p->names, &n->type, &element) && element.kind == TYPE_STRUCT;
}

static struct expr *member(struct parser *p, struct expr *of, u32 from)
{
	struct token t = p->token;

	if (t.kind != TOKEN_NAME || t.file[0])
		return parser_fail(p, t.at, "the name of a member is expected");
	advance(p);
	struct expr *n = make_member(p, of, t.name, t.at);

	if (n) {
		n->from = from;
		n->to = p->last_end;
	}
	return n;
}

static struct expr *postfix(struct parser *p)
{
	u32 from = p->token.at;
	struct expr *n = primary(p);

	while (n && !p->failed) {
		if (is_op(p, ".")) {
			advance(p);
			n = member(p, n, from);
		} else if (is_op(p, "->") && points_to_struct(p, n)) {
			advance(p);
			n = member(p, make_follow(p, n, from), from);
			if (!n && !strstr(p->problem->text, "==>"))
				strncat(p->problem->text,
					"; behind a pointer to a struct -> is member access, ==> implies",
					sizeof(p->problem->text) - strlen(p->problem->text) - 1);
		} else if (take(p, "[")) {
			struct expr *index = value_of(p, expression(p));

			expect(p, "]");
			n = make_index(p, n, index);
			if (n) {
				n->from = from;
				n->to = p->last_end;
			}
		} else {
			break;
		}
	}
	return p->failed ? NULL : n;
}

/* (unsigned long), and the types of stdint.h by name. */
static bool cast_type(const char *text, u32 at, struct type *out, u32 *end)
{
	static const struct {
		const char *name;
		u32 size;
		bool sign;
		enum type_kind kind;
	} words[] = {{"char", 1, true, TYPE_CHAR},          {"bool", 1, false, TYPE_BOOL},
		     {"_Bool", 1, false, TYPE_BOOL},        {"float", 4, true, TYPE_FLOAT},
		     {"double", 8, true, TYPE_FLOAT},       {"int8_t", 1, true, TYPE_INTEGER},
		     {"uint8_t", 1, false, TYPE_INTEGER},   {"int16_t", 2, true, TYPE_INTEGER},
		     {"uint16_t", 2, false, TYPE_INTEGER},  {"int32_t", 4, true, TYPE_INTEGER},
		     {"uint32_t", 4, false, TYPE_INTEGER},  {"int64_t", 8, true, TYPE_INTEGER},
		     {"uint64_t", 8, false, TYPE_INTEGER},  {"size_t", 8, false, TYPE_INTEGER},
		     {"ssize_t", 8, true, TYPE_INTEGER},    {"intptr_t", 8, true, TYPE_INTEGER},
		     {"uintptr_t", 8, false, TYPE_INTEGER}, {"short", 2, true, TYPE_INTEGER},
		     {"int", 4, true, TYPE_INTEGER},        {"long", 8, true, TYPE_INTEGER},
		     {"signed", 4, true, TYPE_INTEGER},     {"unsigned", 4, false, TYPE_INTEGER}};
	bool is_unsigned = false, any = false;
	struct token t;

	memset(out, 0, sizeof(*out));
	for (;; at = t.at + t.len) {
		size_t i = 0;

		lexer_next(text, at, &t);
		if (t.kind != TOKEN_NAME || t.file[0])
			break;
		while (i < HD_ARRAY_LEN(words) && strcmp(words[i].name, t.name))
			i++;
		if (i == HD_ARRAY_LEN(words))
			return false;
		is_unsigned |= !strcmp(t.name, "unsigned");
		/* "long int" and "unsigned char": the other word says how wide it is. */
		bool weak = !strcmp(t.name, "int") || !strcmp(t.name, "signed") ||
			    !strcmp(t.name, "unsigned");
		if (!weak || !out->size) {
			out->size = words[i].size;
			out->kind = words[i].kind;
			out->sign = words[i].sign;
		}
		any = true;
	}
	if (is_unsigned)
		out->sign = false;
	*end = t.at;
	return any && t.kind == TOKEN_OPERATOR && !strcmp(t.name, ")");
}

static struct expr *deeper_unary(struct parser *p)
{
	static const char *const ops[] = {"-", "+", "!", "~", "*", "&"};
	u32 from = p->token.at, end;
	struct type to;

	for (size_t i = 0; i < HD_ARRAY_LEN(ops); i++)
		if (is_op(p, ops[i])) {
			advance(p);
			return make_unary(p, ops[i], unary(p), from);
		}
	if (is_op(p, "(") && cast_type(p->text, p->token.at + 1, &to, &end)) {
		p->token.at = end;
		p->token.len = 1;
		advance(p);
		return convert_to(p, value_of(p, unary(p)), &to);
	}
	return postfix(p);
}

static struct expr *unary(struct parser *p)
{
	struct expr *n;

	if (p->depth++ == DEEPEST)
		return parser_fail(p, p->token.at, "too many levels of brackets");
	n = deeper_unary(p);
	p->depth--;
	return n;
}

/* Levels from the tightest one; "" ends a level. */
static const char *const levels[][5] = {{"*", "/", "%"}, {"+", "-"}, {"<<", ">>"}, {"<", "<=", ">", ">="},
					{"==", "!="},    {"&"},      {"^"},        {"|"},
					{"&&"},          {"||"}};

static struct expr *binary(struct parser *p, u32 level)
{
	struct expr *n = level ? binary(p, level - 1) : unary(p);

	for (bool again = true; again && n && !p->failed;) {
		again = false;
		for (u32 i = 0; i < 5 && levels[level][i]; i++)
			if (is_op(p, levels[level][i])) {
				const char *op = levels[level][i];

				advance(p);
				n = make_binary(p, op, n, level ? binary(p, level - 1) : unary(p));
				again = true;
				break;
			}
	}
	return p->failed ? NULL : n;
}

static struct expr *choice(struct parser *p)
{
	struct expr *a = binary(p, HD_ARRAY_LEN(levels) - 1), *b, *c;

	if (!take(p, "?"))
		return a;
	b = expression(p);
	expect(p, ":");
	c = choice(p);
	return make_choice(p, a, b, c);
}

/* Implication: !a || b. */
static struct expr *expression(struct parser *p)
{
	struct expr *a, *b;

	if (p->depth++ >= DEEPEST)
		return parser_fail(p, p->token.at, "too many levels of brackets");
	a = choice(p);
	if (is_op(p, "->") || is_op(p, "==>")) {
		advance(p);
		b = expression(p);
		a = make_binary(p, "||", make_unary(p, "!", a, a ? a->from : 0), b);
	}
	p->depth--;
	return p->failed ? NULL : a;
}

struct expr *parser_run(struct parser *p)
{
	struct expr *n;

	lexer_next(p->text, 0, &p->token);
	if (p->token.kind == TOKEN_WRONG)
		return parser_fail(p, p->token.at, "%.*s: %s", (int)p->token.len, p->text + p->token.at,
				   p->token.wrong);
	n = truth_of(p, expression(p));
	if (p->failed)
		return NULL;
	if (p->token.kind != TOKEN_END)
		return parser_fail(p, p->token.at, "%.*s is not expected here", (int)p->token.len,
				   p->text + p->token.at);
	if (p->step && !p->saw_next)
		return parser_fail(p, 0,
				   "without next() it says nothing about steps: give it with --invariant");
	return n;
}
