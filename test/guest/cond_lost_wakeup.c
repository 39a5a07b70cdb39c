/*
 * cond_lost_wakeup.c: a signal nobody waits for is lost. `blind` waits without looking
 * at a flag; `unlocked` looks at a flag that is set without the mutex: set and signal may
 * fall between the look and the wait. `right` does it properly, signalling after the unlock.
 *
 * heddle: verdict=violation kind=deadlock message~="(?i)cond" args=blind text~="{@blind}"
 * heddle: verdict=violation kind=deadlock message~="(?i)cond" args=unlocked text~="{@wait}"
 * heddle: verdict=verified args=right
 * native: args=right
 */
#include <stdatomic.h>

#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static atomic_int flag;
static char **args;

static void *setter(void *arg)
{
	if (story(2, args, "right"))
		pthread_mutex_lock(&lock);
	flag = 1;
	if (story(2, args, "right"))
		pthread_mutex_unlock(&lock);
	pthread_cond_signal(&cond);
	return arg;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	args = argv;
	pthread_t t = spawn(setter, NULL);
	pthread_mutex_lock(&lock);
	if (story(argc, argv, "blind"))
		pthread_cond_wait(&cond, &lock); /* @blind */
	while (!flag)
		pthread_cond_wait(&cond, &lock); /* @wait */
	pthread_mutex_unlock(&lock);
	join(t);
	return 0;
}
