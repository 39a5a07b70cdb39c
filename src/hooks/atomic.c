/*
 * atomic.c: atomic operations of 1 to 8 bytes. The compiler leaves the operation itself to us. Whatever order
 * the program asked for, it is done sequentially consistently: that is the model that heddle explores. The
 * order as written decides what is a race. A compare-and-exchange counts as a write even when it fails, as
 * in ThreadSanitizer; what it expects lies in memory that is read, and written if it fails, like any other.
 */
#include "hooks/hooks.h"

#define FETCH(bits, op) \
	HOOK u##bits __tsan_atomic##bits##_fetch_##op(volatile u##bits *a, u##bits v, int order); \
	HOOK u##bits __tsan_atomic##bits##_fetch_##op(volatile u##bits *a, u##bits v, int order) \
	{ \
		u##bits old; \
\
		TELL(a, sizeof(*a), HOW_WRITE | HOW_ATOMIC); \
		old = __atomic_fetch_##op(a, v, __ATOMIC_SEQ_CST); \
		ORDERED(a, ORDER_UPDATE, order); \
		return old; \
	}

#define COMPARE_EXCHANGE(bits, name) \
	HOOK int __tsan_atomic##bits##_compare_exchange_##name(volatile u##bits *a, u##bits *expected, \
							       u##bits v, int order, int failure); \
	HOOK int __tsan_atomic##bits##_compare_exchange_##name(volatile u##bits *a, u##bits *expected, \
							       u##bits v, int order, int failure) \
	{ \
		u##bits seen; \
\
		TELL(expected, sizeof(*expected), HOW_READ); \
		seen = *expected; \
		TELL(a, sizeof(*a), HOW_WRITE | HOW_ATOMIC); \
		COMPARES(sizeof(*a), seen); \
		if (__atomic_compare_exchange_n(a, &seen, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) { \
			ORDERED(a, ORDER_UPDATE, order); \
			return 1; \
		} \
		ORDERED(a, ORDER_LOAD, failure); \
		TELL(expected, sizeof(*expected), HOW_WRITE); \
		*expected = seen; \
		return 0; \
	}

#define ATOMICS(bits) \
	HOOK u##bits __tsan_atomic##bits##_load(const volatile u##bits *a, int order); \
	HOOK u##bits __tsan_atomic##bits##_load(const volatile u##bits *a, int order) \
	{ \
		u##bits value; \
\
		TELL(a, sizeof(*a), HOW_READ | HOW_ATOMIC); \
		value = __atomic_load_n(a, __ATOMIC_SEQ_CST); \
		ORDERED(a, ORDER_LOAD, order); \
		return value; \
	} \
	HOOK void __tsan_atomic##bits##_store(volatile u##bits *a, u##bits v, int order); \
	HOOK void __tsan_atomic##bits##_store(volatile u##bits *a, u##bits v, int order) \
	{ \
		TELL(a, sizeof(*a), HOW_WRITE | HOW_ATOMIC); \
		__atomic_store_n(a, v, __ATOMIC_SEQ_CST); \
		ORDERED(a, ORDER_STORE, order); \
	} \
	HOOK u##bits __tsan_atomic##bits##_exchange(volatile u##bits *a, u##bits v, int order); \
	HOOK u##bits __tsan_atomic##bits##_exchange(volatile u##bits *a, u##bits v, int order) \
	{ \
		u##bits old; \
\
		TELL(a, sizeof(*a), HOW_WRITE | HOW_ATOMIC); \
		old = __atomic_exchange_n(a, v, __ATOMIC_SEQ_CST); \
		ORDERED(a, ORDER_UPDATE, order); \
		return old; \
	} \
	HOOK u##bits __tsan_atomic##bits##_compare_exchange_val(volatile u##bits *a, u##bits expected, \
								u##bits v, int order, int failure); \
	HOOK u##bits __tsan_atomic##bits##_compare_exchange_val(volatile u##bits *a, u##bits expected, \
								u##bits v, int order, int failure) \
	{ \
		TELL(a, sizeof(*a), HOW_WRITE | HOW_ATOMIC); \
		COMPARES(sizeof(*a), expected); \
		if (__atomic_compare_exchange_n(a, &expected, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) \
			ORDERED(a, ORDER_UPDATE, order); \
		else \
			ORDERED(a, ORDER_LOAD, failure); \
		return expected; \
	} \
	COMPARE_EXCHANGE(bits, strong) \
	COMPARE_EXCHANGE(bits, weak) \
	FETCH(bits, add) \
	FETCH(bits, sub) \
	FETCH(bits, and) \
	FETCH(bits, or) \
	FETCH(bits, xor) \
	FETCH(bits, nand)

ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)

/* Values are sequentially consistent without it; natively, and for what happens before what, it counts. */
HOOK void __tsan_atomic_thread_fence(int order);
HOOK void __tsan_atomic_thread_fence(int order)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (heddle_rt_order)
		heddle_rt_order((const void *)0, 0, ORDER_FENCE, order);
}

HOOK void __tsan_atomic_signal_fence(int order);
HOOK void __tsan_atomic_signal_fence(int order)
{
	(void)order;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}
