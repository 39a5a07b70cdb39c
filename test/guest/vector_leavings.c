/*
 * What a thread leaves in vector registers, upper halves and masks included, is nothing to another one: where that saves
 * all its registers, at an atomic instruction, it has the same states as in a program that leaves nothing there.
 *
 * heddle: verdict=verified states=102 args=none
 * heddle: verdict=verified states=102 args=wide
 */
#include "guest.h"

static int wide, atomic, avx, avx512;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void leave_something(int value)
{
	if (avx512)
		__asm__ volatile("kmovw %0, %%k1\n\tvpbroadcastd %0, %%zmm17" : : "r"(value) : "memory");
	if (avx)
		__asm__ volatile("vmovd %0, %%xmm3\n\tvinsertf128 $1, %%xmm3, %%ymm3, %%ymm3"
				 :
				 : "r"(value)
				 : "memory");
}

static void pass(void)
{
	OK(pthread_mutex_lock(&lock));
	OK(pthread_mutex_unlock(&lock));
}

static void *leaves(void *arg)
{
	for (int i = 0; i < 3; i++) {
		pass();
		if (wide)
			leave_something(3 + i);
	}
	return arg;
}

static void *saves(void *arg)
{
	pass();
	__atomic_fetch_add(&atomic, 1, __ATOMIC_SEQ_CST);
	return arg;
}

int main(int argc, char **argv)
{
	wide = argc > 1 && !strcmp(argv[1], "wide");
	avx = wide && __builtin_cpu_supports("avx");
	avx512 = wide && __builtin_cpu_supports("avx512vl");
	pthread_t a = spawn(leaves, NULL), b = spawn(saves, NULL), c = spawn(saves, NULL);
	join(a);
	join(b);
	join(c);
	CHECK(atomic == 2);
	return 0;
}
