/* variables_priv.h: shared by the files variables*.c. */
#ifndef HEDDLE_REPORT_VARIABLES_PRIV_H
#define HEDDLE_REPORT_VARIABLES_PRIV_H

#include <elfutils/libdwfl.h>

#include "report/symbols_priv.h"
#include "report/variables.h"

enum part_kind {
	PART_SIGNED,
	PART_UNSIGNED,
	PART_BOOL,
	PART_CHAR,
	PART_FLOAT,
	PART_POINTER, /* type: what it points to */
	PART_ENUM,    /* type: the enumeration */
	PART_STRING,  /* an array of characters */
	PART_OPAQUE,  /* a lock or the like: has a name, but no value that means something; type: itself */
};

/* A piece of a variable that has a value of its own, or at least a name. */
struct value_part {
	u32 offset, size;
	enum part_kind kind;
	bool through; /* a smart pointer: what it leads to goes by its name */
	char *path;   /* behind the variable's name: ".c.m", "[3].x"; "" for all of it */
	Dwarf_Die type;
};

/* A type, flattened. */
struct value_type {
	const void *key; /* its entry in the debug information */
	u32 size, parts, room;
	bool rust;
	struct value_part *part;
};
#define VALUE_PARTS 512   /* of one type; what is behind is not looked at */
#define VALUE_ELEMENTS 32 /* of an array */

struct value_types {
	struct value_type **type;
	size_t n, room;
};

/* NULL: it can't be looked at. Owned by the table. */
const struct value_type *value_type_of(struct value_types *t, Dwarf_Die *type);
void value_types_free(struct value_types *t);
/* Through typedefs and qualifiers, up to a name that says it is a lock. False: there is no type, as in
   void. */
bool value_type_strip(Dwarf_Die *type);

/* The value of a part in words; bytes: of the part. */
void value_text(struct symbols *s, const struct value_part *p, const u8 *bytes, char *out, size_t cap);

/* Where a variable is. */
struct value_root {
	char name[96];
	const struct value_type *type;
	u64 address;        /* 0: in no memory; its bytes are `value` */
	u64 value;          /* of one that lies in a register */
	u64 frame;          /* the canonical frame address; 0: of no frame */
	u32 thread;         /* for people; 0: of no thread */
	int line, declared; /* where the frame stands, and where it is declared; 0: not known */
	char function[64];
	bool fresh; /* not initialised yet where its frame stands */
};

struct value_roots {
	struct value_root *root;
	size_t n, room;
};
#define VALUE_ROOTS 1024

void value_roots_add(struct value_roots *to, const struct value_root *root);
/* Globals and statics of the program itself, not of libraries. */
void value_roots_static(struct symbols *s, struct value_types *types, struct value_roots *to);
/* Locals of all frames of the program's own code on the stack of `thread`, outermost frame first. */
void value_roots_stack(struct symbols *s, struct value_types *types, u32 thread, const struct wire_regs *regs,
		       struct value_roots *to);

#endif
