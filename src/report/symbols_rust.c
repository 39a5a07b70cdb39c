/*
 * symbols_rust.c: names of rustc's second scheme ("v0"), as people write them. Said shortly: what a generic function was
 * made for, lifetimes and the numbers that tell equal names apart are left out. The grammar is the one of Rust's RFC 2603.
 */
#include <stdio.h>
#include <string.h>

#include "report/symbols_priv.h"

#define DEEPEST 100 /* names refer back to parts of themselves; a damaged one could do so for ever */

struct rust_name {
	const char *start, *at; /* start: what back references count from */
	char *out;
	size_t cap, len;
	int muted, depth;
	bool wrong;
};

static void path(struct rust_name *n);
static void type(struct rust_name *n);

static void print(struct rust_name *n, const char *text, size_t len)
{
	if (n->muted || n->wrong)
		return;
	if (n->len + len + 1 > n->cap) {
		n->wrong = true;
		return;
	}
	memcpy(n->out + n->len, text, len);
	n->len += len;
	n->out[n->len] = 0;
}

static void word(struct rust_name *n, const char *text)
{
	print(n, text, strlen(text));
}

static bool take(struct rust_name *n, char c)
{
	if (n->wrong || *n->at != c)
		return false;
	n->at++;
	return true;
}

/* Of a crate's hash nobody needs the value: it may overflow. */
static size_t number(struct rust_name *n, int base, const char *digits)
{
	size_t value = 0;
	const char *digit;

	while (*n->at && (digit = memchr(digits, *n->at, (size_t)base))) {
		value = value * (size_t)base + (size_t)(digit - digits);
		n->at++;
	}
	return value;
}

