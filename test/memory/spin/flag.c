/*
 * flag.c: main spins until the flag is set. Each turn of the loop ends in the state in which it began, so
 * the loop costs next to nothing. What a volatile flag publishes is raced on all the same.
 *
 * heddle: verdict=verified args=atomic outcomes=42 states<=30
 * heddle: verdict=violation kind=race args=volatile message~="data.*volatile volatile_flag.*orders nothing"
 * heddle: verdict=verified args=volatile outcomes=42 states<=40 options="--races ignore"
 * heddle: verdict=verified args=yield outcomes=42 states<=40
 * heddle: verdict=verified args=atomic outcomes=42 options="--strategy bfs"
 * native: args=atomic
 * native: args=volatile
 * native: args=yield
 */
#include <sched.h>
#include <stdatomic.h>

#include "guest.h"

static int data;
static atomic_int flag;
static volatile int volatile_flag;

static void *writer(void *arg)
{
	data = 42;
	if (arg)
		volatile_flag = 1;
	else
		atomic_store_explicit(&flag, 1, memory_order_release);
	return NULL;
}

int main(int argc, char **argv)
{
	int is_volatile = story(argc, argv, "volatile"), yield = story(argc, argv, "yield");
	pthread_t t = spawn(writer, is_volatile ? &flag : NULL);

	if (is_volatile)
		while (!volatile_flag)
			;
	else
		while (!atomic_load_explicit(&flag, memory_order_acquire))
			if (yield)
				sched_yield();
	heddle_outcome(data);
	join(t);
	return 0;
}
