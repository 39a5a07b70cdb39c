/*
 * Two threads speak TLS by GnuTLS over blocking sockets, with a key that both ends know. `client`: each sends
 * a line and gets it back. `server`: a thread for each client gets a line and answers it.
 *
 * library: gnutls
 * heddle: verdict=verified outcomes=2 args=client options="--recheck 0" server="@tls-echo {port:4433} @tmp"
 * heddle: verdict=verified outcomes=2 args=server clients=2 client="@tls-say hello {port}"
 */
#include <gnutls/gnutls.h>

#include "net.h"

#define PRIORITY "NORMAL:-VERS-ALL:+VERS-TLS1.2:-KX-ALL:+PSK"

static unsigned char secret[] = {0x1a, 0x2b, 0x3c};
static gnutls_psk_client_credentials_t client_key;
static gnutls_psk_server_credentials_t server_key;
static int good;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static gnutls_session_t begin(int fd, unsigned side)
{
	gnutls_session_t s;
	OK(gnutls_init(&s, side));
	OK(gnutls_priority_set_direct(s, PRIORITY, NULL));
	void *key = side == GNUTLS_CLIENT ? (void *)client_key : (void *)server_key;
	OK(gnutls_credentials_set(s, GNUTLS_CRD_PSK, key));
	gnutls_transport_set_int(s, fd);
	OK(gnutls_handshake(s));
	return s;
}

static void end(gnutls_session_t s, int fd)
{
	gnutls_bye(s, GNUTLS_SHUT_WR);
	gnutls_deinit(s);
	OK(close(fd));
	OK(pthread_mutex_lock(&lock));
	good++;
	OK(pthread_mutex_unlock(&lock));
}

/* A line with its end, however it is cut. */
static void read_line(gnutls_session_t s, char *line, size_t room)
{
	size_t n = 0;
	do {
		ssize_t got = gnutls_record_recv(s, line + n, room - n - 1);
		CHECK(got > 0);
		n += (size_t)got;
	} while (line[n - 1] != '\n');
	line[n] = 0;
}

static void *ask(void *line)
{
	char answer[64];
	int fd = dial(4433);
	gnutls_session_t s = begin(fd, GNUTLS_CLIENT);
	CHECK(gnutls_record_send(s, line, strlen(line)) == (ssize_t)strlen(line));
	read_line(s, answer, sizeof(answer));
	CHECK(!strcmp(answer, line));
	end(s, fd);
	return NULL;
}

static void *serve(void *arg)
{
	char line[64];
	int fd = (int)(long)arg;
	gnutls_session_t s = begin(fd, GNUTLS_SERVER);
	read_line(s, line, sizeof(line));
	CHECK(gnutls_record_send(s, line, strlen(line)) == (ssize_t)strlen(line));
	end(s, fd);
	return NULL;
}

static int find_key(gnutls_session_t s, const char *name, gnutls_datum_t *key)
{
	(void)s;
	CHECK(!strcmp(name, "me"));
	key->size = sizeof(secret);
	key->data = gnutls_malloc(sizeof(secret));
	memcpy(key->data, secret, sizeof(secret));
	return 0;
}

static void be_client(void)
{
	const gnutls_datum_t key = {secret, sizeof(secret)};
	OK(gnutls_psk_allocate_client_credentials(&client_key));
	OK(gnutls_psk_set_client_credentials(client_key, "me", &key, GNUTLS_PSK_KEY_RAW));
	pthread_t a = spawn(ask, "hello\n"), b = spawn(ask, "world\n");
	join(a);
	join(b);
}

static void be_server(void)
{
	OK(gnutls_psk_allocate_server_credentials(&server_key));
	gnutls_psk_set_server_credentials_function(server_key, find_key);
	int listener = listen_on(4433);
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
