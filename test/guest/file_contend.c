/*
 * file_contend.c: two threads want the same name, the same directory, the same end of a file.
 *
 *   exclusive  a lock file: nobody is inside with another (asserted); outcome = attempts that failed
 *   append     O_APPEND never loses a piece, in either order: 12, 21
 *   offset     without it, through descriptors of their own, the later one wins: 1, 2
 *   shared     through one descriptor nothing is lost: 12, 21
 *   rmdir      a directory goes or gets a file, never both: 1 = gone, 2 = filled
 *   mkdir      exactly one makes it (asserted)
 *   replace    rename onto a name another is about to replace: the last one stays: 1, 2
 *
 * heddle: verdict=verified outcomes=0,1 args=exclusive
 * heddle: verdict=verified outcomes=12,21 args=append
 * heddle: verdict=verified outcomes=1,2 args=offset
 * heddle: verdict=verified outcomes=12,21 args=shared
 * heddle: verdict=verified outcomes=1,2 args=rmdir
 * heddle: verdict=verified outcomes=1,2 args=mkdir
 * heddle: verdict=verified outcomes=1,2 args=replace
 * native: args=exclusive
 * native: args=append
 * native: args=offset
 * native: args=shared
 * native: args=rmdir
 * native: args=mkdir
 * native: args=replace
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "guest.h"

static int inside, shared;
static int won[3];

static int opened(const char *name, int flags)
{
	int fd = open(name, flags, 0600);
	CHECK(fd >= 0);
	return fd;
}

static void *exclusive(void *arg)
{
	int fd = open("lock", O_CREAT | O_EXCL | O_WRONLY, 0600);
	if (fd < 0)
		return arg;
	won[(long)arg] = 1;
	CHECK(++inside == 1);
	CHECK(write(fd, "x", 1) == 1);
	CHECK(--inside == 0);
	OK(close(fd));
	OK(unlink("lock"));
	return arg;
}

static void put(int fd, long me)
{
	CHECK(write(fd, me == 1 ? "1" : "2", 1) == 1);
}

static void *append(void *arg)
{
	put(opened("f", O_CREAT | O_WRONLY | O_APPEND), (long)arg);
	return arg;
}

static void *offset(void *arg)
{
	put(opened("f", O_CREAT | O_WRONLY), (long)arg);
	return arg;
}

static void *one_descriptor(void *arg)
{
	put(shared, (long)arg);
	return arg;
}

static void *remove_or_fill(void *arg)
{
	if ((long)arg == 1) {
		won[1] = rmdir("d") == 0;
		CHECK(won[1] || errno == ENOTEMPTY);
	} else {
		won[2] = open("d/x", O_CREAT | O_WRONLY, 0600) >= 0;
		CHECK(won[2] || errno == ENOENT);
	}
	return arg;
}

static void *make(void *arg)
{
	won[(long)arg] = mkdir("d", 0700) == 0;
	return arg;
}

static void *replace(void *arg)
{
	const char *mine = (long)arg == 1 ? "one" : "two";
	put(opened(mine, O_CREAT | O_WRONLY), (long)arg);
	OK(rename(mine, "f"));
	return arg;
}

static long number_in(const char *name)
{
	char text[8] = {0};
	CHECK(read(opened(name, O_RDONLY), text, 7) > 0);
	return atol(text);
}

int main(int argc, char **argv)
{
	void *(*body)(void *) = story(argc, argv, "exclusive") ? exclusive
				: story(argc, argv, "append")  ? append
				: story(argc, argv, "offset")  ? offset
				: story(argc, argv, "shared")  ? one_descriptor
				: story(argc, argv, "rmdir")   ? remove_or_fill
				: story(argc, argv, "mkdir")   ? make
							       : replace;
	if (body == one_descriptor)
		shared = opened("f", O_CREAT | O_WRONLY);
	if (body == remove_or_fill)
		OK(mkdir("d", 0700));
	pthread_t a = spawn(body, (void *)1), b = spawn(body, (void *)2);
	join(a);
	join(b);
	if (body == exclusive) {
		heddle_outcome(2 - won[1] - won[2]);
	} else if (body == make || body == remove_or_fill) {
		CHECK(won[1] + won[2] == 1);
		heddle_outcome(won[1] ? 1 : 2);
	} else {
		heddle_outcome(number_in("f"));
	}
	return 0;
}
