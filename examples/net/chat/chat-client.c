/*
 * Says one line, listens to LINES lines, and leaves. With a NAME it says who it is.
 *
 *     chat-client HOST PORT [LINES [NAME]]
 */
#include "../net.h"

#include <stdio.h>

int main(int argc, char **argv)
{
	int lines = net_arg(argc, argv, 3, 1, 0, 1000);
	FILE *server = fdopen(
		net_connect(argc > 1 ? argv[1] : "127.0.0.1", net_arg(argc, argv, 2, 4444, 1, 65535)), "r+");
	char line[LINE_ROOM];

	net_must(server, "fdopen");
	fprintf(server, "%s%shello\n", argc > 4 ? argv[4] : "", argc > 4 ? ": " : "");
	fflush(server);
	while (lines > 0 && fgets(line, sizeof line, server)) {
		fputs(line, stdout);
		lines--;
	}
	fclose(server);
	return lines ? 1 : 0;
}
