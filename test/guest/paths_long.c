/*
 * paths_long.c: paths that are too long for Linux, one of 10 MB among them, and long ones that are not.
 *
 * heddle: verdict=verified
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "guest.h"

#define HUGE (10 << 20)

int main(void)
{
	struct stat st;
	char *path = malloc(HUGE + 1);
	memset(path, 'a', HUGE);
	path[HUGE] = 0;
	FAILS(open(path, O_RDONLY | O_CREAT, 0600), ENAMETOOLONG);
	FAILS(stat(path, &st), ENAMETOOLONG);
	FAILS(mkdir(path, 0700), ENAMETOOLONG);
	FAILS(rename(path, "a"), ENAMETOOLONG);
	FAILS(symlink(path, "a"), ENAMETOOLONG);
	path[256] = 0; /* one name is at most 255 bytes long */
	FAILS(mkdir(path, 0700), ENAMETOOLONG);
	for (int i = 0; i < HUGE; i++)
		path[i] = i % 2 ? '/' : '.';
	path[4094] = 'f';
	path[4095] = 'g';
	path[4096] = 0;
	FAILS(open(path, O_WRONLY | O_CREAT, 0600), ENAMETOOLONG);
	path[4095] = 0;
	int fd = open(path, O_WRONLY | O_CREAT, 0600);
	CHECK(fd >= 0);
	OK(close(fd));
	OK(stat("f", &st));
	free(path);
	return 0;
}
