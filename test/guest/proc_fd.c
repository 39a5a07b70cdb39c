/*
 * proc_fd.c: /proc/self/fd lists the descriptors that are open, as the program has them; its names are links.
 *
 * heddle: args=alone verdict=verified
 * heddle: args=beside verdict=verified outcomes=0,1
 * native: args=alone
 */
#include <dirent.h>
#include <fcntl.h>

#include "guest.h"

/* Is this number in the list? */
static int listed(int fd)
{
	DIR *d = opendir("/proc/self/fd");
	int found = 0, last = -1;
	CHECK(d);
	for (struct dirent *e; (e = readdir(d));) {
		if (e->d_name[0] == '.')
			continue;
		CHECK(atoi(e->d_name) > last);
		last = atoi(e->d_name);
		found |= last == fd;
	}
	OK(closedir(d));
	return found;
}

static void alone(void)
{
	char path[64], to[256];
	int fd = open("proc_fd.txt", O_CREAT | O_RDWR | O_TRUNC, 0600), ends[2];
	OK(pipe(ends));
	CHECK(fcntl(1, F_DUPFD, 60) == 60);
	CHECK(listed(1) && listed(fd) && listed(ends[0]) && listed(60) && !listed(77));
	OK(close(60));
	CHECK(!listed(60) && listed(ends[1]));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ssize_t n = readlink(path, to, sizeof(to) - 1);
	CHECK(n > 12);
	to[n] = 0;
	CHECK(!strcmp(to + n - 12, "/proc_fd.txt"));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[1]);
	n = readlink(path, to, sizeof(to) - 1);
	CHECK(n > 6 && !memcmp(to, "pipe:[", 6));
	OK(unlink("proc_fd.txt"));
}

static void *opens(void *arg)
{
	CHECK(dup(1) >= 0);
	return arg;
}

int main(int argc, char **argv)
{
	if (story(argc, argv, "alone")) {
		alone();
		return 0;
	}
	int next = dup(1);
	OK(close(next));
	int holder = open("/dev/null",
			  O_RDONLY); /* takes that number, so that the list's own is the next one */
	CHECK(holder == next);
	pthread_t t = spawn(opens, NULL);
	/* The listing's own descriptor is one of the two numbers behind, the other thread's is the other. */
	heddle_outcome(listed(holder + 2));
	join(t);
	return 0;
}
