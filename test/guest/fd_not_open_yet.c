/*
 * fd_not_open_yet.c: a number is used that another thread's open will give out. That this number matters is learnt in the very
 * step that fails; the path that is reported is one of the search that knows it.
 *
 * heddle: verdict=violation kind=assert where=@use
 * native: any
 */
#include <fcntl.h>
#include <unistd.h>

#include "guest.h"

static void *opens(void *arg)
{
	OK(open("/dev/null", O_WRONLY) < 0);
	return arg;
}

static void *uses(void *arg)
{
	usleep(1);
	heddle_assert(write(3, "x", 1) == -1); /* @use */
	return arg;
}

int main(void)
{
	pthread_t a = spawn(opens, NULL), b = spawn(uses, NULL);

	join(a);
	join(b);
	return 0;
}
