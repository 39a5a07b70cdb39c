/*
 * A small web server of ours, a thread for each request, a counter of hits; its clients are curl, wget, ab and netcat. `racy` writes to the client
 * between reading and storing the counter.
 *
 * heddle: verdict=verified outcomes=1,2 args=locked clients=2 client="curl -s http://127.0.0.1:{port}/"
 * heddle: verdict=verified outcomes=1,2 cache=none args=locked clients=2 client="wget -q -O - http://127.0.0.1:{port}/"
 * heddle: verdict=verified outcomes=1,2 args=locked client1="wget -q -O - http://127.0.0.1:{port}/" client2="curl -s http://127.0.0.1:{port}/x"
 * heddle: verdict=verified outcomes=1,2 args=locked client1="printf 'GET / HTTP/1.0\r\n\r\n' | nc 127.0.0.1 {port}" client2="curl -s http://127.0.0.1:{port}/"
 * heddle: verdict=verified outcomes=1 args=locked clients=1 client="ab -q -n 1 http://127.0.0.1:{port}/"
 * heddle: verdict=verified outcomes=1,2 args=locked clients=1 client="ab -q -n 2 -c 2 http://127.0.0.1:{port}/"
 * heddle: verdict=verified outcomes=1,2 args=locked clients=1 client="curl -s --parallel --parallel-immediate http://127.0.0.1:{port}/a http://127.0.0.1:{port}/b"
 * heddle: verdict=verified outcomes=1 args=locked clients=1 client="printf 'GET / HTTP/1.0\r\n\r\n' | timeout 1 nc 127.0.0.1 {port}"
 * heddle: verdict=violation kind=assert message~="mine" args=racy clients=2 client="curl -s http://127.0.0.1:{port}/"
 */
#include "net.h"

static int hits, racy;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void read_request(FILE *in)
{
	char line[512];
	CHECK(fgets(line, sizeof(line), in) && !strncmp(line, "GET /", 5));
	while (fgets(line, sizeof(line), in) && strcmp(line, "\r\n"))
		continue;
}

static int count(int fd)
{
	static const char head[] = "HTTP/1.0 200 OK\r\nContent-Length: 8\r\nContent-Type: text/plain\r\n\r\n";
	if (!racy)
		OK(pthread_mutex_lock(&lock));
	int mine = hits + 1;
	say(fd, head);
	CHECK(mine == hits + 1);
	hits = mine;
	if (!racy)
		OK(pthread_mutex_unlock(&lock));
	return mine;
}

static void *serve(void *arg)
{
	int fd = (int)(long)arg;
	FILE *in = fdopen(fd, "r");
	read_request(in);
	int mine = count(fd);
	dprintf(fd, "hit %03d\n", mine);
	heddle_outcome(mine);
	fclose(in);
	return NULL;
}

int main(int argc, char **argv)
{
	racy = story(argc, argv, "racy");
	for (int listener = listen_on(PORT);;)
		OK(pthread_detach(spawn(serve, (void *)(long)take_client(listener))));
}
