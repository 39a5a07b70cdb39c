/*
 * Threads that talk to socat and netcat: an echo by cat behind socat, which forks for each connection; and a line from a
 * shell.
 *
 * heddle: verdict=verified outcomes=2 server="socat TCP-LISTEN:{port:7},bind=127.0.0.1,fork,reuseaddr EXEC:cat"
 * heddle: verdict=verified outcomes=2 cache=none server="socat TCP-LISTEN:{port:7},bind=127.0.0.1,fork,reuseaddr EXEC:cat"
 * heddle: verdict=verified outcomes=2 server="socat TCP-LISTEN:{port:7},bind=127.0.0.1,fork,reuseaddr SYSTEM:'while read x; do echo $x; done'"
 */
#include "net.h"

static int good;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *ask(void *line)
{
	int fd = dial(7);
	say(fd, line);
	hear_text(fd, line);
	OK(shutdown(fd, SHUT_WR));
	hear_end(fd);
	OK(close(fd));
	OK(pthread_mutex_lock(&lock));
	good++;
	OK(pthread_mutex_unlock(&lock));
	return NULL;
}

int main(void)
{
	pthread_t a = spawn(ask, "hello\n"), b = spawn(ask, "world\n");
	join(a);
	join(b);
	heddle_outcome(good);
	return 0;
}
