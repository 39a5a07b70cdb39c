/*
 * late_lookup.c: one thread reads from a descriptor, another closes or replaces it: the read finds the old file, the
 * new one, or none; and a read that has found the old one goes on with it, after the other thread's next steps, too. If
 * nothing comes there, it waits for ever: a close wakes nobody, neither in read nor in accept. A thread that is cancelled
 * lets it go before its cleanup handlers run.
 *
 * heddle: verdict=verified args=replace outcomes=1,2
 * heddle: verdict=verified args=close outcomes=1,9
 * heddle: verdict=verified args=held outcomes=3,9
 * heddle: verdict=verified args=back outcomes=1,2
 * heddle: verdict=verified args=replace outcomes=1,2 options="--strategy bfs --sanity 2"
 * heddle: verdict=verified args=held outcomes=3,9 options="--sanity 3"
 * heddle: verdict=violation kind=deadlock args=stuck outcomes=9 options=--keep-going
 * heddle: verdict=violation kind=deadlock args=accept outcomes=9 options=--keep-going
 * heddle: verdict=violation kind=deadlock args=accept options="--strategy bfs --sanity 3"
 * heddle: verdict=verified args=shutdown outcomes=9,22
 * heddle: verdict=verified args=cancel outcomes=0
 * native: args=cancel
 * native: args=replace
 * native: args=close
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#include "guest.h"

static int first[2], second[2];

/* 1, 2 or 3: what was read; 9: no such descriptor. */
static void *reader(void *arg)
{
	char c = 0;
	if (read(first[0], &c, 1) == 1)
		return (void *)(long)c;
	CHECK(errno == EBADF);
	(void)arg;
	return (void *)9;
}

static void *replace(void *arg)
{
	CHECK(dup2(second[0], first[0]) == first[0]);
	return arg;
}

static void *close_it(void *arg)
{
	OK(close(first[0]));
	return arg;
}

/* What comes on the old file is sent after the close: whoever reads it has held the file. */
static void *close_and_send(void *arg)
{
	char c = 3;
	OK(close(first[0]));
	write(first[1], &c, 1);
	return arg;
}

static void *there_and_back(void *arg)
{
	int old = dup(first[0]);
	CHECK(dup2(second[0], first[0]) == first[0]);
	CHECK(dup2(old, first[0]) == first[0]);
	return arg;
}

static int listener;

static void *acceptor(void *arg)
{
	CHECK(accept(listener, NULL, NULL) == -1 && (errno == EBADF || errno == EINVAL));
	(void)arg;
	return (void *)(long)errno;
}

/* How not to stop a thread that accepts; and how. */
static void *stop(void *how)
{
	if (how)
		OK(shutdown(listener, SHUT_RDWR));
	OK(close(listener));
	return NULL;
}

static void stop_acceptor(bool well)
{
	pthread_t a, b;
	void *got;
	listener = socket(AF_INET, SOCK_STREAM, 0);
	OK(listen(listener, 1));
	OK(pthread_create(&a, NULL, acceptor, NULL));
	OK(pthread_create(&b, NULL, stop, well ? &listener : NULL));
	OK(pthread_join(b, NULL));
	OK(pthread_join(a, &got));
	heddle_outcome((long)got);
	exit(0);
}

static sem_t seen;

static void wait_for_partner(void *arg)
{
	(void)arg;
	OK(sem_wait(&seen));
}

static void *cancelled_reader(void *arg)
{
	char c;
	pthread_cleanup_push(wait_for_partner, NULL);
	CHECK(read(first[0], &c, 1) <= 0);
	pthread_cleanup_pop(1);
	return arg;
}

/* The last descriptor is closed: the partner sees the end, although a thread that was reading still runs its handlers. */
static void close_while_handlers_run(void)
{
	char c;
	OK(socketpair(AF_UNIX, SOCK_STREAM, 0, first));
	OK(sem_init(&seen, 0, 0));
	pthread_t a = spawn(cancelled_reader, NULL);
	OK(pthread_cancel(a));
	OK(close(first[0]));
	heddle_outcome(read(first[1], &c, 1));
	OK(sem_post(&seen));
	join(a);
	exit(0);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	void *(*other)(void *) = !strcmp(how, "replace") ? replace
				 : !strcmp(how, "close") ? close_it
				 : !strcmp(how, "stuck") ? close_it
				 : !strcmp(how, "held")  ? close_and_send
							 : there_and_back;
	if (!strcmp(how, "accept") || !strcmp(how, "shutdown"))
		stop_acceptor(how[0] == 's');
	if (!strcmp(how, "cancel"))
		close_while_handlers_run();
	signal(SIGPIPE, SIG_IGN);
	OK(socketpair(AF_UNIX, SOCK_STREAM, 0, first));
	OK(socketpair(AF_UNIX, SOCK_STREAM, 0, second));
	if (other != close_and_send && strcmp(how, "stuck") != 0)
		CHECK(write(first[1], "\1", 1) == 1);
	CHECK(write(second[1], "\2", 1) == 1);
	pthread_t a, b;
	void *got;
	OK(pthread_create(&a, NULL, reader, NULL));
	OK(pthread_create(&b, NULL, other, NULL));
	OK(pthread_join(a, &got));
	OK(pthread_join(b, NULL));
	heddle_outcome((long)got);
	return 0;
}
