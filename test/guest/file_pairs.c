/*
 * file_pairs.c: whatever one thread does to a file, another sees happen piece by piece, by whichever
 * name or descriptor it looks. In each story a thread changes something twice, and main looks twice; the
 * outcome is 10 * first look + second look. Both looks and both changes must be steps of
 * their own: all pairs of moments i <= j are reachable, and nothing else.
 *
 * A look counts what has happened (rising: 0, 1, 2), or the second change takes back the first (back: 0, 1, 0).
 *
 * heddle: verdict=verified outcomes=0,1,2,11,12,22 args=stat-create
 * heddle: verdict=verified outcomes=0,1,2,11,12,22 args=fstat-write
 * heddle: verdict=verified outcomes=0,1,2,11,12,22 args=stat-truncate
 * heddle: verdict=verified outcomes=0,1,2,11,12,22 args=stat-ftruncate
 * heddle: verdict=verified outcomes=0,1,2,11,12,22 args=stat-append
 * heddle: verdict=verified outcomes=0,1,2,11,12,22 args=pread-pwrite
 * heddle: verdict=verified outcomes=0,1,2,11,12,22 args=mmap-pwrite
 * heddle: verdict=verified outcomes=0,1,2,11,12,22 args=lseek-write
 * heddle: verdict=verified outcomes=0,1,2,11,12,22 args=stat-fchmod
 * heddle: verdict=verified outcomes=0,1,2,11,12,22 args=fstat-utimens
 * heddle: verdict=verified outcomes=0,1,2,11,12,22 args=readdir-mkdir
 * heddle: verdict=verified outcomes=0,1,2,11,12,22 args=readdir-creat
 * heddle: verdict=verified outcomes=0,1,2,11,12,22 args=pending-write
 * heddle: verdict=verified outcomes=0,1,10,11 args=access-rename
 * heddle: verdict=verified outcomes=0,1,10,11 args=fstat-link
 * heddle: verdict=verified outcomes=0,1,10,11 args=component
 * heddle: verdict=verified outcomes=0,1,10,11 args=symlink
 * heddle: verdict=verified outcomes=0,1,10,11 args=directory
 * heddle: verdict=verified outcomes=0,1,10,11 args=at
 * heddle: verdict=verified outcomes=0,1,10,11 args=readlink
 * heddle: verdict=verified outcomes=0,1,10,11 args=chdir
 * heddle: verdict=verified outcomes=0,1,10,11 args=getcwd
 * heddle: verdict=verified outcomes=0,1,10,11 args=umask
 * heddle: verdict=verified outcomes=0,1,10,11 args=flags
 * heddle: verdict=verified outcomes=0,1,10,11 args=descriptor
 * heddle: verdict=verified outcomes=0,1,10,11 args=disk
 */
#include <dirent.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "guest.h"

static int fd = -1, other = -1, ends[2];

static int create(const char *name)
{
	int new = open(name, O_CREAT | O_RDWR, 0600);
	CHECK(new >= 0);
	return new;
}

static void touch(const char *name)
{
	OK(close(create(name)));
}

static int size_of(const char *name)
{
	struct stat st;
	OK(stat(name, &st));
	return (int)st.st_size;
}

static int there(const char *name)
{
	return access(name, F_OK) == 0;
}

/* One file, two descriptors. */
static void two_descriptors(void)
{
	fd = create("f");
	other = open("f", O_RDONLY);
	CHECK(other >= 0);
}

static void empty_directory(void)
{
	OK(mkdir("d", 0700));
}

/* ---- rising ---- */

static void create_change(int n)
{
	if (n == 1)
		fd = create("f");
	else
		CHECK(write(fd, "x", 1) == 1);
}

static int create_look(void)
{
	struct stat st;
	return stat("f", &st) ? 0 : 1 + (int)st.st_size;
}

static void write_change(int n)
{
	(void)n;
	CHECK(write(fd, "x", 1) == 1);
}

