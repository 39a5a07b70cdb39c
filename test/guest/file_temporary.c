/*
 * file_temporary.c: tmpfile, mkstemp, mkdtemp; a file lives on while it is open though
 * its name is gone.
 *
 * heddle: verdict=verified outcomes=1
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "guest.h"

int main(void)
{
	char name[] = "scratch-XXXXXX", dir[] = "dir-XXXXXX", buf[20] = "";
	int fd = mkstemp(name);
	CHECK(fd >= 0 && strcmp(name, "scratch-XXXXXX"));
	CHECK(write(fd, "kept", 4) == 4);
	OK(unlink(name));
	FAILS(access(name, F_OK), ENOENT);
	CHECK(pread(fd, buf, 10, 0) == 4 && !strcmp(buf, "kept"));
	OK(close(fd));
	CHECK(mkdtemp(dir) == dir);
	OK(rmdir(dir));
	FILE *f = tmpfile();
	CHECK(f && fprintf(f, "%d apples\n", 12) == 10);
	rewind(f);
	int n = 0;
	CHECK(fscanf(f, "%d", &n) == 1 && n == 12);
	OK(fclose(f));
	heddle_outcome(1);
	return 0;
}
