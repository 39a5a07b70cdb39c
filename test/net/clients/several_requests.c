/*
 * One connection, many requests: two threads take turns by a lock, three requests each; the answers are numbered by the server.
 * Who gets which number depends on the schedule, the conversation does not: a linear cache holds it.
 *
 * heddle: verdict=verified outcomes#=20 connections=1 server="@peer listen {port:7000} line send:%n~ loop"
 * heddle: verdict=verified outcomes#=20 connections=1 cache=linear server="@peer listen {port:7000} line send:%n~ loop"
 * heddle: verdict=verified outcomes#=20 connections=1 options="--strategy bfs" server="@peer listen {port:7000} line send:%n~ loop"
 */
#include "net.h"

#define REQUESTS 3

static int fd;
static unsigned mine[2]; /* bit n: answer n */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *ask(void *arg)
{
	for (int i = 0; i < REQUESTS; i++) {
		char answer[8];
		OK(pthread_mutex_lock(&lock));
		say(fd, "next\n");
		CHECK(hear_line(fd, answer, sizeof(answer)));
		OK(pthread_mutex_unlock(&lock));
		mine[(long)arg] |= 1u << atoi(answer);
	}
	return NULL;
}

int main(void)
{
	fd = dial(PORT);
	pthread_t a = spawn(ask, (void *)0l), b = spawn(ask, (void *)1l);
	join(a);
	join(b);
	CHECK((mine[0] | mine[1]) == 0x7e && !(mine[0] & mine[1]));
	heddle_outcome(mine[0]);
	return 0;
}
