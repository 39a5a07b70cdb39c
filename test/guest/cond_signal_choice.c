/*
 * cond_signal_choice.c: pthread_cond_signal wakes one waiter, any one: with two
 * waiters each of them may be the one.
 *
 * heddle: verdict=verified outcomes=1,2
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t woken;
static int waiting, tokens, first;

static void *waiter(void *arg)
{
	pthread_mutex_lock(&lock);
	waiting++;
	while (!tokens)
		pthread_cond_wait(&cond, &lock);
	tokens--;
	if (!first)
		first = (int)(long)arg;
	pthread_mutex_unlock(&lock);
	sem_post(&woken);
	return NULL;
}

static void give_token(void)
{
	pthread_mutex_lock(&lock);
	tokens++;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&lock);
}

int main(void)
{
	sem_init(&woken, 0, 0);
	pthread_t a = spawn(waiter, (void *)1), b = spawn(waiter, (void *)2);
	for (int both = 0; !both; sched_yield()) {
		pthread_mutex_lock(&lock);
		both = waiting == 2;
		pthread_mutex_unlock(&lock);
	}
	give_token();
	sem_wait(&woken);
	give_token();
	join(a);
	join(b);
	heddle_outcome(first);
	return 0;
}
