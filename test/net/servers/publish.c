/*
 * One publisher thread, subscribers that come when they want: a subscriber gets what is published after it came, or everything if it is
 * there first.
 *
 * heddle: verdict=verified outcomes=0,1,2 clients=2 client="@peer connect {port} send:hello~ mark line loop"
 * heddle: verdict=verified outcomes=0,1,2 clients=2 cache=none client="@peer connect {port} send:hello~ mark line loop"
 * native: skip
 */
#include "net.h"

static int subscriber[4], subscribers;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *publish(void *arg)
{
	OK(pthread_mutex_lock(&lock));
	for (int i = 0; i < subscribers; i++)
		say(subscriber[i], "news\n");
	heddle_outcome(subscribers);
	OK(pthread_mutex_unlock(&lock));
	return arg;
}

int main(void)
{
	int listener = listen_on(PORT);
	pthread_t t = spawn(publish, NULL);
	OK(pthread_detach(t));
	for (;;) {
		int fd = take_client(listener);
		hear_text(fd, "hello\n");
		OK(pthread_mutex_lock(&lock));
		subscriber[subscribers++] = fd;
		OK(pthread_mutex_unlock(&lock));
	}
}
