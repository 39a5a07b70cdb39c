/*
 * A web server of libmicrohttpd, in its three shapes: one thread with poll, one with epoll, a thread for each connection.
 * It never ends by itself.
 *
 * library: libmicrohttpd
 * heddle: verdict=verified args=poll options="--timeouts never" clients=2 client="printf 'GET / HTTP/1.0\r\n\r\n' | nc -N 127.0.0.1 {port}"
 * heddle: verdict=verified args=epoll options="--timeouts never" clients=2 client="printf 'GET / HTTP/1.0\r\n\r\n' | nc -N 127.0.0.1 {port}"
 * heddle: verdict=verified args=threads options="--timeouts never" clients=2 client="printf 'GET / HTTP/1.0\r\n\r\n' | nc -N 127.0.0.1 {port}"
 * native: skip
 */
#include <microhttpd.h>

#include "net.h"

static enum MHD_Result answer(void *unused, struct MHD_Connection *c, const char *url, const char *method,
			      const char *version, const char *data, size_t *size, void **own)
{
	(void)unused, (void)method, (void)version, (void)data, (void)size, (void)own;
	CHECK(!strcmp(url, "/"));
	struct MHD_Response *r = MHD_create_response_from_buffer(3, (void *)"ok\n", MHD_RESPMEM_PERSISTENT);
	enum MHD_Result done = MHD_queue_response(c, MHD_HTTP_OK, r);
	MHD_destroy_response(r);
	return done;
}

int main(int argc, char **argv)
{
	unsigned how = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL;
	if (story(argc, argv, "epoll"))
		how = MHD_USE_EPOLL_INTERNAL_THREAD;
	else if (story(argc, argv, "threads"))
		how = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION;
	CHECK(MHD_start_daemon(how, PORT, NULL, NULL, answer, NULL, MHD_OPTION_END));
	for (;;)
		pause();
}
