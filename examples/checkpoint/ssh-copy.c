/*
 * ssh-copy.c: copies a text to an SSH server: ssh-copy PORT USER PASSWORD TARGET
 *
 * Two threads, as scpto has them: the session thread connects, exchanges keys, logs in and opens the channel; the main
 * thread hands the text over block by block and, at the end, says that it was all. The session is libssh2's.
 *
 * -DABSTRACT: the session is abstract (abstract_ssh.h).
 * -DFAULT: the defect of scpto: the main thread does not wait until the session thread has come so far, and runs
 * ahead of it: it says that all was handed over before there is a channel.
 */
#undef NDEBUG
#include <arpa/inet.h>
#include <assert.h>
#ifdef ABSTRACT
#include "abstract_ssh.h"
#else
#include <libssh2.h>
#endif
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BLOCKS 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static LIBSSH2_CHANNEL *channel; /* by the session thread, when it is open */
static const char *block;        /* handed over; NULL: taken */
static int finished;             /* no further block comes */
static int copied;

struct account {
	int port;
	const char *user, *password, *target;
};

static void fail(const char *what)
{
	fprintf(stderr, "ssh-copy: %s\n", what);
	exit(1);
}

static int dial(int port)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_port = htons((uint16_t)port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(fd, (struct sockaddr *)&at, sizeof(at)))
		fail("no connection");
	return fd;
}

static LIBSSH2_SESSION *log_in(int fd, const struct account *a)
{
	LIBSSH2_SESSION *session = libssh2_session_init();
	libssh2_session_method_pref(session, LIBSSH2_METHOD_KEX,
				    "curve25519-sha256,diffie-hellman-group14-sha256");
	libssh2_session_method_pref(session, LIBSSH2_METHOD_COMP_CS, "none");
	if (libssh2_session_handshake(session, fd))
		fail("no session");
	if (libssh2_userauth_password(session, a->user, a->password))
		fail("login refused");
	return session;
}

/* Takes block after block until there are no more. */
static void send_blocks(void)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		while (!block && !finished)
			pthread_cond_wait(&changed, &lock);
		const char *text = block;
		pthread_mutex_unlock(&lock);
		if (!text)
			return;
		if (libssh2_channel_write(channel, text, strlen(text)) < 0)
			fail("the server takes no more");
		pthread_mutex_lock(&lock);
		block = NULL;
		copied++;
		pthread_cond_signal(&changed);
		pthread_mutex_unlock(&lock);
	}
}

static void *session_thread(void *arg)
{
	const struct account *a = arg;
	char command[200];
	int fd = dial(a->port);
	LIBSSH2_SESSION *session = log_in(fd, a);
	LIBSSH2_CHANNEL *opened = libssh2_channel_open_session(session);
	snprintf(command, sizeof(command), "cat >%s", a->target);
	if (!opened || libssh2_channel_exec(opened, command))
		fail("no channel");
	pthread_mutex_lock(&lock);
	channel = opened;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	send_blocks();
	libssh2_channel_send_eof(opened);
	libssh2_channel_wait_eof(opened);
	libssh2_channel_free(opened);
	libssh2_session_free(session);
	close(fd);
	return NULL;
}

static void hand_over(const char *text)
{
	pthread_mutex_lock(&lock);
#ifndef FAULT
	while (!channel || block)
		pthread_cond_wait(&changed, &lock);
#endif
	assert(channel && !block && "the channel is open, and the last block was taken");
	block = text;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
}

static void finish(void)
{
	pthread_mutex_lock(&lock);
	while (block)
		pthread_cond_wait(&changed, &lock);
	finished = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
}

int main(int argc, char **argv)
{
	static const char *const text[BLOCKS] = {"warp and weft\n", "heddle and reed\n"};
	pthread_t session;
	if (argc != 5)
		fail("usage: ssh-copy PORT USER PASSWORD TARGET");
	struct account a = {atoi(argv[1]), argv[2], argv[3], argv[4]};
	libssh2_init(0);
	pthread_create(&session, NULL, session_thread, &a);
	for (int i = 0; i < BLOCKS; i++)
		hand_over(text[i]);
	finish();
	pthread_join(session, NULL);
	assert(copied == BLOCKS);
	libssh2_exit();
	return 0;
}
