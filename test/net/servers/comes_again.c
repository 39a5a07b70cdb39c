/*
 * Clients that connect once more when their first connection is over: one command after the other, one program
 * that opens several in a row, whoever closes first. Each connection is served, in every order with those of others.
 * What the client says on its second connection may depend on what it was told on its first.
 *
 * heddle: verdict=verified outcomes=2 args="2" clients=1 client="@peer connect {port} send:a~ line; @peer connect {port} send:b~ line"
 * heddle: verdict=verified outcomes=3 args="3" clients=1 client="@peer connect {port} send:a~ line eof; sleep 0.1; @peer connect {port} send:b~ line; @peer connect {port} send:c~"
 * heddle: verdict=verified outcomes=2 args="2" clients=1 client="@peer connect {port} send:a~ line eof && @peer connect {port} send:b~ line eof"
 * heddle: verdict=verified outcomes=1 args="1" clients=1 client="@peer connect {port} send:a~ want:nonsense && @peer connect {port} send:b~ line"
 * heddle: verdict=violation kind=assert args="2 bug" clients=1 client="@peer connect {port} send:a~ line eof; @peer connect {port} send:bug~ line"
 * heddle: verdict=verified outcomes=3 args="3" clients=2 client1="@peer connect {port} send:a~ line eof; @peer connect {port} send:b~ line" client2="@peer connect {port} send:c~ line"
 * heddle: verdict=violation kind=assert args="3 bug" clients=2 client1="@peer connect {port} send:a~ line eof; @peer connect {port} send:bug~ line" client2="@peer connect {port} send:c~ line"
 * heddle: verdict=verified outcomes=2 cache=linear args="2" clients=1 client="@peer connect {port} send:a~ line; @peer connect {port} send:b~ line"
 * heddle: verdict=verified outcomes=2 cache=none args="2" clients=1 client="@peer connect {port} send:a~ line; @peer connect {port} send:b~ line"
 * heddle: verdict=violation kind=assert cache=linear args="2 bug" clients=1 client="@peer connect {port} send:a~ line eof; @peer connect {port} send:bug~ line"
 * heddle: verdict=violation kind=assert cache=none args="2 bug" clients=1 client="@peer connect {port} send:a~ line eof; @peer connect {port} send:bug~ line"
 * heddle: verdict=verified outcomes=3 cache=linear args="3" clients=2 client1="@peer connect {port} send:a~ line eof; @peer connect {port} send:b~ line" client2="@peer connect {port} send:c~ line"
 * heddle: verdict=verified outcomes=3 cache=none args="3" clients=2 client1="@peer connect {port} send:a~ line eof; @peer connect {port} send:b~ line" client2="@peer connect {port} send:c~ line"
 * heddle: verdict=violation kind=assert cache=none args="3 bug" clients=2 client1="@peer connect {port} send:a~ line eof; @peer connect {port} send:bug~ line" client2="@peer connect {port} send:c~ line"
 * native: skip
 */
#include "net.h"

int main(int argc, char **argv)
{
	int listener = listen_on(PORT), served = 0, want = argc > 1 ? argv[1][0] - '0' : 0;
	int bug = argc > 2;
	for (; served < want; served++) {
		int fd = take_client(listener);
		char line[8];
		if (hear_line(fd, line, sizeof(line))) {
			CHECK(!bug || strcmp(line, "bug") != 0);
			say(fd, "thanks\n");
		}
		OK(close(fd));
	}
	heddle_outcome(served);
	return 0;
}
