/*
 * Two threads serve one socket. Each adds a deposit to the balance and tells the client the sum: unlocked, a sendto lies between
 * reading the balance and writing it, and a deposit can get lost.
 *
 * heddle: verdict=verified outcomes=30 args=locked client1="@peer send {port} send:10~ line" client2="@peer send {port} send:20~ line"
 * heddle: verdict=verified outcomes=30 args=locked cache=none client1="@peer send {port} send:10~ line" client2="@peer send {port} send:20~ line"
 * heddle: verdict=violation kind=assert args=lost client1="@peer send {port} send:10~ line" client2="@peer send {port} send:20~ line"
 * heddle: verdict=violation kind=assert args=lost cache=none client1="@peer send {port} send:10~ line" client2="@peer send {port} send:20~ line"
 * native: args=locked
 */
#include "net.h"

static int fd, balance, is_locked;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *serve(void *arg)
{
	struct sockaddr_in from;
	socklen_t len = sizeof(from);
	char text[16], sum[16];
	ssize_t n = recvfrom(fd, text, sizeof(text) - 1, 0, (struct sockaddr *)&from, &len);
	CHECK(n > 0);
	text[n] = 0;
	if (is_locked)
		OK(pthread_mutex_lock(&lock));
	int after = balance + atoi(text);
	n = snprintf(sum, sizeof(sum), "%d\n", after);
	CHECK(sendto(fd, sum, (size_t)n, 0, (struct sockaddr *)&from, len) == n);
	balance = after;
	if (is_locked)
		OK(pthread_mutex_unlock(&lock));
	return arg;
}

int main(int argc, char **argv)
{
	struct sockaddr_in a = loopback(PORT);
	is_locked = story(argc, argv, "locked");
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	OK(bind(fd, (struct sockaddr *)&a, sizeof(a)));
	pthread_t one = spawn(serve, NULL), two = spawn(serve, NULL);
	join(one);
	join(two);
	CHECK(balance == 30); // violation
	heddle_outcome(balance);
	return 0;
}
