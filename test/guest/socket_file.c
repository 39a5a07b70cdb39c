/*
 * socket_file.c: sendfile to a socket moves all that was asked for, while another thread reads; a socket is no terminal
 * and no file.
 *
 * heddle: verdict=verified outcomes=5000 args=whole
 * heddle: verdict=incomplete args=interfaces refused~="SIOC"
 * native: args=whole
 */
#include <fcntl.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>

#include "guest.h"

#define SIZE 5000

static int pair[2];

static void *reader(void *arg)
{
	static char text[SIZE];
	long sum = 0, n;
	while ((n = recv(pair[1], text, sizeof text, MSG_WAITALL)) > 0)
		sum += n;
	heddle_outcome(sum);
	return arg;
}

static void whole(void)
{
	static char text[SIZE];
	int fd = open("sent", O_RDWR | O_CREAT | O_TRUNC, 0600);
	CHECK(write(fd, text, SIZE) == SIZE && lseek(fd, 0, SEEK_SET) == 0);
	pthread_t t = spawn(reader, NULL);
	CHECK(sendfile(pair[0], fd, NULL, SIZE + 10) == SIZE && lseek(fd, 0, SEEK_CUR) == SIZE);
	CHECK(!isatty(pair[0]));
	OK(close(pair[0]));
	join(t);
	OK(unlink("sent"));
}

int main(int argc, char **argv)
{
	OK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	if (story(argc, argv, "whole"))
		whole();
	else if (story(argc, argv, "interfaces"))
		if_nametoindex("lo");
	return 0;
}
