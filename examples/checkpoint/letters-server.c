/*
 * Answers "K\n" by the K-th letter of the alphabet. Whether it writes capital or small letters on a connection is chance,
 * decided at its first question: a server that cannot be replayed.
 *
 *     letters-server PORT [fixed]         fixed: always small ones
 */
#include "../net/net.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

static char first_letter(bool fixed)
{
	unsigned char chance = 0;
	net_must(fixed || getrandom(&chance, 1, 0) == 1, "getrandom");
	return chance & 1 ? 'A' : 'a';
}

int main(int argc, char **argv)
{
	bool fixed = argc > 2 && strcmp(argv[2], "fixed") == 0;
	int listener = net_listen(net_arg(argc, argv, 1, 2626, 0, 65535));
	for (;;) {
		struct net_lines in = {.fd = net_accept(listener)};
		char line[LINE_ROOM] = "", first = 0;
		while (net_line(&in, line)) {
			int k = atoi(line);
			first = first ? first : first_letter(fixed);
			char answer[2] = {k >= 1 && k <= 26 ? (char)(first + k - 1) : '?', '\n'};
			if (!net_send(in.fd, answer, sizeof answer))
				break;
		}
		close(in.fd);
	}
}
