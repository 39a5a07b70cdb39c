/*
 * file_read.c: reading real files: open, read, lseek, pread, readv, fstat, dup (shared
 * offset), private file mapping, errors as Linux gives them.
 *
 * heddle: verdict=verified outcomes=49
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "guest.h"

static void errors(void)
{
	char byte;
	FAILS(open("no-such-file", O_RDONLY), ENOENT);
	FAILS(open("input.txt/below", O_RDONLY), ENOTDIR);
	FAILS(open("listed", O_WRONLY), EISDIR);
	FAILS(open("input.txt", O_CREAT | O_EXCL | O_WRONLY, 0600), EEXIST);
	FAILS(read(77, &byte, 1), EBADF);
	FAILS(close(77), EBADF);
	FAILS(access("no-such-file", R_OK), ENOENT);
	OK(access("input.txt", R_OK));
}

int main(void)
{
	char buf[100] = "", other[10] = "";
	struct stat st;
	int fd = open("input.txt", O_RDONLY);
	CHECK(fd >= 0);
	OK(fstat(fd, &st));
	CHECK(S_ISREG(st.st_mode) && st.st_size == 49);
	CHECK(read(fd, buf, 6) == 6 && !memcmp(buf, "first ", 6));
	int twin = dup(fd);
	CHECK(read(twin, buf, 4) == 4 && !memcmp(buf, "line", 4));
	CHECK(lseek(fd, 0, SEEK_CUR) == 10);
	CHECK(pread(fd, buf, 5, 0) == 5 && !memcmp(buf, "first", 5));
	CHECK(lseek(fd, -3, SEEK_END) == 46);
	CHECK(read(fd, buf, sizeof(buf)) == 3 && !memcmp(buf, "end", 3));
	CHECK(read(fd, buf, sizeof(buf)) == 0);
	FAILS(lseek(fd, -1, SEEK_SET), EINVAL);
	CHECK(lseek(fd, 11, SEEK_SET) == 11);
	struct iovec iov[2] = {{other, 7}, {buf, 4}};
	CHECK(readv(fd, iov, 2) == 11 && !memcmp(other, "second ", 7) && !memcmp(buf, "line", 4));
	FAILS(write(fd, "x", 1), EBADF);
	char *map = mmap(NULL, 49, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	CHECK(map != MAP_FAILED && !memcmp(map, "first line\n", 11));
	map[0] = 'F';
	CHECK(pread(fd, buf, 1, 0) == 1 && buf[0] == 'f');
	OK(munmap(map, 49));
	OK(close(twin));
	OK(close(fd));
	errors();
	heddle_outcome(st.st_size);
	return 0;
}
