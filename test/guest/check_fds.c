/*
 * check_fds.c: descriptors that another thread has closed. Off by default: then the calls fail, as they may.
 *
 * heddle: verdict=verified args=use
 * heddle: verdict=violation kind=fd-misuse args=use options="--check-fds" message~="uses descriptor 3, which thread 1 has closed" where=@use
 * heddle: verdict=violation kind=fd-misuse args=use options="--check-fds --strategy bfs --sanity 2" where=@use
 * heddle: verdict=verified args=double
 * heddle: verdict=violation kind=fd-misuse args=double options="--check-fds" message~="closes descriptor 3 again"
 * heddle: verdict=violation kind=fd-misuse args=reused options="--check-fds" message~="uses descriptor 3, which thread 1 has closed"
 * heddle: verdict=violation kind=fd-misuse args=own options="--check-fds" message~="thread 1 closes descriptor 3 again, which thread 1"
 * heddle: verdict=verified args=right options="--check-fds"
 * heddle: verdict=verified args=right options="--check-fds --sanity 2"
 * heddle: verdict=verified args=never options="--check-fds"
 * native: any
 */
#include <fcntl.h>
#include <unistd.h>

#include "guest.h"

static int fd;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *use(void *arg)
{
	char c;
	(void)!read(fd, &c, 1); /* @use */
	return arg;
}

static void *double_close(void *arg)
{
	close(fd);
	return arg;
}

static void *locked_use(void *arg)
{
	char c;
	pthread_mutex_lock(&lock);
	if (fd >= 0)
		(void)!read(fd, &c, 1);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;
	fd = open("/dev/null", O_RDONLY);
	if (story(argc, argv, "use") || story(argc, argv, "reused")) {
		t = spawn(use, NULL);
		close(fd);
		if (story(argc, argv, "reused"))
			open("/dev/zero", O_RDONLY);
		join(t);
	} else if (story(argc, argv, "double")) {
		t = spawn(double_close, NULL);
		close(fd);
		join(t);
	} else if (story(argc, argv, "own")) {
		close(fd);
		close(fd);
	} else if (story(argc, argv, "right")) {
		t = spawn(locked_use, NULL);
		pthread_mutex_lock(&lock);
		close(fd);
		fd = -1;
		pthread_mutex_unlock(&lock);
		join(t);
		/* the same number again, and a replaced one */
		int again = open("/dev/null", O_RDONLY);
		dup2(0, again);
		close(again);
	} else { /* numbers that never were open */
		char c;
		(void)!read(77, &c, 1);
		close(78);
		close(fd);
	}
	return 0;
}
