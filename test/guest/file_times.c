/*
 * A file's time of modification is that of the virtual clock: a second write after two seconds shows.
 *
 * heddle: args=clock verdict=verified outcomes=2
 * heddle: args=fstat verdict=verified outcomes=2
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "guest.h"

static time_t modified(int fd)
{
	struct stat st;
	OK(fstat(fd, &st));
	return st.st_mtime;
}

int main(int argc, char **argv)
{
	int asks = story(argc, argv, "clock"); /* who does not sees the time all the same */
	char name[] = "/tmp/timesXXXXXX";
	int fd = mkstemp(name);
	OK(unlink(name));
	time_t start = asks ? time(NULL) : 0;
	CHECK(write(fd, "a", 1) == 1);
	time_t first = modified(fd);
	CHECK(!asks || (first >= start - 1 && first <= start + 1));
	sleep(2);
	CHECK(modified(fd) == first);
	CHECK(write(fd, "b", 1) == 1);
	heddle_outcome(modified(fd) - first >= 2 ? 2 : 0);
	return modified(fd) - first >= 2 ? 0 : 1;
}
