/*
 * half_message.c: a blocking server that takes one read for one message: the commonest mistake with TCP.
 *
 * heddle: verdict=verified args=right clients=1 client="@peer connect {port} send:hello~ want:hello"
 * heddle: verdict=violation kind=assert args=wrong clients=1 client="@peer connect {port} send:hello~ want:hello"
 * heddle: verdict=verified args=wrong options="--short-io off" clients=1 client="@peer connect {port} send:hello~ want:hello"
 * native: args=right
 */
#include "event.h"

int main(int argc, char **argv)
{
	int fd = take_client(listen_on(PORT));
	char text[16] = "";
	if (story(argc, argv, "wrong"))
		CHECK(read(fd, text, sizeof(text) - 1) == 6);
	else
		CHECK(hear_line(fd, text, sizeof(text)));
	CHECK(!strncmp(text, "hello", 5));
	say(fd, "hello\n");
	OK(close(fd));
	return 0;
}
