/*
 * Says one line, listens to LINES lines, and leaves. With a NAME it says who it is.
 *
 *     chat-client HOST PORT [LINES [NAME]]
 */
#include "../net.h"

#include <stdio.h>

int main(int argc, char **argv)
{
	const char *host = argc > 1 ? argv[1] : "127.0.0.1";
	int port = net_arg(argc, argv, 2, 4444, 1, 65535), lines = net_arg(argc, argv, 3, 1, 0, 1000);
	FILE *server = fdopen(net_connect(host, port), "r+");
	char line[LINE_ROOM];

	net_must(server, "fdopen");
	if (argc > 4)
		fprintf(server, "%s: ", argv[4]);
	fputs("hello\n", server);
	fflush(server);
	while (lines > 0 && fgets(line, sizeof line, server)) {
		fputs(line, stdout);
		lines--;
	}
	fclose(server);
	return lines ? 1 : 0;
}
