#include "runtime/engine/property_eval.h"

typedef int64_t i64;

struct machine {
	const struct wire_properties *all;
	const struct property_value *kept;
	const struct property_memory *memory;
	u64 stack[PROPERTY_DEPTH];
	u32 depth;
	struct property_value out; /* trouble */
};

static double as_double(u64 bits)
{
	double d;
	__builtin_memcpy(&d, &bits, sizeof(d));
	return d;
}

static u64 of_double(double d)
{
	u64 bits;
	__builtin_memcpy(&bits, &d, sizeof(bits));
	return bits;
}

static double as_float(u64 bits)
{
	u32 low = (u32)bits;
	float f;
	__builtin_memcpy(&f, &low, sizeof(f));
	return f;
}

static bool fail(struct machine *m, enum property_trouble what, u32 text, u64 detail)
{
	m->out = (struct property_value){.trouble = what, .text = text, .detail = detail};
	return false;
}

/* The lowest `bits` of a number, extended to all 64. */
static u64 extend(u64 v, u32 bits, bool sign)
{
	if (!bits || bits >= 64)
		return v;
	v &= (1UL << bits) - 1;
	return sign && v >> (bits - 1) ? v | ~0UL << bits : v;
}

static u64 in_type(u64 v, u32 type)
{
	if (type == PROPERTY_I32)
		return extend(v, 32, true);
	return type == PROPERTY_U32 ? extend(v, 32, false) : v;
}

static bool is_signed(u32 type)
{
	return type == PROPERTY_I32 || type == PROPERTY_I64;
}

static bool load(struct machine *m, const struct property_instr *i)
{
	u64 address = m->stack[m->depth - 1], bits = 0;
	if (i->size > sizeof(bits))
		return fail(m, PROPERTY_BROKEN, 0, 0);
	/* Members of what a null pointer points to lie a little above 0. */
	if (address < HD_PAGE)
		return fail(m, PROPERTY_NULL, i->arg, address);
	if (!m->memory->read(m->memory->self, address, &bits, i->size))
		return fail(m, PROPERTY_UNMAPPED, i->arg, address);
	if (i->op == PROPERTY_LOAD_F)
		bits = i->size == sizeof(float) ? of_double(as_float(bits)) : bits;
	else
		bits = extend(bits, 8u * i->size, i->sign);
	m->stack[m->depth - 1] = bits;
	return true;
}

static u64 to_double(u64 v, u32 type)
{
	if (type == PROPERTY_F64)
		return v;
	return of_double(is_signed(type) ? (double)(i64)v : (double)v);
}

/* As the processor does: what does not fit is some number. */
static u64 convert(u64 v, const struct property_instr *i)
{
	if (i->type == PROPERTY_F64) {
		double d = as_double(v);
		if (!(d > -9223372036854775808.0 && d < 18446744073709551616.0))
			v = 1UL << 63;
		else
			v = d < 9223372036854775808.0 ? (u64)(i64)d : (u64)d;
	}
	return extend(v, 8u * i->size, i->sign);
}

static bool is_true(u64 v, u32 type)
{
	return type == PROPERTY_F64 ? as_double(v) != 0 : v != 0;
}

static bool divide(struct machine *m, const struct property_instr *i, u64 a, u64 b, u64 *out)
{
	bool rest = i->op == PROPERTY_MOD;
	if (!b)
		return fail(m, PROPERTY_BY_ZERO, 0, 0);
	if (!is_signed(i->type))
		*out = rest ? a % b : a / b;
	else if (b == ~0UL) /* the smallest number divided by -1 wraps around */
		*out = rest ? 0 : -a;
	else
		*out = rest ? (u64)((i64)a % (i64)b) : (u64)((i64)a / (i64)b);
	return true;
}

static bool shift(struct machine *m, const struct property_instr *i, u64 a, u64 by, u64 *out)
{
	if (by >= (i->type == PROPERTY_I32 || i->type == PROPERTY_U32 ? 32 : 64))
		return fail(m, PROPERTY_SHIFT, 0, by);
	if (i->op == PROPERTY_SHL)
		*out = a << by;
	else
		*out = is_signed(i->type) ? (u64)((i64)a >> by) : a >> by;
	return true;
}

