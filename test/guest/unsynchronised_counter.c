/*
 * unsynchronised_counter.c: two threads count without a lock. An unmodified program's accesses are not interleaved, but
 * that both store to the same word shows, and the verdict says so.
 *
 * heddle: verdict=verified outcomes=2 text~="(?s)Verified, but threads share hits .*unsynchronised: hits, used by thread 2 behind {@count} and by thread 3 behind {@count}"
 * heddle: options="--sanity 2" verdict=verified outcomes=2 text~="threads share hits "
 * heddle: options="--strategy bfs" verdict=verified outcomes=2 text~="threads share hits "
 * native: exit=0
 */
#include "guest.h"

static int hits;

static void *count(void *arg)
{ /* @count */
	hits++;
	return arg;
}

int main(void)
{
	pthread_t a = spawn(count, NULL), b = spawn(count, NULL);

	join(a);
	join(b);
	heddle_outcome(hits);
	return 0;
}
