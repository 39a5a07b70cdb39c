/*
 * The compiler of properties and the machine that evaluates them, on this process's own variables: what the C
 * compiler says an expression is worth, they must say as well.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "property/property.h"
#include "runtime/engine/property_eval.h"

/* ---- variables that expressions are about ---- */

enum color { RED, GREEN = 3, BLUE = -4 };
struct in {
	unsigned low : 3, high : 5, wide : 32;
	int sbit : 4;
	short s[4];
	float ratio;
	union {
		int anonymous;
		char other;
	};
};
struct list {
	int value;
	struct list *next;
};
volatile int i = 5;
unsigned u = 4000000000u;
long l = -70000000000;
unsigned long ul = 0xf000000000000001ul;
short s = -3;
unsigned short us = 65535;
char c = 'z';
signed char sc = -128;
unsigned char uc = 200;
_Bool b = 1;
enum color color = BLUE;
float f = 0.1f;
double d = -2.75;
struct in in = {5, 17, 0xfffffff0u, -3, {1, -2, 3, 4}, 1.5f, {77}};
struct {
	int pad;
	struct in in;
} nested = {1, {1, 2, 3, 1, {9, 8, 7, 6}, 2.5f, {5}}};
int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
struct list second = {-9, NULL}, first = {12, &second};
struct list *pn = &first, *nowhere;
int *volatile pi = &grid[1][1];
long array[4] = {10, 20, 30, 40}, *arrayp = array;
union {
	unsigned char bytes[4];
	unsigned word;
} un = {{1, 2, 3, 250}};
static int only_here = 31;
__thread int each_thread_its_own = 3;
struct opaque;
struct opaque *incomplete;

/* ---- evaluation ---- */

static bool read_own(void *self, u64 address, void *to, u32 bytes)
{
	(void)self;
	if (address < 65536 || address >> 47)
		return false;
	memcpy(to, (const void *)address, bytes);
	return true;
}

static const struct property_memory own = {NULL, read_own};
static struct wire_properties all;

static int compile(bool step, const char *text, struct problem *p)
{
	memset(&all, 0, sizeof(all));
	return property_add(&all, step, text, p) || property_compile(&all, getpid(), "", p);
}

static struct property_value value(const char *text)
{
	struct problem p = {""};

	if (compile(false, text, &p))
		fail_msg("%s", p.text);
	return property_eval(&all, all.property[0].code, NULL, &own);
}

struct expression {
	const char *text;
	long worth;
};

#define E(...) {#__VA_ARGS__, (long)(__VA_ARGS__)},

/* All expressions of a table at a time: debug information is read once. */
static void check_all(const struct expression *e, size_t n)
{
	for (size_t from = 0; from < n; from += PROPERTIES_MAX) {
		size_t k = HD_MIN(n - from, (size_t)PROPERTIES_MAX);
		struct problem p = {""};

		memset(&all, 0, sizeof(all));
		for (size_t at = 0; at < k; at++) {
			char text[4096];

			snprintf(text, sizeof(text), "(%s) == %ldL", e[from + at].text, e[from + at].worth);
			if (e[from + at].worth == INT64_MIN)
				snprintf(text, sizeof(text), "(%s) == (-9223372036854775807L - 1)",
					 e[from + at].text);
			if (property_add(&all, false, text, &p))
				fail_msg("%s", p.text);
		}
		if (property_compile(&all, getpid(), "", &p))
			fail_msg("%s", p.text);
		for (u32 at = 0; at < k; at++) {
			struct property_value v = property_eval(&all, all.property[at].code, NULL, &own);

			if (v.trouble || !v.bits)
				fail_msg("%s should be %ld (trouble %u)", e[from + at].text,
					 e[from + at].worth, v.trouble);
		}
	}
}

