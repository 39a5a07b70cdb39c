/*
 * http.h: as much of HTTP as the programs of this folder need. A message is a head, a blank line
 * and, if the head has a Content-Length, as many bytes; all of it has to fit into HTTP_ROOM.
 */
#ifndef EXAMPLES_HTTP_H
#define EXAMPLES_HTTP_H

#include <stdbool.h>
#include <stddef.h>

#define HTTP_ROOM 512

/* What the server has for everybody who asks for /alphabet. */
#define HTTP_PATH "/alphabet"
#define HTTP_FILE "abcdefghijklmnopqrstuvwxyz0123456789"

struct http_message {
	size_t len, head,
		body; /* bytes received; of the head with its blank line and of the body: 0 if unknown */
	char text[HTTP_ROOM]; /* ends with a zero */
};

enum http_state { HTTP_ENDED = -1, HTTP_MORE, HTTP_DONE };

/* One read of at most `most` bytes, added to *m. HTTP_ENDED: the other side has said all it will. */
enum http_state http_receive_some(int fd, struct http_message *m, size_t most);
/* A whole message, one after the other. Not HTTP_DONE: HTTP_ENDED. */
enum http_state http_receive(int fd, struct http_message *m);
/* One message in one write. `start` is its first line; further header lines, each with "\r\n", may follow. */
bool http_send(int fd, const char *start, const char *body);
/* The status of an answer; -1: it is none. */
int http_status(const struct http_message *m);
/* What stands behind "NAME: " in the head, or NULL. */
const char *http_header(const struct http_message *m, const char *name);

static inline const char *http_body(const struct http_message *m)
{
	return m->text + m->head;
}

#endif
