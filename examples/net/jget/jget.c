/*
 * Downloads one file in two ways at once: a main request asks for all of it, and PARTS threads ask
 * for a part each. They race: the main thread gives up its download as soon as the parts hold all bytes.
 *
 * The fault: it then looks how many threads are through, but a thread has still to say so after its bytes
 * were counted. The download is reported as incomplete, although every byte is there.
 *
 *     jget HOST PORT [PARTS]
 */
#include "../http.h"
#include "../net.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SIZE (sizeof HTTP_FILE - 1)
#define CHUNK 64 /* of the main download: the head and a part of the file */

static const char *host;
static int port, parts;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char file[SIZE + 1]; /* what the parts brought; each writes its own bytes */
static size_t received;     /* bytes in it */
static int through;         /* parts that are */

static int ask(const char *range)
{
	char request[2 * LINE_ROOM];
	int fd = net_connect(host, port);

	snprintf(request, sizeof request, "GET %s HTTP/1.0%s", HTTP_PATH, range);
	http_send(fd, request, "");
	return fd;
}

static void *part(void *arg)
{
	size_t i = (size_t)(long)arg, first = SIZE * i / (size_t)parts, end = SIZE * (i + 1) / (size_t)parts;
	struct http_message answer;
	char range[LINE_ROOM];
	int fd;

	snprintf(range, sizeof range, "\r\nRange: bytes=%zu-%zu", first, end - 1);
	fd = ask(range);
	http_receive(fd, &answer);
	assert(http_status(&answer) == 206 && answer.body == end - first);
	memcpy(file + first, http_body(&answer), answer.body);
	pthread_mutex_lock(&lock);
	received += answer.body;
	pthread_mutex_unlock(&lock);
	close(fd);
	pthread_mutex_lock(&lock);
	through++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static bool parts_hold_all(void)
{
	bool all;

	pthread_mutex_lock(&lock);
	all = received == SIZE;
	pthread_mutex_unlock(&lock);
	return all;
}

/* true: *whole has all of the file; false: the parts were faster. */
static bool download(struct http_message *whole)
{
	int fd = ask("");
	enum http_state state;

	memset(whole, 0, sizeof *whole);
	do {
		state = http_receive_some(fd, whole, CHUNK);
	} while (state == HTTP_MORE && !parts_hold_all());
	close(fd);
	return state == HTTP_DONE;
}

static bool parts_are_through(const pthread_t *threads)
{
	bool all;

	if (!FAULT)
		net_join_all(threads, parts);
	pthread_mutex_lock(&lock);
	all = through == parts;
	pthread_mutex_unlock(&lock);
	if (FAULT)
		net_join_all(threads, parts);
	return all;
}

int main(int argc, char **argv)
{
	pthread_t threads[MAX_THREADS];
	struct http_message whole;
	bool main_first, parts_done;

	host = argc > 1 ? argv[1] : "127.0.0.1";
	port = net_arg(argc, argv, 2, 8080, 1, 65535);
	parts = net_arg(argc, argv, 3, 2, 1, SIZE);
	for (int i = 0; i < parts; i++)
		threads[i] = net_start(part, i);
	main_first = download(&whole);
	parts_done = parts_are_through(threads);
	if (main_first)
		assert(!strcmp(http_body(&whole), HTTP_FILE));
	else
		assert(!strcmp(file, HTTP_FILE));
	printf("%s: %s\n", HTTP_PATH, main_first || parts_done ? "complete" : "incomplete");
	assert(main_first || parts_done);
	return 0;
}