static bool with_integers(struct machine *m, const struct property_instr *i, u64 a, u64 b, u64 *out)
{
	switch (i->op) {
	case PROPERTY_ADD:
		*out = a + b;
		break;
	case PROPERTY_SUB:
		*out = a - b;
		break;
	case PROPERTY_MUL:
		*out = a * b;
		break;
	case PROPERTY_AND:
		*out = a & b;
		break;
	case PROPERTY_OR:
		*out = a | b;
		break;
	case PROPERTY_XOR:
		*out = a ^ b;
		break;
	case PROPERTY_EQ:
		*out = a == b;
		return true;
	case PROPERTY_NE:
		*out = a != b;
		return true;
	case PROPERTY_LT:
		*out = is_signed(i->type) ? (i64)a < (i64)b : a < b;
		return true;
	case PROPERTY_LE:
		*out = is_signed(i->type) ? (i64)a <= (i64)b : a <= b;
		return true;
	case PROPERTY_DIV:
	case PROPERTY_MOD:
		if (!divide(m, i, a, b, out))
			return false;
		break;
	default:
		if (!shift(m, i, a, b, out))
			return false;
	}
	*out = in_type(*out, i->type);
	return true;
}

static bool with_doubles(struct machine *m, const struct property_instr *i, u64 left, u64 right, u64 *out)
{
	double a = as_double(left), b = as_double(right);
	switch (i->op) {
	case PROPERTY_ADD:
		*out = of_double(a + b);
		return true;
	case PROPERTY_SUB:
		*out = of_double(a - b);
		return true;
	case PROPERTY_MUL:
		*out = of_double(a * b);
		return true;
	case PROPERTY_DIV:
		*out = of_double(a / b);
		return true;
	case PROPERTY_EQ:
		*out = a == b;
		return true;
	case PROPERTY_NE:
		*out = a != b;
		return true;
	case PROPERTY_LT:
		*out = a < b;
		return true;
	case PROPERTY_LE:
		*out = a <= b;
		return true;
	default:
		return fail(m, PROPERTY_BROKEN, 0, 0);
	}
}

static bool binary(struct machine *m, const struct property_instr *i)
{
	u64 b = m->stack[--m->depth], *a = &m->stack[m->depth - 1];
	if (i->op == PROPERTY_SCALE) {
		*a += b * i->value;
		return true;
	}
	return (i->type == PROPERTY_F64 ? with_doubles : with_integers)(m, i, *a, b, a);
}

static bool unary(struct machine *m, const struct property_instr *i)
{
	u64 *v = &m->stack[m->depth - 1];
	switch (i->op) {
	case PROPERTY_LOAD:
	case PROPERTY_LOAD_F:
		return load(m, i);
	case PROPERTY_BITS:
		*v = extend(*v >> (i->arg & 63), i->size, i->sign);
		return true;
	case PROPERTY_INDEX:
		return *v < i->value || fail(m, PROPERTY_OUTSIDE, i->arg, *v);
	case PROPERTY_CONVERT:
		*v = convert(*v, i);
		return true;
	case PROPERTY_TO_F:
		*v = to_double(*v, i->type);
		if (i->size == sizeof(float))
			*v = of_double((float)as_double(*v));
		return true;
	case PROPERTY_TO_BOOL:
		*v = is_true(*v, i->type);
		return true;
	case PROPERTY_NEG:
		*v = i->type == PROPERTY_F64 ? of_double(-as_double(*v)) : in_type(-*v, i->type);
		return true;
	default:
		*v = in_type(~*v, i->type);
		return true;
	}
}

static u32 operands(u32 op)
{
	if (op == PROPERTY_CONST || op == PROPERTY_KEPT || op == PROPERTY_JUMP)
		return 0;
	return op == PROPERTY_SCALE || (op >= PROPERTY_ADD && op <= PROPERTY_XOR) ||
			       (op >= PROPERTY_EQ && op <= PROPERTY_LE)
		       ? 2
		       : 1;
}

static bool push(struct machine *m, u64 v)
{
	if (m->depth == PROPERTY_DEPTH)
		return fail(m, PROPERTY_BROKEN, 0, 0);
	m->stack[m->depth++] = v;
	return true;
}

/* One instruction; *next is where the next one is, and may be changed. */
static bool execute(struct machine *m, const struct property_instr *i, u32 *next)
{
	if (i->op >= PROPERTY_OPS || m->depth < operands(i->op))
		return fail(m, PROPERTY_BROKEN, 0, 0);
	switch (i->op) {
	case PROPERTY_CONST:
		return push(m, i->value);
	case PROPERTY_KEPT:
		m->out = m->kept[i->arg];
		return !m->out.trouble && push(m, m->out.bits);
	case PROPERTY_JUMP_FALSE:
		if (m->stack[--m->depth])
			return true;
		*next = i->arg;
		return true;
	case PROPERTY_JUMP:
		*next = i->arg;
		return true;
	default:
		return operands(i->op) == 2 ? binary(m, i) : unary(m, i);
	}
}

