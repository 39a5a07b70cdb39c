/*
 * Two threads fetch a page each from a web server, over connections of their own, and check length and content.
 *
 * heddle: verdict=verified outcomes=12 server="@nginx {port:80} @tmp"
 * heddle: verdict=verified outcomes=12 cache=none server="@nginx {port:80} @tmp"
 * heddle: verdict=verified outcomes=12 server="@lighttpd {port:80} @tmp"
 * heddle: verdict=verified outcomes=12 server="busybox httpd -f -p 127.0.0.1:{port:80} -h @tmp/pages"
 */
#include "net.h"

static long got[2];

/* The length of the body, which must be what the header says. */
static long fetch(const char *path, char *body, size_t room)
{
	char answer[2048];
	size_t n = 0;
	int fd = dial(80);
	dprintf(fd, "GET %s HTTP/1.0\r\nHost: localhost\r\n\r\n", path);
	for (ssize_t r; (r = read(fd, answer + n, sizeof(answer) - 1 - n)) > 0;)
		n += (size_t)r;
	answer[n] = 0;
	OK(close(fd));
	CHECK(!strncmp(answer, "HTTP/1.", 7) && !strncmp(answer + 8, " 200", 4));
	char *length = strcasestr(answer, "content-length:"), *start = strstr(answer, "\r\n\r\n");
	CHECK(length && start && atol(length + 15) == (long)strlen(start + 4));
	snprintf(body, room, "%s", start + 4);
	return (long)strlen(body);
}

static void *reader(void *arg)
{
	char path[16], body[256];
	long number = (long)arg;
	snprintf(path, sizeof(path), "/%ld.txt", number);
	got[number - 1] = fetch(path, body, sizeof(body));
	CHECK(!strcmp(body, number == 1 ? "one\n" : "and two\n"));
	return NULL;
}

int main(void)
{
	pthread_t a = spawn(reader, (void *)1l), b = spawn(reader, (void *)2l);
	join(a);
	join(b);
	heddle_outcome(got[0] + got[1]);
	return 0;
}
