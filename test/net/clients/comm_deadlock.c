/*
 * The client waits for an answer, the server for the rest of the request: nobody will ever go on. `early` is a client whose
 * reader may come before the writer has sent everything, which is no deadlock; `lock` has the writer wait for a
 * lock that the reader holds while it reads.
 *
 * heddle: verdict=violation kind=comm-deadlock where=@answer text~="127.0.0.1:7000" server="@peer listen {port:7000} line echo loop" args=unfinished
 * heddle: verdict=violation kind=comm-deadlock text~="peer.*read" server="@peer listen {port:7000} line echo loop" args=unfinished
 * heddle: verdict=violation kind=comm-deadlock cache=none server="@peer listen {port:7000} line echo loop" args=unfinished
 * heddle: verdict=violation kind=comm-deadlock cache=linear server="@peer listen {port:7000} line echo loop" args=unfinished
 * heddle: verdict=verified server="@peer listen {port:7000} line echo loop" args=early
 * heddle: verdict=violation kind=comm-deadlock|deadlock text~="waits for mutex lock" server="@peer listen {port:7000} line echo loop" args=lock
 * native: skip
 */
#include "net.h"

static int fd;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *write_early(void *arg)
{
	say(fd, "ab");
	say(fd, "c\n");
	return arg;
}

static void *write_locked(void *arg)
{
	OK(pthread_mutex_lock(&lock));
	say(fd, "abc\n");
	OK(pthread_mutex_unlock(&lock));
	return arg;
}

static void read_answer(void)
{
	char answer[8];
	CHECK(read(fd, answer, sizeof(answer)) == 4); /* @answer */
}

int main(int argc, char **argv)
{
	fd = dial(PORT);
	if (story(argc, argv, "unfinished")) {
		say(fd, "no end of line");
		read_answer();
	} else if (story(argc, argv, "early")) {
		pthread_t t = spawn(write_early, NULL);
		read_answer();
		join(t);
	} else {
		pthread_t t = spawn(write_locked, NULL);
		OK(pthread_mutex_lock(&lock));
		read_answer();
		OK(pthread_mutex_unlock(&lock));
		join(t);
	}
	return 0;
}