struct property_value property_eval(const struct wire_properties *all, struct property_code code,
				    const struct property_value *kept, const struct property_memory *memory)
{
	struct machine m = {.all = all, .kept = kept, .memory = memory};
	if (code.at > PROPERTY_CODE || code.len > PROPERTY_CODE - code.at)
		fail(&m, PROPERTY_BROKEN, 0, 0);
	/* Jumps lead forwards only, so this ends. */
	for (u32 at = 0; !m.out.trouble && at < code.len;) {
		u32 next = at + 1;
		if (!execute(&m, &all->code[code.at + at], &next))
			return m.out;
		if (next <= at)
			fail(&m, PROPERTY_BROKEN, 0, 0);
		at = next;
	}
	if (!m.out.trouble && m.depth != 1)
		fail(&m, PROPERTY_BROKEN, 0, 0);
	if (m.out.trouble)
		return m.out;
	return (struct property_value){.bits = m.stack[0]};
}

void property_trouble_text(const struct wire_properties *all, const struct property_value *v, struct text *t)
{
	if (v->text) {
		text_str(t, all->text + v->text);
		text_str(t, ": ");
	}
	switch (v->trouble) {
	case PROPERTY_NULL:
		text_str(t, "null pointer");
		break;
	case PROPERTY_UNMAPPED:
		text_str(t, "there is no memory at ");
		text_hex(t, v->detail);
		break;
	case PROPERTY_OUTSIDE:
		text_str(t, "index ");
		text_dec(t, (long)v->detail);
		text_str(t, " is outside the array");
		break;
	case PROPERTY_BY_ZERO:
		text_str(t, "division by zero");
		break;
	case PROPERTY_SHIFT:
		text_str(t, "shift by ");
		text_dec(t, (long)v->detail);
		break;
	default:
		text_str(t, "damaged code");
	}
}

static void unsigned_text(struct text *t, u64 v)
{
	if (v > INT64_MAX) {
		text_dec(t, (long)(v / 10));
		v %= 10;
	}
	text_dec(t, (long)v);
}

/* Six digits behind the point; what is too large for that, or tiny, as its bits. */
static void double_text(struct text *t, u64 bits)
{
	double d = as_double(bits);
	if (!(d > -1e12 && d < 1e12) || (d != 0 && d > -1e-6 && d < 1e-6)) {
		text_str(t, d != d ? "nan " : "");
		text_hex(t, bits);
		return;
	}
	if (d < 0)
		text_str(t, "-");
	d = d < 0 ? -d : d;
	u64 micro = (u64)(d * 1e6 + 0.5);
	text_dec(t, (long)(micro / 1000000));
	char digit[7] = {0};
	u32 n = 6;
	for (u64 rest = micro % 1000000; n-- > 0; rest /= 10)
		digit[n] = (char)('0' + rest % 10);
	for (n = 6; n > 1 && digit[n - 1] == '0'; n--)
		digit[n - 1] = 0;
	text_str(t, ".");
	text_str(t, digit);
}

static bool enumerator_text(const struct wire_properties *all, const struct property_term *term, u64 bits,
			    struct text *t)
{
	for (u32 i = 0; i < term->names; i++)
		if (all->name[term->first + i].value == bits) {
			text_str(t, all->text + all->name[term->first + i].text);
			return true;
		}
	return false;
}

void property_value_text(const struct wire_properties *all, const struct property_term *term,
			 const struct property_value *v, struct text *t)
{
	char c = (char)v->bits;
	if (v->trouble) {
		text_str(t, "none (");
		property_trouble_text(
			all, &(struct property_value){.trouble = v->trouble, .detail = v->detail}, t);
		text_str(t, ")");
		return;
	}
	if (enumerator_text(all, term, v->bits, t))
		return;
	switch (term->format) {
	case PROPERTY_BOOL:
		text_str(t, v->bits ? "true" : "false");
		break;
	case PROPERTY_POINTER:
		if (v->bits)
			text_addr(t, v->bits);
		else
			text_str(t, "NULL");
		break;
	case PROPERTY_FLOAT:
		double_text(t, v->bits);
		break;
	case PROPERTY_UNSIGNED:
		unsigned_text(t, v->bits);
		break;
	default:
		text_dec(t, (long)v->bits);
		if (term->format == PROPERTY_CHAR && c >= ' ' && c <= '~') {
			text_str(t, " '");
			text_bytes(t, &c, 1);
			text_str(t, "'");
		}
	}
}
