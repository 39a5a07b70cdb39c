/* A client that tosses a coin and tells the server at this port: coin PORT. */
#include "program.h"
#include <sys/random.h>

int main(int argc, char **argv)
{
	unsigned char toss = 0;
	int fd = argc > 1 ? dial_port(atoi(argv[1])) : -1;
	if (fd < 0 || getrandom(&toss, 1, 0) != 1)
		return 1;
	say(fd, toss % 2 ? "heads" : "tails");
	return 0;
}
