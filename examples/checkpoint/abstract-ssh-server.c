/*
 * An SSH server of which only the order of its acts is left (abstract_ssh.h). What comes out of order is answered by "no".
 *
 *     abstract-ssh-server PORT
 */
#include "../net/net.h"

#include <string.h>
#include <unistd.h>

static bool follows(const char *line, int *at)
{
	static const char *const order[] = {"version\n", "keys\n", "login\n", "channel\n",
					    "exec\n",    "data\n", "eof\n",   "close\n"};
	int n = (int)(sizeof order / sizeof order[0]), which = 0;
	while (which < n && strcmp(order[which], line) != 0)
		which++;
	bool more_data = *at == 6 && which == 5, fine = which < n && (which == *at || more_data);
	if (fine)
		*at = which + 1;
	return fine;
}

int main(int argc, char **argv)
{
	int listener = net_listen(net_arg(argc, argv, 1, 22, 0, 65535));
	for (;;) {
		struct net_lines in = {.fd = net_accept(listener)};
		char line[LINE_ROOM] = "";
		int at = 0;
		for (size_t n; (n = net_line(&in, line));) {
			line[n] = 0;
			if (!net_send(in.fd, follows(line, &at) ? "ok\n" : "no\n", 3))
				break;
		}
		close(in.fd);
	}
}
