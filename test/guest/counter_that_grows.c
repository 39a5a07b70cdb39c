/*
 * No state comes twice, because of a counter: the report names it.
 *
 * heddle: verdict=bounded options="--max-states 5000" text~="never the same: seq at {@seq} only grows: \d+ values"
 * heddle: verdict=bounded options="--max-states 5000" text~="most states: \d+ % are first reached when a thread locks mutex m at {@lock} .threads 2 and 3."
 * heddle: verdict=bounded options="--max-states 5000 --profile" text~="seq at {@seq} only grows: [45] \d\d\d values"
 * heddle: verdict=bounded options="--max-states 5000 --profile" text~="no second thread was seen to use:\n +mine, by thread 1, 1 time\n  granularity"
 * heddle: verdict=bounded options="--max-states 5000" args=x text~="never the same: 0x[0-9a-f]+ .heap of thread 1., changed behind {@lock}, only shrinks"
 * native: skip
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, mine = PTHREAD_MUTEX_INITIALIZER;
static long seq; /* @seq */
static int turn[2];

static void *count(void *arg)
{
	long *left = arg;

	for (;;) {
		pthread_mutex_lock(&m); /* @lock */
		if (left)
			--*left;
		else
			seq++;
		turn[seq % 2] ^= 1;
		pthread_mutex_unlock(&m);
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[2];
	long *left = argc > 1 ? malloc(sizeof(*left)) : NULL;

	(void)argv;
	if (left)
		*left = 1L << 40;
	pthread_mutex_lock(&mine);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, count, left);
	pthread_mutex_unlock(&mine);
	pthread_join(t[0], NULL);
}
