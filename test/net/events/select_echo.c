/*
 * select_echo.c: select() over blocking sockets. Read says how much there is; nobody waits in a read.
 *
 * heddle: verdict=verified clients=2 client="@peer connect {port} send:{n}~ want:{n}"
 */
#include "event.h"

int main(void)
{
	int listener = listen_on(PORT), top = listener;
	fd_set all;
	FD_ZERO(&all);
	FD_SET(listener, &all);
	for (;;) {
		fd_set ready = all;
		CHECK(select(top + 1, &ready, NULL, NULL, NULL) > 0);
		for (int fd = 0; fd <= top; fd++) {
			char text[16];
			if (!FD_ISSET(fd, &ready))
				continue;
			if (fd == listener) {
				int c = take_client(listener);
				FD_SET(c, &all);
				top = c > top ? c : top;
				continue;
			}
			ssize_t n = read(fd, text, sizeof(text));
			CHECK(n >= 0);
			if (n > 0) {
				CHECK(write(fd, text, (size_t)n) == n);
				continue;
			}
			OK(close(fd));
			FD_CLR(fd, &all);
		}
	}
}