static size_t number62(struct rust_name *n)
{
	size_t value;

	if (take(n, '_'))
		return 0;
	value = number(n, 62, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") + 1;
	if (!take(n, '_'))
		n->wrong = true;
	return n->wrong ? 0 : value;
}

static size_t disambiguator(struct rust_name *n)
{
	return take(n, 's') ? number62(n) + 1 : 0;
}

/* Its bytes. Names beyond ASCII stay as they are spelt. */
static size_t identifier(struct rust_name *n, const char **bytes)
{
	size_t len;

	take(n, 'u');
	len = take(n, '0') ? 0 : number(n, 10, "0123456789"); /* digits may follow the 0 */
	take(n, '_');
	if (strnlen(n->at, len) < len)
		n->wrong = true;
	*bytes = n->at;
	n->at += n->wrong ? 0 : len;
	return n->wrong ? 0 : len;
}

/* Goes on at an earlier place of the name, and comes back. */
static void back(struct rust_name *n, void (*what)(struct rust_name *))
{
	const char *here = n->at - 1;
	size_t to = number62(n);
	const char *behind = n->at;

	if (n->wrong || to >= (size_t)(here - n->start)) {
		n->wrong = true;
		return;
	}
	if (n->muted)
		return;
	n->at = n->start + to;
	what(n);
	n->at = behind;
}

static void silently(struct rust_name *n, void (*what)(struct rust_name *))
{
	n->muted++;
	what(n);
	n->muted--;
}

static void constant(struct rust_name *n)
{
	if (take(n, 'p'))
		return;
	if (take(n, 'B')) {
		number62(n);
		return;
	}
	silently(n, type);
	take(n, 'n');
	while (*n->at && strchr("0123456789abcdef", *n->at))
		n->at++;
	if (!take(n, '_'))
		n->wrong = true;
}

static void generic_argument(struct rust_name *n)
{
	if (take(n, 'L'))
		number62(n);
	else if (take(n, 'K'))
		constant(n);
	else
		type(n);
}

static void up_to_end(struct rust_name *n, void (*what)(struct rust_name *), const char *between)
{
	bool first = true;

	while (!n->wrong && !take(n, 'E')) {
		word(n, first ? "" : between);
		what(n);
		first = false;
	}
}

/* How many lifetimes a function or trait is about: for<'a, 'b>. */
static void binder(struct rust_name *n)
{
	if (take(n, 'G'))
		number62(n);
}

static void function(struct rust_name *n)
{
	const char *abi;

	binder(n);
	take(n, 'U');
	if (take(n, 'K') && !take(n, 'C'))
		identifier(n, &abi);
	word(n, "fn(");
	up_to_end(n, type, ", ");
	word(n, ")");
	if (take(n, 'u'))
		return;
	word(n, " -> ");
	type(n);
}

static void bound(struct rust_name *n)
{
	const char *name;

	path(n);
	while (take(n, 'p')) {
		identifier(n, &name);
		silently(n, type);
	}
}

static void dynamic(struct rust_name *n)
{
	word(n, "dyn ");
	binder(n);
	up_to_end(n, bound, " + ");
	if (!take(n, 'L'))
		n->wrong = true;
	number62(n);
}

static void tuple(struct rust_name *n)
{
	word(n, "(");
	up_to_end(n, type, ", ");
	word(n, ")");
}

static void reference(struct rust_name *n, const char *how)
{
	word(n, how);
	if (take(n, 'L'))
		number62(n);
	type(n);
}

static void list(struct rust_name *n, bool fixed)
{
	word(n, "[");
	type(n);
	if (fixed) {
		word(n, "; _");
		constant(n);
	}
	word(n, "]");
}

static const char *basic_type(char c)
{
	static const char *const names[] = {
		['a' - 'a'] = "i8",    ['b' - 'a'] = "bool", ['c' - 'a'] = "char", ['d' - 'a'] = "f64",
		['e' - 'a'] = "str",   ['f' - 'a'] = "f32",  ['h' - 'a'] = "u8",   ['i' - 'a'] = "isize",
		['j' - 'a'] = "usize", ['l' - 'a'] = "i32",  ['m' - 'a'] = "u32",  ['n' - 'a'] = "i128",
		['o' - 'a'] = "u128",  ['p' - 'a'] = "_",    ['s' - 'a'] = "i16",  ['t' - 'a'] = "u16",
		['u' - 'a'] = "()",    ['v' - 'a'] = "...",  ['x' - 'a'] = "i64",  ['y' - 'a'] = "u64",
		['z' - 'a'] = "!",
	};

	return c >= 'a' && c <= 'z' ? names[c - 'a'] : NULL;
}

static void any_type(struct rust_name *n)
{
	const char *basic = basic_type(*n->at);

	if (basic) {
		n->at++;
		word(n, basic);
	} else if (take(n, 'A')) {
		list(n, true);
	} else if (take(n, 'S')) {
		list(n, false);
	} else if (take(n, 'T')) {
		tuple(n);
	} else if (take(n, 'R')) {
		reference(n, "&");
	} else if (take(n, 'Q')) {
		reference(n, "&mut ");
	} else if (take(n, 'P')) {
		reference(n, "*const ");
	} else if (take(n, 'O')) {
		reference(n, "*mut ");
	} else if (take(n, 'F')) {
		function(n);
	} else if (take(n, 'D')) {
		dynamic(n);
	} else if (take(n, 'B')) {
		back(n, type);
	} else {
		path(n);
	}
}

static void type(struct rust_name *n)
{
	if (n->wrong || n->depth++ > DEEPEST)
		n->wrong = true;
	else
		any_type(n);
	n->depth--;
}

/* A namespace in capitals is made by the compiler and has a name of its own: {closure#0}. */
static void nested(struct rust_name *n)
{
	char space = *n->at ? *n->at++ : 0, text[60];
	const char *name;
	size_t len, which;

	path(n);
	which = disambiguator(n);
	len = identifier(n, &name);
	if (space >= 'A' && space <= 'Z') {
		const char other[] = {space, 0}, *kind = space == 'C'   ? "closure"
							 : space == 'S' ? "shim"
									: other;

		snprintf(text, sizeof(text), "::{%s%s", kind, len ? ":" : "");
		word(n, text);
		print(n, name, len);
		snprintf(text, sizeof(text), "#%zu}", which);
		word(n, text);
	} else if (len) {
		word(n, "::");
		print(n, name, len);
	}
}

/* The place of an impl says less than what it is for. */
static void implementation(struct rust_name *n, bool placed, bool of_trait)
{
	if (placed) {
		disambiguator(n);
		silently(n, path);
	}
	word(n, "<");
	type(n);
	if (of_trait) {
		word(n, " as ");
		path(n);
	}
	word(n, ">");
}

static void crate(struct rust_name *n)
{
	const char *name;
	size_t len;

	disambiguator(n);
	len = identifier(n, &name);
	print(n, name, len);
}

static void generic(struct rust_name *n)
{
	path(n);
	n->muted++;
	up_to_end(n, generic_argument, "");
	n->muted--;
}

static void any_path(struct rust_name *n)
{
	if (take(n, 'C'))
		crate(n);
	else if (take(n, 'N'))
		nested(n);
	else if (take(n, 'M'))
		implementation(n, true, false);
	else if (take(n, 'X'))
		implementation(n, true, true);
	else if (take(n, 'Y'))
		implementation(n, false, true);
	else if (take(n, 'I'))
		generic(n);
	else if (take(n, 'B'))
		back(n, path);
	else
		n->wrong = true;
}

static void path(struct rust_name *n)
{
	if (n->wrong || n->depth++ > DEEPEST)
		n->wrong = true;
	else
		any_path(n);
	n->depth--;
}

bool symbols_demangle_rust(const char *name, char *out, size_t cap)
{
	struct rust_name n = {.start = name + 2, .at = name + 2, .out = out, .cap = cap};

	if (strncmp(name, "_R", 2) || !cap)
		return false;
	path(&n);
	return !n.wrong && n.len;
}
