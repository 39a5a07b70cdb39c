/*
 * heddle_atomic.c: no other thread runs inside an atomic section, unless this one
 * blocks there: then the others may go on, so a wait inside is no deadlock.
 *
 * heddle: verdict=verified args=atomic outcomes=12,34,1234,3412
 * heddle: verdict=verified args=plain outcomes=12,34,1234,3412,1324,3124,1342,3142,132,312,134,314
 * heddle: verdict=verified args=blocks outcomes=5
 * native: args=atomic
 * native: args=plain
 * native: args=blocks
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t sem;
static long told;
static int sections;

static void tell(int digit)
{
	pthread_mutex_lock(&lock);
	told = told * 10 + digit;
	if (digit % 2 == 0)
		heddle_outcome(told);
	pthread_mutex_unlock(&lock);
}

static void *pair(void *first)
{
	if (sections)
		heddle_atomic_begin();
	tell((int)(long)first);
	tell((int)(long)first + 1);
	if (sections)
		heddle_atomic_end();
	return NULL;
}

static void *poster(void *arg)
{
	told = 5;
	sem_post(&sem);
	return arg;
}

int main(int argc, char **argv)
{
	sections = story(argc, argv, "atomic");
	sem_init(&sem, 0, 0);
	if (story(argc, argv, "blocks")) {
		pthread_t t = spawn(poster, NULL);
		heddle_atomic_begin();
		sem_wait(&sem);
		heddle_outcome(told);
		heddle_atomic_end();
		join(t);
		return 0;
	}
	pthread_t a = spawn(pair, (void *)1), b = spawn(pair, (void *)3);
	join(a);
	join(b);
	return 0;
}
