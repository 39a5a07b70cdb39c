/*
 * Two threads speak TLS by OpenSSL over blocking sockets, with a key that both ends know; they share the SSL_CTX,
 * as its documentation allows. `client`: each sends a line and gets it back. `server`: a thread for each client gets
 * a line and answers it. The first conversation is held before there are threads: OpenSSL fetches what it needs
 * then, under thousands of locks.
 *
 * library: openssl
 * heddle: slow verdict=verified outcomes=3 args=client options="--recheck 0" server="@tls-echo {port:4433} @tmp"
 * heddle: slow verdict=verified outcomes=3 args=server clients=3 client="@tls-say hello {port}"
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <sys/random.h>

#include "net.h"

#define SECRET "\x1a\x2b\x3c"

static SSL_CTX *context;
static int good;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static SSL *begin(int fd, int (*handshake)(SSL *))
{
	SSL *s = SSL_new(context);
	CHECK(s && SSL_set_fd(s, fd) == 1);
	CHECK(handshake(s) == 1);
	return s;
}

static void end(SSL *s, int fd)
{
	SSL_shutdown(s);
	SSL_free(s);
	OK(close(fd));
	OK(pthread_mutex_lock(&lock));
	good++;
	OK(pthread_mutex_unlock(&lock));
}

/* A line with its end, however it is cut. */
static void read_line(SSL *s, char *line, int room)
{
	int n = 0;
	do {
		int got = SSL_read(s, line + n, room - n - 1);
		CHECK(got > 0);
		n += got;
	} while (line[n - 1] != '\n');
	line[n] = 0;
}

static void *ask(void *line)
{
	char answer[64];
	int fd = dial(4433);
	SSL *s = begin(fd, SSL_connect);
	CHECK(SSL_write(s, line, (int)strlen(line)) == (int)strlen(line));
	read_line(s, answer, sizeof(answer));
	CHECK(!strcmp(answer, line));
	end(s, fd);
	return NULL;
}

static void *serve(void *arg)
{
	char line[64];
	int fd = (int)(long)arg;
	SSL *s = begin(fd, SSL_accept);
	read_line(s, line, sizeof(line));
	CHECK(SSL_write(s, line, (int)strlen(line)) == (int)strlen(line));
	end(s, fd);
	return NULL;
}

static unsigned client_key(SSL *s, const char *hint, char *identity, unsigned room, unsigned char *key,
			   unsigned key_room)
{
	(void)s, (void)hint;
	CHECK(snprintf(identity, room, "me") == 2 && key_room >= sizeof(SECRET) - 1);
	memcpy(key, SECRET, sizeof(SECRET) - 1);
	return sizeof(SECRET) - 1;
}

static unsigned server_key(SSL *s, const char *identity, unsigned char *key, unsigned key_room)
{
	(void)s;
	CHECK(!strcmp(identity, "me") && key_room >= sizeof(SECRET) - 1);
	memcpy(key, SECRET, sizeof(SECRET) - 1);
	return sizeof(SECRET) - 1;
}

/* OpenSSL's own generators share a parent: what a thread draws would depend on who drew before. */
static int draw(unsigned char *to, int n)
{
	return getrandom(to, (size_t)n, 0) == n;
}

static int always_ready(void)
{
	return 1;
}

static void prepare(const SSL_METHOD *method)
{
	static const RAND_METHOD of_each_thread = {.bytes = draw, .pseudorand = draw, .status = always_ready};
	CHECK(RAND_set_rand_method(&of_each_thread) == 1);
	context = SSL_CTX_new(method);
	CHECK(context && SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION) == 1);
	CHECK(SSL_CTX_set_cipher_list(context, "PSK-AES128-GCM-SHA256") == 1);
	SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
	SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
}

static void be_client(void)
{
	prepare(TLS_client_method());
	SSL_CTX_set_psk_client_callback(context, client_key);
	ask("first\n");
	pthread_t a = spawn(ask, "hello\n"), b = spawn(ask, "world\n");
	join(a);
	join(b);
}

static void be_server(void)
{
	prepare(TLS_server_method());
	SSL_CTX_set_psk_server_callback(context, server_key);
	int listener = listen_on(4433);
	serve((void *)(long)take_client(listener));
	pthread_t a = spawn(serve, (void *)(long)take_client(listener));
	pthread_t b = spawn(serve, (void *)(long)take_client(listener));
	join(a);
	join(b);
}

int main(int argc, char **argv)
{
	CHECK(argc > 1);
	if (!strcmp(argv[1], "client"))
		be_client();
	else
		be_server();
	heddle_outcome(good);
	return 0;
}
