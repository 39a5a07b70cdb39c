/*
 * unsynchronised_not.c: threads that share what is synchronised, in many ways, and neighbours in one word: nothing to tell.
 *
 * heddle: verdict=verified text~="Verified, data races not looked at"
 * native: exit=0
 */
#include <semaphore.h>
#include <stdio.h>

#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t ready;
static char slot[8];
static int total, handed;
static char *block;

static void *worker(void *arg)
{
	int me = *(int *)arg;

	slot[me] = (char)(me + 1);
	pthread_mutex_lock(&lock);
	total += slot[me];
	pthread_mutex_unlock(&lock);
	if (me == 0) {
		handed = 7;
		block = malloc(16);
		memset(block, 1, 16);
		sem_post(&ready);
	} else {
		sem_wait(&ready);
		handed++;
		free(block);
	}
	return NULL;
}

int main(void)
{
	int number[2] = {0, 1};

	sem_init(&ready, 0, 0);
	pthread_t a = spawn(worker, &number[0]), b = spawn(worker, &number[1]);

	join(a);
	join(b);
	heddle_assert(total == 3 && handed == 8);
	return 0;
}
