/*
 * file_visible.c: one thread creates, fills and renames a file; another looks whether
 * it is there. Absent (-1) and complete (4) are reachable; without the rename trick, so are
 * empty and partly written files (`plain`).
 *
 * heddle: verdict=verified outcomes=-1,4 args=rename
 * heddle: verdict=verified outcomes=-1,0,2,4 args=plain
 * native: args=rename
 * native: args=plain
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "guest.h"

static const char *target;

static void *writer(void *arg)
{
	int fd = open(target, O_CREAT | O_WRONLY, 0600);
	CHECK(write(fd, "ab", 2) == 2);
	CHECK(write(fd, "cd", 2) == 2);
	OK(close(fd));
	if (strcmp(target, "final.txt"))
		OK(rename(target, "final.txt"));
	return arg;
}

int main(int argc, char **argv)
{
	target = story(argc, argv, "rename") ? "part.txt" : "final.txt";
	pthread_t t = spawn(writer, NULL);
	struct stat st;
	heddle_outcome(stat("final.txt", &st) == 0 ? st.st_size : -1);
	join(t);
	return 0;
}
