/*
 * torn_pair.c: two words that belong together, written one after the other and read one after the other,
 * without a lock: half an update shows. Atomic words make the race go, and leave the torn pair.
 *
 * heddle: verdict=violation kind=race args=plain
 * heddle: verdict=verified args=plain options="--races ignore" outcomes=0,1,10,11
 * heddle: verdict=verified args=atomic outcomes=0,1,10,11
 * native: args=plain
 * native: args=atomic
 */
#include <stdatomic.h>

#include "guest.h"

static int a, b;
static atomic_int c, d;
static int plain;

static void *writer(void *arg)
{
	if (plain) {
		a = 1;
		__asm__ volatile("" ::: "memory");
		b = 1;
	} else {
		atomic_store(&c, 1);
		atomic_store(&d, 1);
	}
	return arg;
}

int main(int argc, char **argv)
{
	int first, second;

	plain = story(argc, argv, "plain");
	pthread_t t = spawn(writer, NULL);
	if (plain) {
		first = a;
		__asm__ volatile("" ::: "memory");
		second = b;
	} else {
		first = atomic_load(&c);
		second = atomic_load(&d);
	}
	join(t);
	heddle_outcome(first * 10 + second);
	return 0;
}
