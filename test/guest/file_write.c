/*
 * file_write.c: writing goes to an overlay: the program sees its own files, changes,
 * renames and removals; the disk sees nothing (the runner compares the directory).
 *
 * heddle: verdict=verified outcomes=1
 */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "guest.h"

static int entries(const char *dir, const char *wanted)
{
	int n = 0, found = 0;
	DIR *d = opendir(dir);
	CHECK(d != NULL);
	for (struct dirent *e; (e = readdir(d));) {
		if (e->d_name[0] != '.')
			n++;
		found += !strcmp(e->d_name, wanted);
	}
	OK(closedir(d));
	return found ? n : -n;
}

static void create_and_change(void)
{
	char buf[100];
	int fd = open("new.txt", O_CREAT | O_RDWR | O_TRUNC, 0644);
	CHECK(fd >= 0 && write(fd, "hello world", 11) == 11);
	CHECK(pwrite(fd, "W", 1, 6) == 1 && lseek(fd, 0, SEEK_SET) == 0);
	CHECK(read(fd, buf, sizeof(buf)) == 11 && !memcmp(buf, "hello World", 11));
	OK(ftruncate(fd, 5));
	CHECK(lseek(fd, 0, SEEK_END) == 5 && write(fd, "!", 1) == 1);
	OK(fsync(fd));
	OK(close(fd));
	fd = open("new.txt", O_WRONLY | O_APPEND);
	CHECK(lseek(fd, 0, SEEK_SET) == 0 && write(fd, "?", 1) == 1);
	OK(close(fd));
	struct stat st;
	OK(stat("new.txt", &st));
	CHECK(S_ISREG(st.st_mode) && (st.st_mode & 0777) == 0644 && st.st_size == 7);
}

static void change_real_file(void)
{
	char buf[100];
	int fd = open("input.txt", O_RDWR);
	CHECK(write(fd, "FIRST", 5) == 5);
	OK(close(fd));
	fd = open("input.txt", O_RDONLY);
	CHECK(read(fd, buf, 10) == 10 && !memcmp(buf, "FIRST line", 10));
	OK(close(fd));
	fd = open("input.txt", O_WRONLY | O_TRUNC);
	OK(close(fd));
	struct stat st;
	OK(stat("input.txt", &st));
	CHECK(st.st_size == 0);
}

static void move_and_remove(void)
{
	OK(rename("new.txt", "listed/moved.txt"));
	FAILS(access("new.txt", F_OK), ENOENT);
	CHECK(entries("listed", "moved.txt") == 2);
	OK(unlink("listed/real.txt"));
	FAILS(open("listed/real.txt", O_RDONLY), ENOENT);
	CHECK(entries("listed", "real.txt") == -1);
	FAILS(unlink("listed/real.txt"), ENOENT);
	OK(mkdir("fresh", 0755));
	FAILS(mkdir("fresh", 0755), EEXIST);
	OK(rename("listed/moved.txt", "fresh/moved.txt"));
	FAILS(rmdir("fresh"), ENOTEMPTY);
	OK(unlink("fresh/moved.txt"));
	OK(rmdir("fresh"));
	FAILS(stat("fresh", &(struct stat){0}), ENOENT);
}

int main(void)
{
	umask(022);
	create_and_change();
	change_real_file();
	move_and_remove();
	heddle_outcome(1);
	return 0;
}
