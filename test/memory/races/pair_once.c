/*
 * pair_once.c: one thread reads where the other writes, and either may be the first at the spot: one race, told once.
 * Three threads that run the same function race in pairs at the same two places: once, too.
 *
 * heddle: verdict=violation kind=race violations#=1 options="--keep-going"
 * heddle: verdict=violation kind=race violations#=1 options="--keep-going --strategy bfs --por off"
 * heddle: verdict=violation kind=race violations#=1 options="--keep-going" args=three
 */
#include <pthread.h>
#include <string.h>

static volatile int sink;
static int shared;

static void *reads(void *arg)
{
	sink = shared;
	return arg;
}

static void *writes(void *arg)
{
	shared = 1;
	return arg;
}

int main(int argc, char **argv)
{
	int three = argc > 1 && !strcmp(argv[1], "three");
	pthread_t a, b, c;

	pthread_create(&a, 0, reads, 0);
	if (three) {
		pthread_join(a, 0);
		pthread_create(&a, 0, writes, 0);
	}
	pthread_create(&b, 0, writes, 0);
	if (three)
		pthread_create(&c, 0, writes, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	if (three)
		pthread_join(c, 0);
	return 0;
}
