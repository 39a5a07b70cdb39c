/*
 * all_operations.c: every atomic operation does what C says, in all sizes, with and without failure, with
 * all orders; also under heddle.
 *
 * heddle: verdict=verified outcomes=1 states<=3
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "guest.h"

#define OPERATIONS(type, name) \
	static void name(void) \
	{ \
		_Atomic type v = 5; \
		type expected = 5; \
		CHECK(atomic_load_explicit(&v, memory_order_consume) == 5); \
		CHECK(atomic_fetch_add_explicit(&v, 3, memory_order_relaxed) == 5 && v == 8); \
		CHECK(atomic_fetch_sub_explicit(&v, 9, memory_order_acq_rel) == 8 && v == (type)-1); \
		CHECK(atomic_fetch_and_explicit(&v, 0x6c, memory_order_acquire) == (type)-1 && v == 0x6c); \
		CHECK(atomic_fetch_or_explicit(&v, 0x03, memory_order_release) == 0x6c && v == 0x6f); \
		CHECK(atomic_fetch_xor(&v, 0x0f) == 0x6f && v == 0x60); \
		CHECK(atomic_exchange(&v, 5) == 0x60 && v == 5); \
		CHECK(atomic_compare_exchange_strong(&v, &expected, 6) && v == 6 && expected == 5); \
		CHECK(!atomic_compare_exchange_strong(&v, &expected, 7) && v == 6 && expected == 6); \
		while (!atomic_compare_exchange_weak_explicit(&v, &expected, 7, memory_order_release, \
							      memory_order_relaxed)) \
			; \
		CHECK(v == 7); \
		type plain = 1; \
		__atomic_store_n(&plain, 0x0f, __ATOMIC_SEQ_CST); \
		CHECK(__atomic_fetch_nand(&plain, 0x3c, __ATOMIC_SEQ_CST) == 0x0f); \
		CHECK(plain == (type) ~(0x0f & 0x3c)); \
		CHECK(__atomic_add_fetch(&plain, 1, __ATOMIC_SEQ_CST) == (type)(~(0x0f & 0x3c) + 1)); \
		CHECK(__sync_lock_test_and_set(&plain, 9) == (type)(~(0x0f & 0x3c) + 1) && plain == 9); \
		__sync_lock_release(&plain); \
		CHECK(plain == 0); \
		CHECK(__sync_bool_compare_and_swap(&plain, 0, 4) && plain == 4); \
		CHECK(__sync_val_compare_and_swap(&plain, 0, 5) == 4 && plain == 4); \
	}

OPERATIONS(uint8_t, operations8)
OPERATIONS(uint16_t, operations16)
OPERATIONS(uint32_t, operations32)
OPERATIONS(uint64_t, operations64)

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wtsan"
#endif

static void others(void)
{
	atomic_flag flag = ATOMIC_FLAG_INIT;
	_Atomic(bool) truth = false;
	int numbers[2] = {3, 4};
	_Atomic(int *) pointer = numbers;
	static _Atomic double real = 1.5;

	CHECK(!atomic_flag_test_and_set(&flag) && atomic_flag_test_and_set(&flag));
	atomic_flag_clear(&flag);
	CHECK(!atomic_exchange(&truth, true) && truth);
	CHECK(*atomic_exchange(&pointer, numbers + 1) == 3 && *pointer == 4);
	atomic_store(&real, 2.5);
	CHECK(real == 2.5);
	atomic_thread_fence(memory_order_seq_cst);
	atomic_signal_fence(memory_order_seq_cst);
	__sync_synchronize();
}

int main(void)
{
	operations8();
	operations16();
	operations32();
	operations64();
	others();
	heddle_outcome(1);
	return 0;
}
