/*
 * Large answers and large requests: more than any buffer on the way holds, and than one request of ours carries.
 *
 * heddle: verdict=verified connections=1 server="@peer listen {port:7000} line big:200000 loop" args="answer 200000"
 * heddle: verdict=verified connections=1 server="@peer listen {port:7000} line big:3000000 loop" args="answer 3000000"
 * heddle: verdict=verified connections=1 server="@peer listen {port:7000} take:200000 send:%b~" args="request 200000"
 * heddle: verdict=verified cache=none server="@peer listen {port:7000} take:200000 send:%b~" args="request 200000"
 * heddle: verdict=verified connections=1 server="@peer listen {port:7000} take:3000000 send:%b~" args="request 3000000"
 */
#include "net.h"

static void ask_for(int fd, long n)
{
	static char piece[65536];
	say(fd, "all of it\n");
	for (long got; n; n -= got) {
		got = read(fd, piece, sizeof(piece));
		CHECK(got > 0 && got <= n);
		CHECK(piece[0] == '.' || piece[0] == '\n');
	}
}

static void give(int fd, long n)
{
	char *all = malloc((size_t)n), answer[16];
	memset(all, 'x', (size_t)n);
	for (long done = 0, sent; done < n; done += sent) {
		sent = write(fd, all + done, (size_t)(n - done));
		CHECK(sent > 0);
	}
	free(all);
	CHECK(hear_line(fd, answer, sizeof(answer)) && atol(answer) == n);
}

int main(int argc, char **argv)
{
	int fd = dial(PORT);
	if (argc != 3)
		return 2;
	if (story(argc, argv, "answer"))
		ask_for(fd, atol(argv[2]));
	else
		give(fd, atol(argv[2]));
	OK(close(fd));
	return 0;
}