static void every_kind_of_variable(void **state)
{
	const struct expression e[] = {
		E(i) E(u) E(l) E(ul) E(s) E(us) E(c) E(sc) E(uc) E(b) E(color) E(color == BLUE) E(GREEN) E(
			d * 4) E(f > 0) E(in.low) E(in.high) E(in.wide) E(in.sbit) E(in.s[3]) E(in.anonymous)
			E(nested.in.s[i - 4]) E(grid[1][2]) E(pn->next->value) E(pn->next->next == 0) E(
				pn->next->next == NULL) E(nowhere) E(!nowhere) E(*pi) E(pi[1]) E(*(pi + 1))
				E(*(pi - 1)) E(arrayp[2]) E(arrayp + 2 - array) E(&array[3] - arrayp) E(
					*array) E(*grid[1]) E(arrayp == array)
					E(&array[1] > &array[0]) E(un.bytes[3]) E(un.word) E(only_here) E(
						sizeof(i) + sizeof(array)) E(sizeof(grid[0])) E(i < u)
						E(-1 < u) E(-1 < ul) E(s < us) E(sc >> 1) E(uc << 4) E(
							1 << 31) E(i ? l : u) E(1 ? -1 : u)
							E(i == 5 && s < 0 ||
							  b) E(i & 4 | 2 ^ 1) E(2 + 3 * 4 - 5 % 3) E(~u) E(-u)
								E(-sc) E(f + 0.2f == 0.3f) E(f * 3 > 0.3) E(
									(char)300) E((unsigned long)-1 /
										     2) E((_Bool)0.5)
									E(d / 0.0 > 1e300) E('\n') E(
										'\x41') E(0b101) E(010)
										E((long)(f * 1000000000))};

	check_all(e, HD_ARRAY_LEN(e));
}

static void random_expressions(void **state)
{
	const struct expression e[] = {
#include "property/expressions.inc"
	};

	check_all(e, HD_ARRAY_LEN(e));
}

static void implication(void **state)
{
	assert_true(value("i == 5 -> s < 0").bits);
	assert_false(value("i == 5 -> s > 0").bits);
	assert_true(value("i == 6 -> s > 0").bits);
	assert_true(value("i == 6 -> i == 5 -> i == 6").bits); /* to the right */
	assert_true(value("pn -> value == 12").bits);          /* a member */
	assert_true(value("pn != 0 -> pn->value == 12").bits);
	assert_true(value("pn ==> pn->value == 12").bits);
	assert_true(value("nowhere ==> nowhere->value == 12").bits);
	assert_true(value("(i == 6 -> 0) == 1").bits);
}

static void trouble(void **state)
{
	const struct {
		const char *text;
		enum property_trouble why;
	} e[] = {{"nowhere->value == 1", PROPERTY_NULL},
		 {"grid[1][i] == 1", PROPERTY_OUTSIDE},
		 {"grid[-s][0] == 1", PROPERTY_OUTSIDE},
		 {"i / (i - 5) == 1", PROPERTY_BY_ZERO},
		 {"i % (s + 3) == 1", PROPERTY_BY_ZERO},
		 {"1 << 32 == 0", PROPERTY_SHIFT},
		 {"1 >> s", PROPERTY_SHIFT},
		 {"pi[ul] == 3", PROPERTY_UNMAPPED},
		 {"nowhere && nowhere->value", PROPERTY_FINE},
		 {"pn || nowhere->value", PROPERTY_FINE},
		 {"i ? i : nowhere->value", PROPERTY_FINE}};

	for (size_t k = 0; k < HD_ARRAY_LEN(e); k++) {
		if (value(e[k].text).trouble != (u32)e[k].why)
			fail_msg("%s: trouble %u", e[k].text, value(e[k].text).trouble);
	}
}

static void wrong_input(void **state)
{
	const struct {
		const char *text, *why;
		bool step;
	} e[] = {{"colour == 1", "did you mean color?"},
		 {"in.hihg == 1", "did you mean high?"},
		 {"i = 5", "write =="},
		 {"i ==", "ends too early"},
		 {"(i", ") is missing"},
		 {"i 5", "not expected here"},
		 {"in == 1", "name a member"},
		 {"i.x", "has no members"},
		 {"pn.i", "write ->i"},
		 {"*i", "no pointer"},
		 {"i[2]", "neither an array nor a pointer"},
		 {"grid[2][0]", "elements 0 to 1"},
		 {"d % 2", "whole numbers"},
		 {"each_thread_its_own", "thread-local"},
		 {"elsewhere.c:only_here", "another file"},
		 {"incomplete->x", "no member"},
		 {"pn -> i", "==> implies"},
		 {"next(i) == 1", "--step"},
		 {"i == 1", "next()", true},
		 {"next(next(i))", "next() in next()", true},
		 {"array[next(i)] == 1", "put all of it into next()", true},
		 {"99999999999999999999", "too large"},
		 {"'ab'", "not a character"},
		 {"i @ 2", "no meaning"},
		 {"1 + pn * 2", "no operator"}};

	for (size_t k = 0; k < HD_ARRAY_LEN(e); k++) {
		struct problem p = {""};

		if (!compile(e[k].step, e[k].text, &p) || !strstr(p.text, e[k].why))
			fail_msg("%s: %s", e[k].text, p.text);
	}
	char deep[5000];

	memset(deep, '(', 4000);
	strcpy(deep + 4000, "i");
	struct problem p = {""};

	assert_int_not_equal(compile(false, deep, &p), 0);
}

