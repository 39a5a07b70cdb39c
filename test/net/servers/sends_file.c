/*
 * sendfile from a file to a client, after a line that tells its length; two clients at once.
 *
 * heddle: verdict=verified outcomes=49 clients=2 client="@peer connect {port} want:49 want:first_line want:second_line line"
 */
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include "net.h"

static void *serve(void *arg)
{
	int fd = (int)(long)arg, file = open("input.txt", O_RDONLY);
	struct stat about;
	OK(fstat(file, &about));
	dprintf(fd, "%ld\n", (long)about.st_size);
	off_t from = 0;
	CHECK(sendfile(fd, file, &from, (size_t)about.st_size) == about.st_size);
	CHECK(from == about.st_size);
	heddle_outcome((long)from);
	OK(close(file));
	OK(close(fd));
	return NULL;
}

int main(void)
{
	for (int listener = listen_on(PORT);;)
		OK(pthread_detach(spawn(serve, (void *)(long)take_client(listener))));
}
