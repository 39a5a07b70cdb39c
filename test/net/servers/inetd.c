/*
 * The connection becomes standard input and output, as under inetd: printf and fgets talk to the client.
 *
 * heddle: verdict=verified outcomes=5 clients=1 client="@peer connect {port} want:name? send:peter~ want:5_letters"
 * heddle: verdict=verified outcomes=5 cache=none clients=1 client="@peer connect {port} want:name? send:peter~ want:5_letters"
 */
#include "net.h"

int main(void)
{
	char line[64];
	int listener = listen_on(PORT), fd = take_client(listener);
	CHECK(dup2(fd, 0) == 0 && dup2(fd, 1) == 1);
	OK(close(fd));
	OK(close(listener));
	printf("name?\n");
	fflush(stdout);
	CHECK(fgets(line, sizeof(line), stdin));
	int letters = (int)strcspn(line, "\n");
	printf("%d letters\n", letters);
	fflush(stdout);
	heddle_outcome(letters);
	return 0;
}
