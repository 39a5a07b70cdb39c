/*
 * Two threads ask for "localhost". libc opens and closes a dozen files for that, of which the program sees
 * nothing: their numbers are no business of the search, nor who of them was the first to ask. But a thread
 * that closes a number which is not open may hit one of those files, and one that opens its standard input
 * anew may find the number taken; then they count.
 *
 * heddle: args=ask verdict=verified states=8
 * heddle: args=stray verdict=verified outcomes=1,2
 * heddle: args=redirect verdict=verified outcomes=1,2
 * native: args=ask
 * native: args=stray any
 * native: args=redirect any
 */
#include <fcntl.h>
#include <netdb.h>
#include <pwd.h>
#include <sys/socket.h>

#include "guest.h"

static int ask(void)
{
	struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM}, *list;
	if (getaddrinfo("localhost", "7000", &hints, &list))
		return 2;
	freeaddrinfo(list);
	return 1;
}

static void *asks(void *arg)
{
	CHECK(ask() == 1);
	return arg;
}

static void *strays(void *arg)
{
	close(3);
	return arg;
}

static void *redirects(void *arg)
{
	OK(close(0));
	heddle_outcome(open("/dev/null", O_RDONLY) == 0 ? 1 : 2);
	return arg;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "stray")) {
		pthread_t t = spawn(strays, NULL);
		heddle_outcome(getpwnam("daemon") ? 1 : 2); /* 2: the file was closed under it */
		join(t);
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "redirect")) {
		pthread_t t = spawn(redirects, NULL);
		getpwnam("daemon");
		join(t);
		return 0;
	}
	pthread_t t = spawn(asks, NULL), u = spawn(asks, NULL);
	join(t);
	join(u);
	return 0;
}
