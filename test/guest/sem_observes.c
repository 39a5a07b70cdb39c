/*
 * sem_observes.c: a semaphore's value shows to trywait, getvalue and timed waits:
 * both answers are reached, while two posts are two steps (value 1 is seen).
 *
 * heddle: verdict=verified args=try outcomes=0,1
 * heddle: verdict=verified args=value outcomes=0,1,2
 * heddle: verdict=verified args=timed outcomes=0,1
 * native: args=try
 * native: args=value
 * native: args=timed
 */
#include "guest.h"

static sem_t sem;

static void *poster(void *arg)
{
	sem_post(&sem);
	sem_post(&sem);
	return arg;
}

int main(int argc, char **argv)
{
	int value;
	sem_init(&sem, 0, 0);
	pthread_t t = spawn(poster, NULL);
	struct timespec until = from_now(CLOCK_REALTIME, 100);
	if (story(argc, argv, "try"))
		value = sem_trywait(&sem) == 0;
	else if (story(argc, argv, "timed"))
		value = sem_timedwait(&sem, &until) == 0;
	else
		OK(sem_getvalue(&sem, &value));
	heddle_outcome(value);
	join(t);
	return 0;
}
