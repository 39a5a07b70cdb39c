/*
 * cancel_points.c: a thread blocked for ever in each kind of cancellation point is
 * cancelled there: its cleanup handler runs and join gives PTHREAD_CANCELED.
 *
 * heddle: verdict=verified outcomes=1 args=sem
 * heddle: verdict=verified outcomes=1 args=join
 * heddle: verdict=verified outcomes=1 args=cond
 * heddle: verdict=verified outcomes=1 args=read
 * heddle: verdict=verified outcomes=1 args=loop
 * native: args=sem
 * native: args=join
 * native: args=cond
 * native: args=read
 * native: args=loop
 */
#include "guest.h"

static sem_t never, reached;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int cleaned, held;
static char **args;
static pthread_t main_thread;

static void cleanup(void *arg)
{
	CHECK(arg == &cleaned);
	cleaned++;
	if (held)
		OK(pthread_mutex_unlock(&lock));
}

static void block(void)
{
	int fd[2];
	char byte;
	if (story(2, args, "sem"))
		sem_wait(&never);
	else if (story(2, args, "join"))
		pthread_join(main_thread, NULL);
	else if (story(2, args, "cond")) {
		pthread_mutex_lock(&lock);
		held = 1;
		for (;;)
			pthread_cond_wait(&cond, &lock);
	} else if (story(2, args, "read")) {
		OK(pipe(fd));
		CHECK(read(fd[0], &byte, 1) != 1);
	} else {
		for (;;)
			pthread_testcancel(), sched_yield();
	}
}

static void *body(void *arg)
{
	(void)arg;
	pthread_cleanup_push(cleanup, &cleaned);
	sem_post(&reached);
	block();
	pthread_cleanup_pop(0);
	abort();
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	args = argv;
	main_thread = pthread_self();
	sem_init(&never, 0, 0);
	sem_init(&reached, 0, 0);
	pthread_t t = spawn(body, NULL);
	sem_wait(&reached);
	OK(pthread_cancel(t));
	CHECK(join(t) == PTHREAD_CANCELED);
	OK(pthread_mutex_lock(&lock));
	heddle_outcome(cleaned);
	return 0;
}
