/*
 * A cache of connections: the first thread that needs one makes it. Looking and making are not one step in the racy version, so
 * that both threads connect, and one connection is lost: it is never closed.
 *
 * heddle: verdict=violation kind=assert message~="made == 1" args=racy server="@peer listen {port:7000} send:hello~ eof"
 * heddle: verdict=verified args=locked connections=1 server="@peer listen {port:7000} send:hello~ eof"
 * heddle: verdict=verified args=locked cache=none server="@peer listen {port:7000} send:hello~ eof"
 * native: args=locked
 */
#include "net.h"

static int shared = -1, made, locked;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int connection(void)
{
	if (locked)
		OK(pthread_mutex_lock(&lock));
	if (shared < 0) {
		int fd = dial(PORT);
		hear_text(fd, "hello\n");
		shared = fd;
		made++;
	}
	if (locked)
		OK(pthread_mutex_unlock(&lock));
	return shared;
}

static void *use(void *arg)
{
	CHECK(connection() >= 0);
	return arg;
}

int main(int argc, char **argv)
{
	locked = story(argc, argv, "locked");
	pthread_t a = spawn(use, NULL), b = spawn(use, NULL);
	join(a);
	join(b);
	CHECK(made == 1);
	return 0;
}
