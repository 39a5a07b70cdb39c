/*
 * A server that never waits: accept, read and write are tried until they succeed. An attempt that fails leads back
 * to the state before it, so it costs nothing; and each can fail, whenever the client comes and speaks.
 *
 * heddle: verdict=verified states=9 outcomes=0,1,10,11 client="@peer connect {port} send:ab~ want:ok"
 * heddle: verdict=verified outcomes=0,1,10,11 cache=none client="@peer connect {port} send:ab~ want:ok"
 * heddle: verdict=verified outcomes=0 options="--accept always --read always" client="@peer connect {port} send:ab~ want:ok"
 * heddle: verdict=verified outcomes=0,1,10,11,100,101,110,111 options="--short-io on" client="@peer connect {port} send:ab~ want:ok"
 * heddle: verdict=bounded outcomes=0,1,10,11 options="--retries 1" client="@peer connect {port} send:ab~ want:ok"
 * native: @peer connect {port} send:ab~ want:ok
 */
#include <fcntl.h>

#include "net.h"

int main(void)
{
	char text[16];
	int listener = listen_on(PORT), s, late_client = 0, late_data = 0, in_parts = 0;
	size_t got = 0;
	OK(fcntl(listener, F_SETFL, O_NONBLOCK));
	while ((s = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) < 0) {
		CHECK(errno == EAGAIN);
		late_client = 1;
	}
	while (got < 3) {
		ssize_t n = read(s, text + got, sizeof(text) - got);
		CHECK(n > 0 || errno == EAGAIN);
		late_data |= n < 0 && !got;
		in_parts |= n > 0 && n < 3;
		got += n > 0 ? (size_t)n : 0;
	}
	CHECK(!memcmp(text, "ab\n", 3));
	for (size_t sent = 0; sent < 3;) {
		ssize_t n = write(s, "ok\n" + sent, 3 - sent);
		CHECK(n > 0 || errno == EAGAIN);
		sent += n > 0 ? (size_t)n : 0;
	}
	heddle_outcome(late_client + 10 * late_data + 100 * in_parts);
	OK(close(s));
	return 0;
}
