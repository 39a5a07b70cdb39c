/*
 * atomic.c: atomic operations of 1 to 8 bytes. The compiler leaves the operation itself to us. Whatever order
 * the program asked for, it is done sequentially consistently: that is the model that heddle explores. A
 * compare-and-exchange counts as a write even when it fails, as in ThreadSanitizer; what it expects lies in
 * memory that is read, and written if it fails, like any other.
 */
#include "hooks/hooks.h"

#define FETCH(bits, op) \
	HOOK u##bits __tsan_atomic##bits##_fetch_##op(volatile u##bits *a, u##bits v, int order); \
	HOOK u##bits __tsan_atomic##bits##_fetch_##op(volatile u##bits *a, u##bits v, int order) \
	{ \
		(void)order; \
		TELL(a, sizeof(*a), HOW_WRITE | HOW_ATOMIC); \
		return __atomic_fetch_##op(a, v, __ATOMIC_SEQ_CST); \
	}

#define COMPARE_EXCHANGE(bits, name) \
	HOOK int __tsan_atomic##bits##_compare_exchange_##name(volatile u##bits *a, u##bits *expected, \
							       u##bits v, int order, int failure); \
	HOOK int __tsan_atomic##bits##_compare_exchange_##name(volatile u##bits *a, u##bits *expected, \
							       u##bits v, int order, int failure) \
	{ \
		u##bits seen; \
\
		(void)order; \
		(void)failure; \
		TELL(expected, sizeof(*expected), HOW_READ); \
		seen = *expected; \
		TELL(a, sizeof(*a), HOW_WRITE | HOW_ATOMIC); \
		if (__atomic_compare_exchange_n(a, &seen, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) \
			return 1; \
		TELL(expected, sizeof(*expected), HOW_WRITE); \
		*expected = seen; \
		return 0; \
	}

#define ATOMICS(bits) \
	HOOK u##bits __tsan_atomic##bits##_load(const volatile u##bits *a, int order); \
	HOOK u##bits __tsan_atomic##bits##_load(const volatile u##bits *a, int order) \
	{ \
		(void)order; \
		TELL(a, sizeof(*a), HOW_READ | HOW_ATOMIC); \
		return __atomic_load_n(a, __ATOMIC_SEQ_CST); \
	} \
	HOOK void __tsan_atomic##bits##_store(volatile u##bits *a, u##bits v, int order); \
	HOOK void __tsan_atomic##bits##_store(volatile u##bits *a, u##bits v, int order) \
	{ \
		(void)order; \
		TELL(a, sizeof(*a), HOW_WRITE | HOW_ATOMIC); \
		__atomic_store_n(a, v, __ATOMIC_SEQ_CST); \
	} \
	HOOK u##bits __tsan_atomic##bits##_exchange(volatile u##bits *a, u##bits v, int order); \
	HOOK u##bits __tsan_atomic##bits##_exchange(volatile u##bits *a, u##bits v, int order) \
	{ \
		(void)order; \
		TELL(a, sizeof(*a), HOW_WRITE | HOW_ATOMIC); \
		return __atomic_exchange_n(a, v, __ATOMIC_SEQ_CST); \
	} \
	HOOK u##bits __tsan_atomic##bits##_compare_exchange_val(volatile u##bits *a, u##bits expected, \
								u##bits v, int order, int failure); \
	HOOK u##bits __tsan_atomic##bits##_compare_exchange_val(volatile u##bits *a, u##bits expected, \
								u##bits v, int order, int failure) \
	{ \
		(void)order; \
		(void)failure; \
		TELL(a, sizeof(*a), HOW_WRITE | HOW_ATOMIC); \
		__atomic_compare_exchange_n(a, &expected, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
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

/* With sequentially consistent accesses a fence adds nothing for other threads;
   natively it must still be one. */
HOOK void __tsan_atomic_thread_fence(int order);
HOOK void __tsan_atomic_thread_fence(int order)
{
	(void)order;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

HOOK void __tsan_atomic_signal_fence(int order);
HOOK void __tsan_atomic_signal_fence(int order)
{
	(void)order;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}
