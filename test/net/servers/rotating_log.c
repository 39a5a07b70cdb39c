/*
 * Handlers write to a common file what their clients said, each line in two pieces; without a lock lines mix. The file is virtual: nothing
 * of it is on the disk.
 *
 * heddle: verdict=verified clients=2 args=locked client="@peer connect {port} send:{n}~ want:ok"
 * heddle: verdict=violation kind=assert message~="whole" clients=2 args=unlocked client="@peer connect {port} send:{n}~ want:ok"
 * native: args=locked
 */
#include <fcntl.h>

#include "net.h"

static int journal, locked;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void note(const char *line)
{
	char seen[32] = "";
	if (locked)
		OK(pthread_mutex_lock(&lock));
	say(journal, line);
	say(journal, line);
	CHECK(pread(journal, seen, sizeof(seen) - 1, 0) > 0);
	int whole = strncmp(seen, "1212", 4) && strncmp(seen, "2121", 4) && strncmp(seen, "1221", 4) &&
		    strncmp(seen, "2112", 4);
	CHECK(whole);
	if (locked)
		OK(pthread_mutex_unlock(&lock));
}

static void *serve(void *arg)
{
	int fd = (int)(long)arg;
	char line[8];
	CHECK(hear_line(fd, line, sizeof(line)));
	note(line);
	say(fd, "ok\n");
	OK(close(fd));
	return NULL;
}

int main(int argc, char **argv)
{
	locked = story(argc, argv, "locked");
	journal = open("journal.txt", O_RDWR | O_CREAT | O_APPEND, 0600);
	CHECK(journal >= 0);
	for (int listener = listen_on(PORT);;)
		OK(pthread_detach(spawn(serve, (void *)(long)take_client(listener))));
}
