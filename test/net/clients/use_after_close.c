/*
 * One thread closes a connection that another still writes to: EBADF, or worse. `reuse`: the descriptor's number is taken by the next
 * connection, and the line goes to the wrong one. Both are found; with a join before the close all is well.
 *
 * heddle: verdict=violation kind=assert message~="sent == 5" args=plain server="@peer listen {port:7000} line echo loop"
 * heddle: verdict=violation kind=assert message~="mine" options="-k" args=reuse server="@peer listen {port:7000} line echo loop" server2="@peer listen {port:7001} line send:wrong~ loop"
 * heddle: verdict=verified args=joined server="@peer listen {port:7000} line echo loop"
 * native: args=joined
 */
#include "net.h"

static int fd;

static void *writer(void *arg)
{
	long sent = send(fd, "mine\n", 5, MSG_NOSIGNAL);
	CHECK(sent == 5);
	return arg;
}

static void reuse(void)
{
	char answer[8] = "";
	OK(close(fd));
	int other = dial(7001);
	struct timeval patience = {.tv_usec = 1000};
	OK(setsockopt(other, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)));
	ssize_t mine = read(other, answer, sizeof(answer));
	CHECK(mine == -1);
}

int main(int argc, char **argv)
{
	fd = dial(PORT);
	pthread_t t = spawn(writer, NULL);
	if (story(argc, argv, "joined"))
		join(t);
	if (story(argc, argv, "reuse"))
		reuse();
	else
		OK(close(fd));
	if (!story(argc, argv, "joined"))
		join(t);
	return 0;
}