static int fstat_look(void)
{
	struct stat st;
	OK(fstat(other, &st));
	return (int)st.st_size;
}

static void truncate_change(int n)
{
	OK(truncate("f", n));
}

static void ftruncate_change(int n)
{
	OK(ftruncate(fd, n));
}

static int stat_look(void)
{
	return size_of("f");
}

static void append_setup(void)
{
	touch("f");
	fd = open("f", O_WRONLY | O_APPEND);
	CHECK(fd >= 0);
}

static void pwrite_setup(void)
{
	two_descriptors();
	CHECK(write(fd, "0", 1) == 1);
}

static void pwrite_change(int n)
{
	CHECK(pwrite(fd, n == 1 ? "1" : "2", 1, 0) == 1);
}

static int pread_look(void)
{
	char c;
	CHECK(pread(other, &c, 1, 0) == 1);
	return c - '0';
}

static int mmap_look(void)
{
	char *p = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, other, 0);
	CHECK(p != MAP_FAILED);
	int c = *p - '0';
	OK(munmap(p, 1));
	return c;
}

static int lseek_look(void)
{
	return (int)lseek(fd, 0, SEEK_CUR);
}

static void fchmod_change(int n)
{
	OK(fchmod(fd, n == 1 ? 0610 : 0620));
}

static int mode_look(void)
{
	struct stat st;
	OK(stat("f", &st));
	return st.st_mode >> 3 & 7;
}

static void utimens_setup(void)
{
	two_descriptors();
	OK(futimens(fd, (struct timespec[2]){{0, 0}, {0, 0}}));
}

static void utimens_change(int n)
{
	OK(utimensat(AT_FDCWD, "f", (struct timespec[2]){{n, 0}, {n, 0}}, 0));
}

static int mtime_look(void)
{
	struct stat st;
	OK(fstat(other, &st));
	return (int)st.st_mtime;
}

static void mkdir_change(int n)
{
	OK(mkdir(n == 1 ? "d/one" : "d/two", 0700));
}

static void creat_change(int n)
{
	touch(n == 1 ? "listed/one" : "listed/two");
}

static int entries(const char *name)
{
	DIR *d = opendir(name);
	int n = 0;
	CHECK(d);
	while (readdir(d))
		n++;
	OK(closedir(d));
	return n - 2;
}

static int list_look(void)
{
	return entries("d");
}

static int list_disk_look(void)
{
	return entries("listed") - 1;
}

static void pipe_setup(void)
{
	OK(pipe(ends));
	fd = ends[1];
}

static int pending_look(void)
{
	int n;
	OK(ioctl(ends[0], FIONREAD, &n));
	return n;
}

/* ---- there and back ---- */

static void rename_setup(void)
{
	touch("a");
}

static void rename_change(int n)
{
	OK(n == 1 ? rename("a", "b") : rename("b", "a"));
}

static int rename_look(void)
{
	return there("b");
}

static void link_change(int n)
{
	OK(n == 1 ? link("f", "g") : unlink("g"));
}

static int link_look(void)
{
	struct stat st;
	OK(fstat(other, &st));
	return (int)st.st_nlink - 1;
}

static void component_change(int n)
{
	if (n == 1)
		touch("p");
	else
		OK(unlink("p"));
}

static int component_look(void)
{
	CHECK(!there("p/x"));
	return errno == ENOTDIR;
}

static void symlink_change(int n)
{
	OK(n == 1 ? symlink("listed", "s") : unlink("s"));
}

static int symlink_look(void)
{
	return there("s/real.txt");
}

static int readlink_look(void)
{
	char text[8];
	return readlink("s", text, sizeof text) == 6;
}

static void directory_setup(void)
{
	empty_directory();
	touch("d/x");
}

static void directory_change(int n)
{
	OK(n == 1 ? rename("d", "e") : rename("e", "d"));
}

static int directory_look(void)
{
	return there("e/x");
}

static void at_setup(void)
{
	empty_directory();
	fd = open("d", O_RDONLY | O_DIRECTORY);
	CHECK(fd >= 0);
}

