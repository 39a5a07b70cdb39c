/*
 * A violation behind a call that heddle refuses is none: with the real call the program might not come there.
 * One that another execution reaches without such a call is.
 *
 * heddle: args=always verdict=incomplete refused~="fork" text~="used v?fork at refused_then_fails.c:\d+, which heddle does not model.*assert at"
 * heddle: args=sometimes verdict=violation kind=assert where=@certain
 * heddle: args=never verdict=violation kind=assert where=@certain
 * native: skip
 */
#include <sys/wait.h>

#include "guest.h"

static int forked;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *other(void *arg)
{
	(void)arg;
	OK(pthread_mutex_lock(&lock));
	if (fork() == 0)
		_exit(0);
	forked = 1;
	OK(pthread_mutex_unlock(&lock));
	return NULL;
}

int main(int argc, char **argv)
{
	if (story(argc, argv, "always")) {
		pid_t child = fork();
		if (child == 0)
			_exit(0);
		CHECK(child > 0);
		return 0;
	}
	pthread_t t = 0;
	if (story(argc, argv, "sometimes"))
		t = spawn(other, NULL);
	OK(pthread_mutex_lock(&lock));
	if (forked)
		CHECK(!"behind the call");
	CHECK(forked); /* @certain */
	OK(pthread_mutex_unlock(&lock));
	if (t)
		join(t);
	return 0;
}
