/*
 * Two threads both think that the connection is theirs to close. The second close fails, or, when a third thread has connected in
 * between, hits its connection, because the number is free again.
 *
 * heddle: verdict=violation kind=assert message~="got == 3" options="-k" violations#=4 args=twice server="@peer listen {port:7000} line echo loop"
 * heddle: verdict=verified args=once server="@peer listen {port:7000} line echo loop"
 * native: args=once
 */
#include "net.h"

static int fd, owner;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *closer(void *arg)
{
	OK(pthread_mutex_lock(&lock));
	int mine = !owner++;
	OK(pthread_mutex_unlock(&lock));
	if (arg || mine)
		OK(close(fd));
	return NULL;
}

static void *innocent(void *arg)
{
	char answer[8];
	int other = dial(PORT);
	ssize_t got = send(other, "hi\n", 3, MSG_NOSIGNAL);
	CHECK(got == 3);
	got = read(other, answer, sizeof(answer));
	CHECK(got == 3);
	return arg;
}

int main(int argc, char **argv)
{
	void *always = story(argc, argv, "twice") ? &fd : NULL;
	fd = dial(PORT);
	pthread_t a = spawn(closer, always), b = spawn(closer, always), c = spawn(innocent, NULL);
	join(a);
	join(b);
	join(c);
	return 0;
}
