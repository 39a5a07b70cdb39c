/* Two threads ask by datagrams; the answers are to be different, or "same". token: each tells its own back. */
#include "program.h"

static int got[2];

static int telling_back;

static int ask_by_datagram(void)
{
	struct sockaddr_in a = {
		.sin_family = AF_INET, .sin_port = htons(7000), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	char text[100];
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	assert(!connect(fd, (void *)&a, sizeof(a)) && write(fd, "?", 1) == 1);
	ssize_t n = read(fd, text, sizeof(text) - 1);
	assert(n > 0);
	text[n] = 0;
	int answer = atoi(text);
	if (telling_back) {
		assert(write(fd, text, (size_t)n) == n && read(fd, text, sizeof(text)) > 0);
		assert(!strncmp(text, "yes", 3));
	}
	close(fd);
	return answer;
}

static void *one(void *arg)
{
	got[0] = ask_by_datagram();
	return arg;
}

static void *two(void *arg)
{
	got[1] = ask_by_datagram();
	return arg;
}

int main(int argc, char **argv)
{
	telling_back = argc > 1 && !strcmp(argv[1], "token");
	both(one, two);
	assert((got[0] == got[1]) == (argc > 1 && !strcmp(argv[1], "same")));
	return 0;
}
