/*
 * stdio on a connection: fdopen, fprintf, fgets; dprintf on the descriptor itself.
 *
 * heddle: verdict=verified connections=2 server="@peer listen {port:7000} send:220_ready~ line send:%n:_%l~ line send:%n:_%l~"
 */
#include "net.h"

static void *session(void *arg)
{
	char line[64];
	int fd = dial(PORT);
	FILE *in = fdopen(fd, "r"), *out = fdopen(dup(fd), "w");
	CHECK(in && out);
	CHECK(fgets(line, sizeof(line), in) && !strcmp(line, "220 ready\n"));
	fprintf(out, "USER %d\n", 7);
	fflush(out);
	CHECK(fgets(line, sizeof(line), in) && !strcmp(line, "1: USER 7\n"));
	dprintf(fd, "QUIT %s\n", "now");
	CHECK(fgets(line, sizeof(line), in) && !strcmp(line, "2: QUIT now\n"));
	CHECK(!fgets(line, sizeof(line), in) && feof(in));
	OK(fclose(in));
	OK(fclose(out));
	return arg;
}

int main(void)
{
	pthread_t t = spawn(session, NULL);
	session(NULL);
	join(t);
	return 0;
}
