/*
 * Every access that compilers instrument in C, with results that a native run can check. Built by test/cc/run with gcc and clang, at
 * several levels of optimisation, with and without the hooks.
 */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static int failures;
#define CHECK(what) ((what) ? (void)0 : (void)(failures++, printf("line %d: %s\n", __LINE__, #what)))

#define FOR_TYPE(type) \
	static type plain_##type = 1; \
	static volatile type seen_##type = 2; \
	static _Atomic type atomic_##type = 3; \
	static struct __attribute__((packed)) { \
		char offset; \
		type value; \
		volatile type seen; \
	} packed_##type = {0, 4, 5}; \
	static void test_##type(void) \
	{ \
		type expected = 100; \
\
		plain_##type++; \
		seen_##type++; \
		packed_##type.value++; \
		packed_##type.seen++; \
		CHECK(plain_##type == 2 && seen_##type == 3); \
		CHECK(packed_##type.value == 5 && packed_##type.seen == 6); \
		CHECK(atomic_load(&atomic_##type) == 3); \
		atomic_store(&atomic_##type, 10); \
		CHECK(atomic_exchange(&atomic_##type, 20) == 10); \
		CHECK(atomic_fetch_add(&atomic_##type, 5) == 20); \
		CHECK(atomic_fetch_sub(&atomic_##type, 1) == 25); \
		CHECK(atomic_fetch_or(&atomic_##type, 7) == 24); \
		CHECK(atomic_fetch_and(&atomic_##type, 29) == 31); \
		CHECK(atomic_fetch_xor(&atomic_##type, 1) == 29); \
		CHECK(__atomic_fetch_nand((type *)&atomic_##type, 12, __ATOMIC_RELAXED) == 28); \
		CHECK(atomic_load_explicit(&atomic_##type, memory_order_acquire) == (type)~12); \
		CHECK(!atomic_compare_exchange_strong(&atomic_##type, &expected, 1)); \
		CHECK(expected == (type)~12); \
		CHECK(atomic_compare_exchange_strong(&atomic_##type, &expected, 1)); \
		expected = 1; \
		while (!atomic_compare_exchange_weak(&atomic_##type, &expected, 2)) \
			; \
		CHECK(__sync_val_compare_and_swap((type *)&atomic_##type, 2, 9) == 2); \
		CHECK(__sync_fetch_and_add((type *)&atomic_##type, 1) == 9); \
	}

typedef unsigned __int128 uint128_t;
FOR_TYPE(uint8_t)
FOR_TYPE(uint16_t)
FOR_TYPE(uint32_t)
FOR_TYPE(uint64_t)
FOR_TYPE(uint128_t)

struct big {
	char byte[70];
};
static struct big from, to;
static char a[100], b[100], *p = a, *q = b;

static void test_ranges(void)
{
	from.byte[69] = 7;
	to = from;
	CHECK(to.byte[69] == 7);
	memset(p, 'x', 40);
	p[40] = 0;
	memcpy(q, p, 41);
	CHECK(memcmp(p, q, 41) == 0 && bcmp(p, q, 4) == 0);
	memmove(q + 1, q, 8);
	__builtin_memcpy(q, "12345678", 8);
	CHECK(__builtin_memcmp(q, "12345678", 8) == 0);
	CHECK(memchr(q, 'x', 41) == q + 8 && !memchr(q, 'z', 41) && memrchr(q, '1', 41) == q);
	bcopy(p, q, 3);
	bzero(q + 3, 5);
	CHECK(q[2] == 'x' && q[3] == 0 && (char *)mempcpy(q, p, 5) == q + 5);
}

static void test_strings(void)
{
	CHECK(strlen(strcpy(p, "hello")) == 5 && strnlen(p, 3) == 3);
	CHECK(stpcpy(q, p) == q + 5 && strcmp(p, q) == 0);
	strcat(p, " world");
	strncat(p, "!!!", 1);
	CHECK(!strcmp(p, "hello world!") && strncmp(p, q, 5) == 0 && strcmp(p, q) > 0);
	CHECK(strcasecmp(p, "HELLO WORLD!") == 0 && strncasecmp(p, "HELP", 3) == 0);
	CHECK(strchr(p, 'w') == p + 6 && strrchr(p, 'l') == p + 9 && !strchr(p, 'z') &&
	      *strchrnul(p, 'z') == 0);
	CHECK(strstr(p, "wor") == p + 6 && !strstr(p, "word"));
	strncpy(q, p, 20);
	CHECK(q[19] == 0 && stpncpy(q, "abc", 5) == q + 3);
	CHECK(!strcmp(strdup(p), p) && !strcmp(strndup(p, 5), "hello"));
}

int main(void)
{
	test_uint8_t();
	test_uint16_t();
	test_uint32_t();
	test_uint64_t();
	test_uint128_t();
	test_ranges();
	test_strings();
	atomic_thread_fence(memory_order_seq_cst);
	atomic_signal_fence(memory_order_seq_cst);
	puts(failures ? "wrong" : "right");
	return failures != 0;
}