/* The value before the step is that of the moment when the term was evaluated. */
static void before_and_after(void **state)
{
	struct property_value kept[PROPERTY_TERMS];
	struct problem p = {""};

	if (compile(true, "i == 5 -> next(i) == 8 && pn->value < next(pn->value)", &p))
		fail_msg("%s", p.text);
	for (u32 k = 0; k < all.terms; k++)
		if (all.term[k].before)
			kept[k] = property_eval(&all, all.term[k].code, NULL, &own);
	i = 8;
	first.value = 13;
	assert_true(property_eval(&all, all.property[0].code, kept, &own).bits);
	first.value = 12;
	assert_false(property_eval(&all, all.property[0].code, kept, &own).bits);
	i = 5;
	assert_false(property_eval(&all, all.property[0].code, kept, &own).bits);
}

static bool covers(u64 address, u64 bytes)
{
	for (u32 k = 0; k < all.ranges; k++)
		if (address >= all.range[k].address &&
		    address + bytes <= all.range[k].address + all.range[k].bytes)
			return true;
	return false;
}

static void what_is_read(void **state)
{
	struct problem p = {""};

	assert_int_equal(compile(false, "grid[i - 5][0] + in.s[2] + in.high == 4 && un.word", &p), 0);
	assert_true(covers((u64)grid, sizeof(grid)));
	assert_true(covers((u64)&in.s[2], sizeof(short)));
	assert_false(covers((u64)&in.s[1], sizeof(short)));
	assert_true(covers((u64)&i, sizeof(i)));
	assert_false(all.property[0].through_pointers);
	assert_int_equal(compile(false, "pn->value == 4", &p), 0);
	assert_true(covers((u64)&pn, sizeof(pn)));
	assert_true(all.property[0].through_pointers);
}

static void words_for_values(void **state)
{
	const struct {
		const char *text, *shown;
	} e[] = {{"color", "BLUE"},
		 {"uc", "200"},
		 {"c", "122 'z'"},
		 {"b", "true"},
		 {"d", "-2.75"},
		 {"l", "-70000000000"},
		 {"ul", "17293822569102704641"},
		 {"nowhere", "NULL"},
		 {"in.sbit", "-3"}};

	for (size_t k = 0; k < HD_ARRAY_LEN(e); k++) {
		char buf[100];
		struct text t;

		value(e[k].text);
		struct property_value v = property_eval(&all, all.term[0].code, NULL, &own);

		text_init(&t, buf, sizeof(buf));
		property_value_text(&all, &all.term[0], &v, &t);
		assert_string_equal(buf, e[k].shown);
	}
}

/* Whatever the wire holds, the machine ends and reads only through its function. */
static void damaged_code(void **state)
{
	srand(7);
	for (int round = 0; round < 20000; round++) {
		u32 n = 1 + (u32)rand() % 12;

		for (u32 k = 0; k < n; k++)
			all.code[k] = (struct property_instr){.op = (u8)(rand() % (PROPERTY_OPS + 2)),
							      .type = (u8)(rand() % 6),
							      .size = (u8)(rand() % 66),
							      .sign = (u8)(rand() & 1),
							      .arg = (u32)rand() % 14,
							      .value = (u64)rand() % 70};
		struct property_value kept[16] = {{0}};

		property_eval(&all, (struct property_code){0, n}, kept, &own);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_variable),
		cmocka_unit_test(random_expressions),
		cmocka_unit_test(implication),
		cmocka_unit_test(trouble),
		cmocka_unit_test(wrong_input),
		cmocka_unit_test(before_and_after),
		cmocka_unit_test(what_is_read),
		cmocka_unit_test(words_for_values),
		cmocka_unit_test(damaged_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
