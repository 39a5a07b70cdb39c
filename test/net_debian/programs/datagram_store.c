/*
 * Two threads serve a table of numbers at one socket; socat asks. Whether the number is there when it is asked for is open.
 *
 * heddle: verdict=verified outcomes=0,7 client1="echo set 3 7 | socat -t 60 - UDP:127.0.0.1:{port}" client2="echo get 3 | socat -t 60 - UDP:127.0.0.1:{port}"
 * heddle: verdict=verified outcomes=0,7 cache=none client1="echo set 3 7 | socat -t 60 - UDP:127.0.0.1:{port}" client2="echo get 3 | socat -t 60 - UDP:127.0.0.1:{port}"
 */
#include "net.h"

static int store, number[10];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int obey(const char *request)
{
	int key = 0, value = 0;
	if (sscanf(request, "set %d %d", &key, &value) == 2) {
		number[key % 10] = value;
	} else if (sscanf(request, "get %d", &key) == 1) {
		value = number[key % 10];
		heddle_outcome(value);
	}
	return value;
}

static void *serve(void *arg)
{
	for (;;) {
		struct sockaddr_in from;
		socklen_t len = sizeof(from);
		char request[64] = "", answer[64];
		CHECK(recvfrom(store, request, sizeof(request) - 1, 0, (struct sockaddr *)&from, &len) > 0);
		OK(pthread_mutex_lock(&lock));
		int n = snprintf(answer, sizeof(answer), "%d\n", obey(request));
		OK(pthread_mutex_unlock(&lock));
		CHECK(sendto(store, answer, (size_t)n, 0, (struct sockaddr *)&from, len) == n);
	}
	return arg;
}

int main(void)
{
	struct sockaddr_in a = loopback(PORT);
	store = socket(AF_INET, SOCK_DGRAM, 0);
	OK(bind(store, (struct sockaddr *)&a, sizeof(a)));
	pthread_t one = spawn(serve, NULL), two = spawn(serve, NULL);
	join(one);
	join(two);
	return 0;
}
