#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

size_t fuzz_accepted;
static char second[64];

const char *fuzz_file(const u8 *data, size_t size)
{
	static char path[64];
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("fuzz", MFD_CLOEXEC);
	hd_assert(fd >= 0 && ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return path;
}

static void remove_second(void)
{
	unlink(second);
}

const char *fuzz_second_file(void)
{
	if (!second[0]) {
		int fd;

		strcpy(second, "/tmp/heddle-fuzz-XXXXXX");
		fd = mkstemp(second);
		hd_assert(fd >= 0);
		close(fd);
		atexit(remove_second);
	}
	return second;
}

char *fuzz_string(const u8 *data, size_t size)
{
	char *s = malloc(size + 1);

	hd_assert(s);
	memcpy(s, data, size);
	s[size] = 0;
	return s;
}
