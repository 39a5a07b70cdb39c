/*
 * A bank at the other end of the line: each thread asks for the balance, adds one and stores it. Between question and order
 * others come in, unless a lock goes over both. The bank is a memory of this connection: "get" is answered
 * with the last line that was not a question.
 *
 * heddle: verdict=violation kind=assert message~="sum == 2" args=racy server="@bank {port:7000}"
 * heddle: verdict=violation kind=assert message~="sum == 2" cache=none args=racy server="@bank {port:7000}"
 * heddle: verdict=verified args=locked server="@bank {port:7000}"
 * native: args=locked
 */
#include "net.h"

static int fd, locked;
static pthread_mutex_t account = PTHREAD_MUTEX_INITIALIZER, line = PTHREAD_MUTEX_INITIALIZER;

/* One question and its answer, safely. */
static long ask(const char *question)
{
	char answer[16];
	OK(pthread_mutex_lock(&line));
	say(fd, question);
	CHECK(hear_line(fd, answer, sizeof(answer)));
	OK(pthread_mutex_unlock(&line));
	return atol(answer);
}

static void *deposit(void *arg)
{
	char order[32];
	if (locked)
		OK(pthread_mutex_lock(&account));
	long balance = ask("get\n");
	snprintf(order, sizeof(order), "set %ld\n", balance + 1);
	ask(order);
	if (locked)
		OK(pthread_mutex_unlock(&account));
	return arg;
}

int main(int argc, char **argv)
{
	locked = story(argc, argv, "locked");
	fd = dial(PORT);
	pthread_t a = spawn(deposit, NULL), b = spawn(deposit, NULL);
	join(a);
	join(b);
	long sum = ask("get\n");
	CHECK(sum == 2);
	return 0;
}
