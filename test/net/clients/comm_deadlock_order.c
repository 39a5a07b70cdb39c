/*
 * Two threads hold a conversation on one connection, each a request and its answer, without a lock. The answers are told
 * apart by nothing: a thread may take the other's, and, reading both at once, leave nothing for the other, which then waits for
 * ever. With a lock around request and answer all is well.
 *
 * heddle: verdict=violation kind=comm-deadlock options="-k" outcomes=1 server="@peer listen {port:7000} line echo loop" args=unlocked
 * heddle: verdict=verified outcomes=1 server="@peer listen {port:7000} line echo loop" args=locked
 * heddle: verdict=verified outcomes=1 cache=none server="@peer listen {port:7000} line echo loop" args=locked
 * native: args=locked
 */
#include "net.h"

static int fd, locked;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *converse(void *line)
{
	char answer[16];
	if (locked)
		OK(pthread_mutex_lock(&lock));
	say(fd, line);
	CHECK(read(fd, answer, sizeof(answer)) > 0);
	if (locked)
		OK(pthread_mutex_unlock(&lock));
	return NULL;
}

int main(int argc, char **argv)
{
	locked = story(argc, argv, "locked");
	fd = dial(PORT);
	pthread_t a = spawn(converse, "1\n"), b = spawn(converse, "2\n");
	join(a);
	join(b);
	heddle_outcome(1);
	return 0;
}
