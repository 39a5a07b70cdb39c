/*
 * atomic128.c: the same for 16 bytes, all of it made of cmpxchg16b; the compilers' own builtins would call
 * libatomic. A load writes back what it read, so it needs writable memory, as with libatomic.
 */
#include "hooks/hooks.h"

/* What was there; v is there now if that was `expected`. */
static inline u128 swap_if(volatile u128 *a, u128 expected, u128 v)
{
	return __sync_val_compare_and_swap(a, expected, v);
}

#define UPDATE(name, result) \
	HOOK u128 __tsan_atomic128_##name(volatile u128 *a, u128 v, int order); \
	HOOK u128 __tsan_atomic128_##name(volatile u128 *a, u128 v, int order) \
	{ \
		u128 old, seen; \
\
		TELL(a, sizeof(*a), HOW_WRITE | HOW_ATOMIC); \
		for (seen = swap_if(a, 0, 0);;) { \
			old = seen; \
			seen = swap_if(a, old, (result)); \
			if (seen == old) { \
				ORDERED(a, ORDER_UPDATE, order); \
				return old; \
			} \
		} \
	}

UPDATE(exchange, v)
UPDATE(fetch_add, old + v)
UPDATE(fetch_sub, old - v)
UPDATE(fetch_and, old &v)
UPDATE(fetch_or, old | v)
UPDATE(fetch_xor, old ^ v)
UPDATE(fetch_nand, ~(old &v))

HOOK u128 __tsan_atomic128_load(const volatile u128 *a, int order);
HOOK u128 __tsan_atomic128_load(const volatile u128 *a, int order)
{
	u128 value;

	TELL(a, sizeof(*a), HOW_READ | HOW_ATOMIC);
	value = swap_if((volatile u128 *)a, 0, 0);
	ORDERED(a, ORDER_LOAD, order);
	return value;
}

HOOK void __tsan_atomic128_store(volatile u128 *a, u128 v, int order);
HOOK void __tsan_atomic128_store(volatile u128 *a, u128 v, int order)
{
	u128 old, seen;

	TELL(a, sizeof(*a), HOW_WRITE | HOW_ATOMIC);
	seen = swap_if(a, 0, 0);
	do {
		old = seen;
		seen = swap_if(a, old, v);
	} while (seen != old);
	ORDERED(a, ORDER_STORE, order);
}

HOOK u128 __tsan_atomic128_compare_exchange_val(volatile u128 *a, u128 expected, u128 v, int order,
						int failure);
HOOK u128 __tsan_atomic128_compare_exchange_val(volatile u128 *a, u128 expected, u128 v, int order,
						int failure)
{
	u128 seen;

	TELL(a, sizeof(*a), HOW_WRITE | HOW_ATOMIC);
	COMPARES(sizeof(*a), expected);
	seen = swap_if(a, expected, v);
	if (seen == expected)
		ORDERED(a, ORDER_UPDATE, order);
	else
		ORDERED(a, ORDER_LOAD, failure);
	return seen;
}

#define COMPARE_EXCHANGE(name) \
	HOOK int __tsan_atomic128_compare_exchange_##name(volatile u128 *a, u128 *expected, u128 v, \
							  int order, int failure); \
	HOOK int __tsan_atomic128_compare_exchange_##name(volatile u128 *a, u128 *expected, u128 v, \
							  int order, int failure) \
	{ \
		u128 wanted, seen; \
\
		TELL(expected, sizeof(*expected), HOW_READ); \
		wanted = *expected; \
		TELL(a, sizeof(*a), HOW_WRITE | HOW_ATOMIC); \
		COMPARES(sizeof(*a), wanted); \
		seen = swap_if(a, wanted, v); \
		if (seen == wanted) { \
			ORDERED(a, ORDER_UPDATE, order); \
			return 1; \
		} \
		ORDERED(a, ORDER_LOAD, failure); \
		TELL(expected, sizeof(*expected), HOW_WRITE); \
		*expected = seen; \
		return 0; \
	}

COMPARE_EXCHANGE(strong)
COMPARE_EXCHANGE(weak)