static void at_change(int n)
{
	if (n == 1)
		touch("d/x");
	else
		OK(unlink("d/x"));
}

static int at_look(void)
{
	return faccessat(fd, "x", F_OK, 0) == 0;
}

static void chdir_change(int n)
{
	OK(chdir(n == 1 ? "listed" : ".."));
}

static int chdir_look(void)
{
	return there("real.txt");
}

static int getcwd_look(void)
{
	char text[4096];
	CHECK(getcwd(text, sizeof text));
	return strstr(text, "/listed") != NULL;
}

static void umask_setup(void)
{
	umask(0);
}

static void umask_change(int n)
{
	umask(n == 1 ? 070 : 0);
}

static int umask_look(void)
{
	struct stat st;
	OK(mkdir("d", 0770));
	OK(stat("d", &st));
	OK(rmdir("d"));
	return !(st.st_mode & 070);
}

static void flags_setup(void)
{
	fd = create("f");
	other = dup(fd);
}

static void flags_change(int n)
{
	OK(fcntl(fd, F_SETFL, n == 1 ? O_APPEND : 0));
}

static int flags_look(void)
{
	return !!(fcntl(other, F_GETFL) & O_APPEND);
}

static void descriptor_change(int n)
{
	if (n == 1)
		CHECK(dup2(fd, 50) == 50);
	else
		OK(close(50));
}

static int descriptor_look(void)
{
	return fcntl(50, F_GETFD) != -1;
}

static void disk_change(int n)
{
	if (n == 1)
		OK(unlink("listed/real.txt"));
	else
		touch("listed/real.txt");
}

static int disk_look(void)
{
	return !there("listed/real.txt");
}

static const struct pair {
	const char *name;
	void (*setup)(void);
	void (*change)(int n);
	int (*look)(void);
} pairs[] = {
	{"stat-create", NULL, create_change, create_look},
	{"fstat-write", two_descriptors, write_change, fstat_look},
	{"stat-truncate", two_descriptors, truncate_change, stat_look},
	{"stat-ftruncate", two_descriptors, ftruncate_change, stat_look},
	{"stat-append", append_setup, write_change, stat_look},
	{"pread-pwrite", pwrite_setup, pwrite_change, pread_look},
	{"mmap-pwrite", pwrite_setup, pwrite_change, mmap_look},
	{"lseek-write", two_descriptors, write_change, lseek_look},
	{"stat-fchmod", two_descriptors, fchmod_change, mode_look},
	{"fstat-utimens", utimens_setup, utimens_change, mtime_look},
	{"readdir-mkdir", empty_directory, mkdir_change, list_look},
	{"readdir-creat", NULL, creat_change, list_disk_look},
	{"pending-write", pipe_setup, write_change, pending_look},
	{"access-rename", rename_setup, rename_change, rename_look},
	{"fstat-link", two_descriptors, link_change, link_look},
	{"component", NULL, component_change, component_look},
	{"symlink", NULL, symlink_change, symlink_look},
	{"directory", directory_setup, directory_change, directory_look},
	{"at", at_setup, at_change, at_look},
	{"readlink", NULL, symlink_change, readlink_look},
	{"chdir", NULL, chdir_change, chdir_look},
	{"getcwd", NULL, chdir_change, getcwd_look},
	{"umask", umask_setup, umask_change, umask_look},
	{"flags", flags_setup, flags_change, flags_look},
	{"descriptor", two_descriptors, descriptor_change, descriptor_look},
	{"disk", NULL, disk_change, disk_look},
};
static const struct pair *pair = pairs;

static void *changer(void *arg)
{
	pair->change(1);
	pair->change(2);
	return arg;
}

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
		if (story(argc, argv, pairs[i].name))
			pair = &pairs[i];
	if (pair->setup)
		pair->setup();
	pthread_t t = spawn(changer, NULL);
	int first = pair->look();
	heddle_outcome(10 * first + pair->look());
	join(t);
	return 0;
}
