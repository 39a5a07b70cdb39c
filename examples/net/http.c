/* See http.h. */
#include "http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "net.h"

const char *http_header(const struct http_message *m, const char *name)
{
	char wanted[LINE_ROOM];
	const char *at;

	snprintf(wanted, sizeof wanted, "\r\n%s: ", name);
	at = strstr(m->text, wanted);
	return at && (size_t)(at - m->text) < m->head ? at + strlen(wanted) : NULL;
}

static void find_head(struct http_message *m)
{
	const char *blank = strstr(m->text, "\r\n\r\n"), *length;

	if (!blank)
		return;
	m->head = (size_t)(blank + 4 - m->text);
	length = http_header(m, "Content-Length");
	m->body = length ? strtoul(length, NULL, 10) : 0;
}

enum http_state http_receive_some(int fd, struct http_message *m, size_t most)
{
	size_t room = HTTP_ROOM - 1 - m->len;
	ssize_t n = read(fd, m->text + m->len, most < room ? most : room);

	if (n <= 0)
		return HTTP_ENDED;
	m->len += (size_t)n;
	if (!m->head)
		find_head(m);
	return m->head && m->len >= m->head + m->body ? HTTP_DONE : HTTP_MORE;
}

enum http_state http_receive(int fd, struct http_message *m)
{
	enum http_state state;

	memset(m, 0, sizeof *m);
	do {
		state = http_receive_some(fd, m, HTTP_ROOM);
	} while (state == HTTP_MORE);
	return state;
}

bool http_send(int fd, const char *start, const char *body)
{
	char message[HTTP_ROOM];
	int len = snprintf(message, sizeof message, "%s\r\nContent-Length: %zu\r\n\r\n%s", start,
			   strlen(body), body);

	assert(len > 0 && len < HTTP_ROOM);
	return net_send(fd, message, (size_t)len);
}

int http_status(const struct http_message *m)
{
	int status;

	return sscanf(m->text, "HTTP/1.%*d %d", &status) == 1 ? status : -1;
}
