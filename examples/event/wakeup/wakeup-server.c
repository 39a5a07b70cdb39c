/*
 * An event loop that leaves the work to a thread: it reads the requests of an alphabet client, the worker
 * finds the letters, puts them into a list and wakes the loop by an eventfd; the loop sends them.
 *
 *     wakeup-server [PORT [CLIENTS]]        ends when CLIENTS have come and gone
 *
 * The faulty version empties the eventfd after it has taken the results: a result that comes in between is
 * not sent, and nobody wakes the loop for it.
 */
#include "../event.h"

#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#define LISTENER (-1)
#define WAKE (-2)

/* What the loop and the worker share: numbers to find letters for (0: none), and letters found. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static int asked[MAX_CONNECTIONS];
static char found[MAX_CONNECTIONS];
static bool over;

static struct alphabet connection[MAX_CONNECTIONS];
static int set, wake, count;

static int next_request(void)
{
	for (int i = 0; i < MAX_CONNECTIONS; i++)
		if (asked[i])
			return i;
	return -1;
}

static void *find_letters(void *arg)
{
	uint64_t one = 1;

	pthread_mutex_lock(&lock);
	while (!over) {
		int i = next_request();

		if (i < 0) {
			pthread_cond_wait(&work, &lock);
			continue;
		}
		found[i] = alphabet_letter(asked[i]);
		asked[i] = 0;
		pthread_mutex_unlock(&lock);
		net_must(write(wake, &one, sizeof one) == sizeof one, "write");
		pthread_mutex_lock(&lock);
	}
	pthread_mutex_unlock(&lock);
	return arg;
}

static void watch(int fd, int index)
{
	struct epoll_event e = {.events = EPOLLIN, .data.u32 = (unsigned)index};

	net_must(epoll_ctl(set, EPOLL_CTL_ADD, fd, &e) == 0, "epoll_ctl");
}

/* false: the client has left. */
static bool read_request(int i)
{
	struct alphabet *a = &connection[i];
	ssize_t n = read(a->fd, a->request + a->in, sizeof a->request - 1 - a->in);

	if (n < 0)
		return event_again();
	if (n == 0)
		return false;
	a->in += (size_t)n;
	if (a->request[a->in - 1] != '\n')
		return true;
	pthread_mutex_lock(&lock);
	asked[i] = atoi(a->request);
	pthread_cond_signal(&work);
	pthread_mutex_unlock(&lock);
	memset(a->request, 0, sizeof a->request);
	a->in = 0;
	return true;
}

static void empty(int fd)
{
	uint64_t n;

	net_must(read(fd, &n, sizeof n) == sizeof n || event_again(), "read");
}

static void send_results(void)
{
	char letter[MAX_CONNECTIONS];

	if (!FAULT)
		empty(wake);
	pthread_mutex_lock(&lock);
	memcpy(letter, found, sizeof letter);
	memset(found, 0, sizeof found);
	pthread_mutex_unlock(&lock);
	if (FAULT)
		empty(wake);
	for (int i = 0; i < count; i++) {
		char answer[2] = {letter[i], '\n'};

		if (letter[i]) /* who has left meanwhile gets none */
			net_must(send(connection[i].fd, answer, 2, MSG_NOSIGNAL) == 2 || !event_again(),
				 "send");
	}
	memset(letter, 0, sizeof letter);
}

int main(int argc, char **argv)
{
	int listener = net_listen(net_arg(argc, argv, 1, 2626, 0, 65535));
	int left = net_arg(argc, argv, 2, 1, 1, MAX_CONNECTIONS);
	pthread_t worker;

	event_nonblocking(listener);
	set = epoll_create1(0);
	wake = eventfd(0, EFD_NONBLOCK);
	watch(listener, LISTENER);
	watch(wake, WAKE);
	worker = net_start(find_letters, 0);
	while (left) {
		struct epoll_event e = {0};

		net_must(epoll_wait(set, &e, 1, -1) == 1, "epoll_wait");
		int i = (int)e.data.u32;
		if (i == LISTENER) {
			connection[count].fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
			net_must(connection[count].fd >= 0, "accept");
			watch(connection[count].fd, count);
			count++;
		} else if (i == WAKE) {
			send_results();
		} else if (!read_request(i)) {
			close(connection[i].fd);
			left--;
		}
	}
	pthread_mutex_lock(&lock);
	over = true;
	pthread_cond_signal(&work);
	pthread_mutex_unlock(&lock);
	pthread_join(worker, NULL);
	return 0;
}
