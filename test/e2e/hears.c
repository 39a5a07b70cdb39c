/*
 * Takes two datagrams at port 7777 and sends each back. "order" is content with any order, "wrong" takes it for granted that
 * client 1 comes first.
 */
#include <arpa/inet.h>
#include <assert.h>
#include <string.h>
#include <sys/socket.h>

int main(int argc, char **argv)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(7777)};
	int s = socket(AF_INET, SOCK_DGRAM, 0);

	assert(argc == 2 && bind(s, (struct sockaddr *)&at, sizeof(at)) == 0);
	for (char want = '1'; want <= '2'; want++) {
		socklen_t len = sizeof(at);
		char letter;

		assert(recvfrom(s, &letter, 1, 0, (struct sockaddr *)&at, &len) == 1);
		assert(strcmp(argv[1], "wrong") || letter == want);
		sendto(s, &letter, 1, 0, (struct sockaddr *)&at, len);
	}
	return 0;
}
