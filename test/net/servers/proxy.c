/*
 * A proxy: for each client a connection to the server behind it, and two threads that carry bytes, one in each direction, until
 * their side ends; the end is passed on. `hasty` closes both connections as soon as one direction has ended: answers are lost, or the other
 * thread finds its descriptor gone.
 *
 * heddle: verdict=verified outcomes=1 args=right clients=1 client="@peer connect {port} send:{n}~ want:{n} shut eof" server="@peer listen {port:9000} line echo loop"
 * heddle: verdict=verified outcomes=1,2 args=right clients=2 client="@peer connect {port} send:{n}~ want:{n} shut eof" server="@peer listen {port:9000} line echo loop"
 * heddle: verdict=verified outcomes=1 cache=none args=right clients=1 client="@peer connect {port} send:{n}~ want:{n} shut eof" server="@peer listen {port:9000} line echo loop"
 * heddle: verdict=verified outcomes=1 cache=linear args=right clients=1 client="@peer connect {port} send:{n}~ want:{n} shut eof" server="@peer listen {port:9000} line echo loop"
 * heddle: verdict=violation kind=assert args=hasty clients=1 client="@peer connect {port} send:{n}~ shut want:{n}" server="@peer listen {port:9000} line echo loop"
 * native: args=right
 */
#include "net.h"

static int hasty, served;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct pump {
	int from, to;
};

static void *carry(void *arg)
{
	struct pump *p = arg;
	char buffer[64];
	ssize_t n;
	while ((n = read(p->from, buffer, sizeof(buffer))) > 0)
		CHECK(send(p->to, buffer, (size_t)n, MSG_NOSIGNAL) == n);
	CHECK(n == 0);
	if (hasty) {
		OK(close(p->from));
		OK(close(p->to));
	} else {
		shutdown(p->to, SHUT_WR);
	}
	return NULL;
}

static void *serve(void *arg)
{
	int client = (int)(long)arg, server = dial(9000);
	struct pump up = {client, server}, down = {server, client};
	pthread_t t = spawn(carry, &up);
	carry(&down);
	join(t);
	if (!hasty) {
		OK(close(client));
		OK(close(server));
	}
	OK(pthread_mutex_lock(&lock));
	heddle_outcome(++served);
	OK(pthread_mutex_unlock(&lock));
	return NULL;
}

int main(int argc, char **argv)
{
	hasty = story(argc, argv, "hasty");
	for (int listener = listen_on(PORT);;)
		OK(pthread_detach(spawn(serve, (void *)(long)take_client(listener))));
}
