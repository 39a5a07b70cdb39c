/*
 * Clients that do not come: a command that does not exist, one that ends without connecting, one that goes elsewhere, one
 * that never connects.
 *
 * heddle: exit=2 error~="no-such-command|not found" clients=1 client="no-such-command {port}"
 * heddle: exit=2 error~="without connecting|did not connect|never connected" clients=1 client="true {port}"
 * heddle: exit=2 error~="lost my way" clients=1 client="echo lost my way {port}; exit 4"
 * heddle: verdict=incomplete text~="did not connect" clients=1 client="sleep 1000; : {port}" options="--peer-timeout 1s"
 * heddle: verdict=incomplete text~="did not connect" clients=1 client="exec cat /dev/zero > /dev/null; : {port}" options="--peer-timeout 1s"
 * heddle: exit=2 error~="client" clients=3
 * heddle: verdict=incomplete outcomes=1 text~="waits for clients, and there never is one.*--allow-trivial"
 * heddle: verdict=verified outcomes=1 options="--allow-trivial"
 * heddle: verdict=verified clients=1 client="@peer connect {port} send:x~ & exec @peer connect {port} send:y~ eof"
 * native: skip
 */
#include "net.h"

int main(void)
{
	int listener = listen_on(PORT);
	heddle_outcome(1);
	int fd = take_client(listener);
	char line[8];
	hear_line(fd, line, sizeof(line));
	say(fd, "hello\n");
	return 0;
}
