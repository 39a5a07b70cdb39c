/*
 * file_threads.c: two threads append to one file; what main reads tells the order, and
 * after backtracking each execution finds the file as it should be: two lines, no more.
 *
 * heddle: verdict=verified outcomes=12,21
 */
#include <fcntl.h>

#include "guest.h"

static void *body(void *digit)
{
	int fd = open("log.txt", O_CREAT | O_WRONLY | O_APPEND, 0600);
	CHECK(write(fd, digit, 1) == 1);
	OK(close(fd));
	return NULL;
}

int main(void)
{
	char buf[10] = "";
	pthread_t a = spawn(body, "1"), b = spawn(body, "2");
	join(a);
	join(b);
	int fd = open("log.txt", O_RDONLY);
	CHECK(read(fd, buf, sizeof(buf)) == 2);
	OK(close(fd));
	heddle_outcome(atoi(buf));
	return 0;
}
