/*
 * volatile_fences.c: a volatile flag orders nothing by itself. Fences of the language or of the processor around it do; a
 * barrier that only the compiler sees does not.
 *
 * heddle: verdict=verified args=fences outcomes=0,42
 * heddle: verdict=verified args=old-fences outcomes=0,42
 * heddle: verdict=verified args=instructions outcomes=0,42
 * heddle: verdict=violation kind=race args=barriers message~="data.*volatile flag.*orders nothing"
 * heddle: verdict=violation kind=race args=release-only message~="data.*volatile flag.*orders nothing"
 */
#include <stdatomic.h>

#include "guest.h"

static int data;
static volatile int flag;
static const char *how;

static void order(void)
{
	if (!strcmp(how, "old-fences"))
		__sync_synchronize();
	else if (!strcmp(how, "instructions"))
		__asm__ volatile("mfence" ::: "memory");
	else if (!strcmp(how, "barriers"))
		__asm__ volatile("" ::: "memory");
	else
		atomic_thread_fence(memory_order_acq_rel);
}

static void *writer(void *arg)
{
	data = 42;
	order();
	flag = 1;
	return arg;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	how = argv[1];
	pthread_t t = spawn(writer, NULL);
	int seen = 0;

	if (flag) {
		if (strcmp(how, "release-only"))
			order();
		seen = data;
	}
	heddle_outcome(seen);
	join(t);
	return 0;
}
