/*
 * interrupted.c: a signal from another thread comes while the main thread waits for what a client has sent. That may be
 * on its way still, and then the call fails with EINTR: not where it has been seen to be there, nor with SA_RESTART.
 *
 * heddle: verdict=verified args=poll:1 client="@peer connect {port} send:x~" clients=1
 * heddle: verdict=violation kind=assert args=poll:0 client="@peer connect {port} send:x~" clients=1
 * heddle: verdict=violation kind=assert args=epoll:0 client="@peer connect {port} send:x~" clients=1
 * heddle: verdict=violation kind=assert args=read:0 client="@peer connect {port} send:x~" clients=1
 * heddle: verdict=violation kind=assert args=accept:0 client="@peer connect {port} send:x~" clients=1
 * heddle: verdict=verified args=restart:0 client="@peer connect {port} send:x~" clients=1
 * heddle: verdict=verified args=seen:0 client="@peer connect {port} send:x~" clients=1
 * native: skip
 */
#include "event.h"

static pthread_t main_thread;

static void nothing(int sig)
{
	(void)sig;
}

static void *interrupts(void *arg)
{
	OK(pthread_kill(main_thread, SIGUSR1));
	return arg;
}

static int wait_for(const char *how, int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	struct epoll_event e = {.events = EPOLLIN};
	char c;
	if (!strcmp(how, "accept"))
		return accept(fd, NULL, NULL);
	if (!strcmp(how, "poll"))
		return poll(&p, 1, -1);
	if (strcmp(how, "epoll"))
		return (int)read(fd, &c, 1);
	int set = epoll_create1(0);
	epoll_set(set, EPOLL_CTL_ADD, fd, EPOLLIN);
	int n = epoll_wait(set, &e, 1, -1), error = errno;
	OK(close(set));
	errno = error;
	return n;
}

int main(int argc, char **argv)
{
	const char *how = strtok(argc > 1 ? argv[1] : "", ":"), *patient = strtok(NULL, "");
	struct sigaction act = {.sa_handler = nothing, .sa_flags = strcmp(how, "restart") ? 0 : SA_RESTART};
	OK(sigaction(SIGUSR1, &act, NULL));
	main_thread = pthread_self();
	int fd = listen_on(PORT);
	if (strcmp(how, "accept"))
		fd = take_client(fd);
	if (!strcmp(how, "seen"))
		CHECK(wait_for("poll", fd) == 1);
	pthread_t t = spawn(interrupts, NULL);
	int n = wait_for(how, fd);
	while (*patient == '1' && n < 0 && errno == EINTR)
		n = wait_for(how, fd);
	CHECK(n > 0);
	join(t);
	return 0;
}
