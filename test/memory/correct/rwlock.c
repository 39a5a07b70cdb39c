/*
 * rwlock.c: readers read together under the read lock, the writer writes alone; a
 * pair is never seen half written.
 *
 * heddle: verdict=verified outcomes=0,1,10,11
 */
#include "guest.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int left, right;
static int seen[2];

static void *reader(void *arg)
{
	long me = (long)arg;

	pthread_rwlock_rdlock(&lock);
	CHECK(left == right);
	seen[me] = left;
	pthread_rwlock_unlock(&lock);
	return NULL;
}

static void *writer(void *arg)
{
	pthread_rwlock_wrlock(&lock);
	left++;
	right++;
	pthread_rwlock_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t a = spawn(reader, (void *)0), b = spawn(reader, (void *)1), w = spawn(writer, NULL);

	join(a);
	join(b);
	join(w);
	heddle_outcome(seen[0] * 10 + seen[1]);
	return 0;
}
