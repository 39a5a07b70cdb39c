/*
 * mutex_refused.c: what heddle does not model must be said, never ignored: a
 * process-shared mutex makes the verdict incomplete. Robust and priority mutexes may be
 * refused or work.
 *
 * heddle: verdict=incomplete args=shared refused~="(?i)shared" text~="(?i)shared"
 * heddle: verdict=incomplete|verified args=robust
 * heddle: verdict=incomplete|verified args=inherit
 * native: args=shared
 * native: args=robust
 * native: args=inherit
 */
#include "guest.h"

static pthread_mutex_t lock;

static void *body(void *arg)
{
	if (pthread_mutex_lock(&lock) == 0)
		pthread_mutex_unlock(&lock);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_mutexattr_t attr;
	pthread_mutexattr_init(&attr);
	if (story(argc, argv, "shared"))
		pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	else if (story(argc, argv, "robust"))
		pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	else
		pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	if (pthread_mutex_init(&lock, &attr))
		return 0;
	pthread_t t = spawn(body, NULL);
	body(NULL);
	join(t);
	return 0;
}
