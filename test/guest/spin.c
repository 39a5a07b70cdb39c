/*
 * spin.c: spin locks exclude, trylock sees one held (-1) or free (0, 2), and waiting
 * for one is not a busy loop for heddle.
 *
 * heddle: verdict=verified outcomes=-1,0,2
 * heddle: verdict=violation kind=deadlock args=relock message~="(?i)spin"
 */
#include "guest.h"

static pthread_spinlock_t spin;
static int x;

static void *holder(void *arg)
{
	OK(pthread_spin_lock(&spin));
	x = 1;
	x = 2;
	OK(pthread_spin_unlock(&spin));
	return arg;
}

int main(int argc, char **argv)
{
	OK(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE));
	pthread_t t = spawn(holder, NULL);
	int rc = pthread_spin_trylock(&spin);
	CHECK(rc == 0 || rc == EBUSY);
	heddle_outcome(rc ? -1 : x);
	if (!rc)
		OK(pthread_spin_unlock(&spin));
	OK(pthread_spin_lock(&spin));
	CHECK(pthread_spin_trylock(&spin) == EBUSY);
	if (story(argc, argv, "relock"))
		pthread_spin_lock(&spin);
	OK(pthread_spin_unlock(&spin));
	join(t);
	OK(pthread_spin_destroy(&spin));
	return 0;
}
