/*
 * Two clients; each line goes to both, in the order in which the server gets them. Both see the same order, because a lock goes
 * over the whole distribution; without it they may differ, and that is seen.
 *
 * heddle: verdict=verified clients=2 args=locked client="@peer connect {port} send:{n}~ line line"
 * heddle: verdict=verified cache=none clients=2 args=locked client="@peer connect {port} send:{n}~ line line"
 * heddle: verdict=violation kind=assert message~="same" clients=2 args=unlocked client="@peer connect {port} send:{n}~ line line"
 * heddle: verdict=incomplete cache=linear clients=2 args=locked client="@peer connect {port} send:{n}~ line line"
 * native: args=locked
 */
#include "net.h"

static int client[2], locked;
static char seen[2][8];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void distribute(const char *line)
{
	for (int i = 0; i < 2; i++) {
		dprintf(client[i], "%s\n", line);
		strcat(seen[i], line);
	}
}

static void *serve(void *arg)
{
	char line[8];
	CHECK(hear_line(client[(long)arg], line, sizeof(line)));
	if (locked)
		OK(pthread_mutex_lock(&lock));
	distribute(line);
	if (locked)
		OK(pthread_mutex_unlock(&lock));
	return NULL;
}

int main(int argc, char **argv)
{
	int listener = listen_on(PORT);
	locked = story(argc, argv, "locked");
	client[0] = take_client(listener);
	client[1] = take_client(listener);
	pthread_t a = spawn(serve, (void *)0l), b = spawn(serve, (void *)1l);
	join(a);
	join(b);
	int same = !strcmp(seen[0], seen[1]);
	CHECK(same);
	take_client(listener);
	return 0;
}
