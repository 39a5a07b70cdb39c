/*
 * one_cycle.c: three threads, two locks, and those of them in a circle differ from one execution to the next, and
 * so does where the third one stands. It is one deadlock: the same places in the program. A second circle of other
 * locks at the same lines is another one.
 *
 * heddle: verdict=violation kind=deadlock violations#=1 options="--keep-going --por off"
 * heddle: verdict=violation kind=deadlock violations#=1 options="--keep-going"
 * heddle: verdict=violation kind=deadlock violations#=1 options="--keep-going --strategy bfs --por off"
 * heddle: verdict=violation kind=deadlock violations#=2 options="--keep-going --por off" args=two
 * native: any
 */
#include "guest.h"

static pthread_mutex_t lock[4] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
				  PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *up(void *arg)
{
	pthread_mutex_t *pair = arg;
	pthread_mutex_lock(&pair[0]);
	pthread_mutex_lock(&pair[1]);
	pthread_mutex_unlock(&pair[1]);
	pthread_mutex_unlock(&pair[0]);
	return NULL;
}

static void *down(void *arg)
{
	pthread_mutex_t *pair = arg;
	pthread_mutex_lock(&pair[1]);
	pthread_mutex_lock(&pair[0]);
	pthread_mutex_unlock(&pair[0]);
	pthread_mutex_unlock(&pair[1]);
	return NULL;
}

int main(int argc, char **argv)
{
	if (story(argc, argv, "two")) { /* one pair of threads after the other */
		for (int i = 0; i < 2; i++) {
			pthread_t x = spawn(up, &lock[2 * i]), y = spawn(down, &lock[2 * i]);
			join(x);
			join(y);
		}
		return 0;
	}
	pthread_t x = spawn(up, lock), y = spawn(down, lock), z = spawn(down, lock);
	join(x);
	join(y);
	join(z);
	return 0;
}
