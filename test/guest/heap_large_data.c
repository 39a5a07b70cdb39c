/*
 * heap_large_data.c: 40 MB of live data, filled before the threads start: heddle tracks
 * it, steps that don't touch it don't pay for it, and what they touch is rolled back.
 *
 * heddle: verdict=verified outcomes=40
 */
#include "guest.h"

enum { MB = 1 << 20, N = 40 };
static char *block[N];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *body(void *arg)
{
	for (int i = (int)(long)arg; i < N; i += 10) {
		pthread_mutex_lock(&lock);
		CHECK(block[i][i * 1000] == (char)(i + 1));
		block[i][i * 1000] = 0;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	for (int i = 0; i < N; i++) {
		block[i] = malloc(MB);
		memset(block[i], i + 1, MB);
	}
	pthread_t a = spawn(body, (void *)1), b = spawn(body, (void *)2);
	join(a);
	join(b);
	int good = 0;
	for (int i = 0; i < N; i++)
		good += block[i][MB - 1] == (char)(i + 1);
	heddle_outcome(good);
	return 0;
}
