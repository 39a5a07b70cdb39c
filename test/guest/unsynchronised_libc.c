/*
 * unsynchronised_libc.c: what libc shares between threads, and protects by locks of its own (the list of all FILEs), is
 * no news: the headline does not speak of it.
 *
 * heddle: verdict=verified text~="Verified, data races not looked at"
 */
#include <fcntl.h>

#include "guest.h"

static void *body(void *arg)
{
	dprintf(*(int *)arg, "hello %d\n", 1); /* has a FILE on its stack */
	return arg;
}

int main(void)
{
	int fd[2];
	OK(pipe(fd));
	fd[0] = dup(fd[1]);
	pthread_t a = spawn(body, &fd[0]), b = spawn(body, &fd[1]);
	join(a);
	join(b);
	return 0;
}
