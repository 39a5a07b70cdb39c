/* property_priv.h: what the files of this folder share. */
#ifndef HEDDLE_PROPERTY_PRIV_H
#define HEDDLE_PROPERTY_PRIV_H

#include <elfutils/libdwfl.h>

#include "launch/similar.h"
#include "property/property.h"

/* ---- types.c ---- */

enum type_kind {
	TYPE_OTHER, /* functions, void, what can't be read */
	TYPE_INTEGER,
	TYPE_BOOL,
	TYPE_CHAR,
	TYPE_ENUM,
	TYPE_FLOAT, /* size 4 or 8 */
	TYPE_POINTER,
	TYPE_ARRAY,
	TYPE_STRUCT, /* struct, union, class */
};

struct type {
	enum type_kind kind;
	bool sign;
	bool by_address; /* of a pointer made by &: `die` is what it points to */
	u32 dimension;   /* of an array: how many were indexed already */
	u64 size;        /* bytes; 0: not known */
	u64 count;       /* elements of an array in this dimension; 0: not known */
	Dwarf_Die die;   /* without typedefs and qualifiers; of numbers of our own: none */
};

struct member {
	struct type type;
	u64 offset; /* bytes */
	u32 bit_offset,
		bit_size; /* size 0: no bit-field; offset: from the lowest bit of the word at `offset` */
};

struct names;

/* Of the type that the DIE (a variable, a member, a pointer …) has. False: it has none. */
bool type_of(Dwarf_Die *die, struct type *out);
/* An element of an array, or what a pointer points to. */
bool type_element(const struct names *names, const struct type *t, struct type *out);
bool type_member(const struct type *t, const char *name, struct member *out);
/* Its only member, if that is all there is to it: std::atomic, AtomicU32. */
bool type_only_member(const struct type *t, struct member *out);
/* Calls each() with every name of a member. */
void type_each_member(const struct type *t, void (*each)(void *self, const char *name), void *self);
/* Calls each() for every enumerator. */
void type_each_enumerator(const struct type *t, void (*each)(void *self, const char *name, u64 value),
			  void *self);
const char *type_name(const struct type *t, char *buf, size_t cap);

/* ---- program_names.c ---- */

struct variable {
	char *name;       /* qualified: ns::name */
	const char *file; /* of its compilation unit, without folders */
	u64 address;      /* 0: it has none */
	Dwarf_Die die;
	bool external, thread_local_, in_function;
};

struct enumerator {
	char *name;
	u64 value;
	bool gone; /* a variable that was optimised out: a name without a place or a value */
};

struct names {
	Dwfl *dwfl;
	struct variable *variable;
	size_t variables, variable_room;
	size_t own, modules; /* own: how many variables the first module has, the program itself */
	struct enumerator *enumerator;
	size_t enumerators, enumerator_room, own_enumerators;
	bool debug_info; /* some module has it */
	bool out_of_memory;
	const char *runtime_path;
};

int names_open(struct names *n, pid_t pid, const char *runtime_path, struct problem *p);
void names_close(struct names *n);
/*
 * file: NULL, or where it is declared. -1: there is none, or several; `p` says so, with a name like it. p
 * NULL: is there one at all?
 */
int names_variable(const struct names *n, const char *file, const char *name, const struct variable **out,
		   struct problem *p);
bool names_enumerator(const struct names *n, const char *name, u64 *value);
/* The definition of a struct that is only declared where `t` stands. */
bool names_definition(const struct names *n, struct type *t);

/* Of many names the one most like `word`, with or without what stands before the last "::". */
struct suggestion {
	const char *word;
	struct similar best;
};
void suggest(void *suggestion, const char *name);

/* ---- lexer.c ---- */

enum token_kind { TOKEN_END, TOKEN_NUMBER, TOKEN_FLOAT, TOKEN_NAME, TOKEN_OPERATOR, TOKEN_WRONG };

struct token {
	enum token_kind kind;
	u32 at, len;    /* in the text */
	char name[256]; /* of a name, without its file; of an operator */
	char file[256]; /* "" or what stands before the colon */
	u64 value;      /* of a number; of a float its bits */
	u32 type;       /* enum property_type of a number; of a float: size */
	const char *wrong;
};

/* The next token from text[at] on. */
void lexer_next(const char *text, u32 at, struct token *out);

/* ---- the tree ---- */

enum node_kind {
	NODE_CONST,   /* value */
	NODE_LOAD,    /* place a */
	NODE_PLACE,   /* address a */
	NODE_OFFSET,  /* a + value */
	NODE_SCALED,  /* a + b * value */
	NODE_BOUND,   /* a, which must be below value */
	NODE_UNARY,   /* op a, in `number` */
	NODE_BINARY,  /* a op b, in `number` */
	NODE_CONVERT, /* a to `type`, from number */
	NODE_BOOL,    /* a != 0, of number */
	NODE_AND,
	NODE_OR,
	NODE_CHOICE, /* a ? b : c */
};

struct expr {
	enum node_kind kind;
	struct expr *a, *b, *c, *all; /* all: the list of all nodes */
	u64 value;
	enum property_op op;
	enum property_type number; /* in which is computed, or converted from */
	struct type type;
	/* Of places: */
	u64 span, span_bytes; /* the bytes that it can be, wherever an index points; 0 bytes: not known */
	u32 bit_offset, bit_size;
	/* Of loads: */
	bool now;     /* in next(): after the step */
	bool has_now; /* somewhere below is such a load */
	u32 term;     /* its number within the property */
	u32 from, to; /* in the text */
};

/* The type in which a value of this type is computed with; -1: it is no number. Pointers: PROPERTY_U64. */
int number_of(const struct type *t);
struct type type_number(enum property_type number);

/* ---- parser.c, convert.c ---- */

struct parser {
	const struct names *names;
	const char *text;
	bool step;
	struct token token;
	u32 last_end; /* where the token before ended */
	u32 in_next, depth;
	bool saw_next;
	struct expr *all; /* to be freed */
	u32 nodes;
	struct problem *problem;
	bool failed;
};

/* NULL: the problem says why. parser_free in any case. */
struct expr *parser_run(struct parser *p);
void parser_free(struct parser *p);
/* For convert.c: NULL, with a problem. */
struct expr *parser_fail(struct parser *p, u32 at, const char *format, ...) HD_PRINTF(3, 4);
struct expr *node_new(struct parser *p, enum node_kind kind, struct expr *a, struct expr *b, u32 from);

/* A place becomes its value, an array its address; a struct with one member that member. */
struct expr *value_of(struct parser *p, struct expr *n);
struct expr *truth_of(struct parser *p, struct expr *n);
struct expr *convert_to(struct parser *p, struct expr *n, const struct type *to);
struct expr *make_unary(struct parser *p, const char *op, struct expr *a, u32 from);
struct expr *make_binary(struct parser *p, const char *op, struct expr *a, struct expr *b);
struct expr *make_choice(struct parser *p, struct expr *a, struct expr *b, struct expr *c);
struct expr *make_index(struct parser *p, struct expr *a, struct expr *index);
struct expr *make_follow(struct parser *p, struct expr *pointer, u32 from);
struct expr *make_member(struct parser *p, struct expr *place, const char *name, u32 at);

/* ---- code.c ---- */

int code_property(struct wire_properties *all, struct wire_property *of, const char *text, struct expr *root,
		  struct problem *p);
/* Offset of a copy of the text; 0: no room. */
u32 code_text(struct wire_properties *all, const char *text, size_t len);

#endif
