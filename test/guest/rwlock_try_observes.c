/*
 * rwlock_try_observes.c: trying to read sees a writer inside (busy -1), or the value
 * before (0) or after (2) it; trying to write sees a reader inside.
 *
 * heddle: verdict=verified args=rd outcomes=-1,0,2
 * heddle: verdict=verified args=wr outcomes=-1,0
 * native: args=rd
 * native: args=wr
 */
#include "guest.h"

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static int x;

static void *writer(void *arg)
{
	pthread_rwlock_wrlock(&rw);
	x = 1;
	x = 2;
	pthread_rwlock_unlock(&rw);
	return arg;
}

static void *reader(void *arg)
{
	pthread_rwlock_rdlock(&rw);
	CHECK(x == 0);
	pthread_rwlock_unlock(&rw);
	return arg;
}

int main(int argc, char **argv)
{
	int reading = story(argc, argv, "rd");
	pthread_t t = spawn(reading ? writer : reader, NULL);
	int rc = reading ? pthread_rwlock_tryrdlock(&rw) : pthread_rwlock_trywrlock(&rw);
	CHECK(rc == 0 || rc == EBUSY);
	heddle_outcome(rc ? -1 : x);
	if (!rc)
		pthread_rwlock_unlock(&rw);
	join(t);
	return 0;
}
