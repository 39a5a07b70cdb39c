/*
 * file_watched.c: a thread looks now and then whether a file has changed, by its time of modification alone; nobody reads a
 * clock. What is written after a while shows.
 *
 * heddle: verdict=verified args=alone outcomes=1
 * heddle: verdict=verified args=beside outcomes=0,1
 * native: args=alone
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "guest.h"

static char name[] = "/tmp/watchedXXXXXX";

static time_t modified(void)
{
	struct stat st;
	OK(stat(name, &st));
	return st.st_mtime;
}

static void *writes_later(void *fd)
{
	sleep(2);
	CHECK(write(*(int *)fd, "b", 1) == 1);
	return NULL;
}

int main(int argc, char **argv)
{
	int fd = mkstemp(name);
	CHECK(write(fd, "a", 1) == 1);
	time_t first = modified();
	if (story(argc, argv, "beside")) {
		pthread_t t = spawn(writes_later, &fd);
		sleep(3);
		heddle_outcome(modified() > first);
		join(t);
	} else {
		writes_later(&fd);
		heddle_outcome(modified() > first);
	}
	OK(unlink(name));
	return 0;
}
