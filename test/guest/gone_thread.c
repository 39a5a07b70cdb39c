/*
 * gone_thread.c: the first thread joins another, and a third one asks for it: cancels it, or sends it a
 * signal. Whether it is still there is seen by who comes later, and so by the reduction, even without the
 * walks that teach it most (GRAPH: test/guest/harness.py).
 *
 * heddle: args=cancel verdict=verified outcomes=0,3
 * heddle: args=cancel options="--por on -j 1 --graph GRAPH" verdict=verified outcomes=0,3
 * heddle: args=signal verdict=verified outcomes=0,3
 * heddle: args=signal options="--por on -j 1 --graph GRAPH" verdict=verified outcomes=0,3
 */
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest.h"

static pthread_t other;
static int cancels, found;

static void *idle(void *arg)
{
	return arg;
}

static void *asks(void *arg)
{
	pthread_testcancel();
	if (cancels)
		found = pthread_cancel(other);
	else
		found = syscall(SYS_tgkill, getpid(), getpid() + 1, 0) ? 3 : 0;
	return arg;
}

int main(int argc, char **argv)
{
	cancels = story(argc, argv, "cancel");
	other = spawn(idle, NULL); /* here, its number is that of the first thread + 1 */
	pthread_t who = spawn(asks, NULL);
	OK(pthread_join(other, NULL));
	OK(pthread_join(who, NULL));
	heddle_outcome((unsigned)found);
	return 0;
}
