/*
 * Clients with different commands come in any order, those with the same command in that of their numbers.
 *
 * heddle: verdict=verified outcomes=12,21 clients=2 client1="@peer connect {port} send:1~" client2="@peer connect {port} send:2~"
 * heddle: verdict=verified outcomes=12 options="--client-order given" clients=2 client1="@peer connect {port} send:1~" client2="@peer connect {port} send:2~"
 * heddle: verdict=verified outcomes=12 clients=2 client="@peer connect {port} send:{n}~"
 * heddle: verdict=verified outcomes=12,21 options="--client-order any" clients=2 client="@peer connect {port} send:{n}~"
 * native: skip
 */
#include "net.h"

int main(void)
{
	int listener = listen_on(PORT), got = 0;
	for (int i = 0; i < 2; i++) {
		int fd = take_client(listener);
		char line[8];
		CHECK(hear_line(fd, line, sizeof(line)));
		got = got * 10 + atoi(line);
		OK(close(fd));
	}
	heddle_outcome(got);
	return 0;
}
