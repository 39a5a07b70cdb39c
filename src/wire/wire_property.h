/*
 * wire_property.h: properties that the user states in words over the program's variables (--invariant,
 * --step), as the controller hands them to the runtime: their texts, and what property/ makes of them, a
 * byte code for a machine with a stack of 64-bit values.
 *
 * A *term* is a variable, member or element that a property reads: code that leaves its value. Terms are
 * shown when the property fails. Those of a step invariant that are not inside next() are evaluated before
 * the step and kept; PROPERTY_KEPT pushes the kept value.
 *
 * A *range* is bytes at a fixed address that a property may read. What it reads through pointers besides is
 * found out while it is evaluated.
 */
#ifndef HEDDLE_WIRE_PROPERTY_H
#define HEDDLE_WIRE_PROPERTY_H

#include "base/base.h"

#define PROPERTIES_MAX 64
#define PROPERTY_TERMS 512
#define PROPERTY_RANGES 512
#define PROPERTY_CODE 8192
#define PROPERTY_NAMES 2048 /* of enumerators */
#define PROPERTY_TEXT 65536
#define PROPERTY_DEPTH 64           /* of the stack */
#define PROPERTY_RANGE_BYTES 65536u /* of all ranges together */

/* Types in which is computed. */
enum property_type { PROPERTY_I32, PROPERTY_U32, PROPERTY_I64, PROPERTY_U64, PROPERTY_F64 };

/* Operands are popped, results pushed. Binary ones: the right operand is on top. */
enum property_op {
	PROPERTY_CONST,   /* push value */
	PROPERTY_LOAD,    /* address -> `size` bytes there, sign-extended if `sign`; text: arg */
	PROPERTY_LOAD_F,  /* the same for a float (4) or a double (8) */
	PROPERTY_BITS,    /* value -> `size` bits of it from bit `arg` on, sign-extended if `sign` */
	PROPERTY_INDEX,   /* value stays; it must be at least 0 and below `value`; text: arg */
	PROPERTY_SCALE,   /* address, index -> address + index * (i64)value */
	PROPERTY_KEPT,    /* push the kept value of term arg */
	PROPERTY_CONVERT, /* number of `type` -> `size` bytes, sign-extended if `sign` */
	PROPERTY_TO_F,    /* number of `type` -> double; size 4: rounded to float */
	PROPERTY_TO_BOOL, /* number of `type` -> 0 or 1 */
	PROPERTY_ADD,
	PROPERTY_SUB,
	PROPERTY_MUL,
	PROPERTY_DIV,
	PROPERTY_MOD,
	PROPERTY_SHL, /* the right operand is a I64 */
	PROPERTY_SHR,
	PROPERTY_AND,
	PROPERTY_OR,
	PROPERTY_XOR,
	PROPERTY_NEG,
	PROPERTY_NOT, /* ~ */
	PROPERTY_EQ,  /* comparisons give 0 or 1 */
	PROPERTY_NE,
	PROPERTY_LT,
	PROPERTY_LE,
	PROPERTY_JUMP,       /* to instruction arg of this code */
	PROPERTY_JUMP_FALSE, /* if the popped value is 0 */
	PROPERTY_OPS
};

struct property_instr {
	u8 op, type, size, sign;
	u32 arg;
	u64 value;
};

struct property_code {
	u32 at, len; /* in wire_properties.code */
};

enum property_format {
	PROPERTY_SIGNED,
	PROPERTY_UNSIGNED,
	PROPERTY_BOOL,
	PROPERTY_CHAR,
	PROPERTY_POINTER,
	PROPERTY_FLOAT
};

struct property_name {
	u64 value;
	u32 text, pad;
};

struct property_term {
	struct property_code code;
	u32 text;         /* as it was written */
	u32 format;       /* enum property_format */
	u32 before;       /* of a step invariant: its value is that before the step */
	u32 first, names; /* of an enumeration: its enumerators, in wire_properties.name */
	u32 pad;
};

struct property_range {
	u64 address, bytes;
};

struct wire_property {
	u32 step; /* 1: of pairs of states, --step; 0: of states */
	u32 text; /* as it was written */
	struct property_code code;
	u32 first_term, terms;
	u32 first_range, ranges;
	u32 through_pointers; /* it may read more than its ranges */
	u32 pad;
};

struct wire_properties {
	u32 count;
	u32 compiled; /* 1: there is more than texts */
	u32 terms, ranges, code_len, names, text_len;
	u32 pad;
	struct wire_property property[PROPERTIES_MAX];
	struct property_term term[PROPERTY_TERMS];
	struct property_range range[PROPERTY_RANGES];
	struct property_name name[PROPERTY_NAMES];
	struct property_instr code[PROPERTY_CODE];
	char text[PROPERTY_TEXT]; /* terminated texts; offset 0 is "" */
};

#endif
