/*
 * thread_thousand.c: a thousand threads alive at a time. Each says that it is there and waits to be let go, so there
 * is one path. With more threads than heddle has room for, pthread_create fails as it may, and the verdict names the
 * limit.
 *
 * heddle: verdict=verified args=1000 outcomes=1000 states<=5000
 * heddle: verdict=incomplete args=1500 refused~="pthread_create \(too many threads"
 * native: args=1000
 */
#include "guest.h"

#define MOST 1500

static sem_t here, go[MOST];
static __thread long mine = 7;

static void *body(void *arg)
{
	CHECK(mine++ == 7);
	OK(sem_post(&here));
	OK(sem_wait(arg));
	CHECK(mine++ == 8);
	return arg;
}

int main(int argc, char **argv)
{
	static pthread_t thread[MOST];
	long want = argc > 1 ? atol(argv[1]) : 10, made;

	CHECK(want <= MOST);
	OK(sem_init(&here, 0, 0));
	for (made = 0; made < want; made++) {
		OK(sem_init(&go[made], 0, 0));
		if (pthread_create(&thread[made], NULL, body, &go[made]))
			break;
		OK(sem_wait(&here));
	}
	for (long i = 0; i < made; i++) {
		OK(sem_post(&go[i]));
		CHECK(join(thread[i]) == &go[i]);
	}
	heddle_outcome(made);
	return 0;
}
