/*
 * Clients that have several connections at a time: opened at once, one because of what was said on another, by
 * threads of the client; left open or closed by either side. All orders in which they are accepted and served are
 * there, also with those of other clients; what the client says may depend on the order in which it was answered.
 *
 * heddle: verdict=verified outcomes=24930,25185 clients=1 args="2" client="@several {port} open:1 open:2 send:1:a~ send:2:b~ line:1 line:2"
 * heddle: verdict=verified outcomes=24930,25185 clients=1 cache=none args="2" client="@several {port} open:1 open:2 send:1:a~ send:2:b~ line:1 line:2"
 * heddle: verdict=verified outcomes=24930,25185 clients=1 args="2" options="--sanity 2 --recheck 100" client="@several {port} open:1 open:2 send:1:a~ send:2:b~ line:1 line:2"
 * heddle: verdict=violation kind=assert clients=1 args="2 bug" client="@several {port} open:1 open:2 send:1:a~ send:2:b~ line:1 line:2"
 * heddle: verdict=verified outcomes=24930 clients=1 args="2 bug" options="--recheck 100" client="@several {port} open:1 send:1:a~ line:1 open:2 send:2:b~ line:2 close:1"
 * heddle: verdict=verified clients=1 args="2" client="@several {port} threads:2"
 * heddle: verdict=verified clients=1 args="3" options="--short-io off" client="@several {port} open:1 send:1:a~ close:1 open:2 open:3 send:3:c~ send:2:b~ line:2 line:3"
 * heddle: verdict=violation kind=comm-deadlock clients=1 args="2" client="@several {port} open:1 open:2 send:1:a~ line:2 send:2:b~"
 * heddle: verdict=verified clients=2 args="3" options="--short-io off" client1="@several {port} open:1 open:2 send:1:a~ send:2:b~ line:1 line:2" client2="@several {port} open:1 send:1:c~ line:1"
 *
 * A client that waits for a while, notices that nothing came, and says so later. When it is started again, the time is not waited for
 * a second time where its answer is known; it is, where another answer came.
 * heddle: verdict=verified clients=2 cache=none args="2" client1="@several {port} open:1 send:1:a~ wait:1:30 wait:1:9000 mood:1 line:1 line:1" client2="@several {port} open:1"
 * heddle: verdict=verified outcomes=24940 clients=1 args="1" options="--recheck 10" client="@several {port} open:1 send:1:a~ wait:1:150 wait:1:9000 mood:1 line:1 line:1"
 *
 * A client that speaks by itself, when it has waited for longer than a short time: that happens when nobody can go on. It may end,
 * send something or connect once more; one that never stops is incomplete, and so is one that never rests.
 * heddle: verdict=verified outcomes=24832 clients=1 args="1" client="@several {port} open:1 send:1:a~ line:1 wait:1:700"
 * heddle: verdict=verified outcomes=24930 clients=1 args="1" options="--recheck 10" client="@several {port} open:1 send:1:a~ line:1 wait:1:700 send:1:b~ line:1"
 * heddle: verdict=verified outcomes=24930 clients=1 cache=none args="1" client="@several {port} open:1 send:1:a~ line:1 wait:1:700 send:1:b~ line:1"
 * heddle: verdict=verified outcomes=24930,25185 clients=1 args="2" options="--sanity 2" client="@several {port} open:1 wait:1:700 open:2 send:1:a~ send:2:b~ line:2 line:1"
 * heddle: verdict=violation kind=assert text~="a time-out of client 1 ends" clients=1 args="1 bug" client="@several {port} open:1 wait:1:700 send:1:b~ line:1"
 * heddle: verdict=incomplete text~="sends data although" clients=1 args="1" client="@several {port} open:1 ticks:1:700"
 * heddle: verdict=incomplete text~="did not come to rest" clients=1 args="1" options="--peer-timeout 1s" client="@peer connect {port} send:a~ sleep:100000"
 * native: skip
 */
#include "net.h"

static int listener, bug, order[8], ended;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *serve(void *arg)
{
	int fd = (int)(long)arg;
	char line[64];
	while (hear_line(fd, line, sizeof(line))) {
		pthread_mutex_lock(&lock);
		order[ended++ % 8] = line[0];
		pthread_mutex_unlock(&lock);
		say(fd, "thanks\n");
	}
	OK(close(fd));
	return NULL;
}

int main(int argc, char **argv)
{
	int want = argc > 1 ? argv[1][0] - '0' : 0;
	pthread_t t[8];
	bug = argc > 2;
	listener = listen_on(PORT);
	for (long i = 0; i < want; i++)
		pthread_create(&t[i], NULL, serve, (void *)(long)take_client(listener));
	for (int i = 0; i < want; i++)
		pthread_join(t[i], NULL);
	CHECK(!bug || order[0] != 'b');
	heddle_outcome(order[0] * 256 + order[1]);
	return 0;
}
