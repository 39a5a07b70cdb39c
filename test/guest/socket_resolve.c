/*
 * socket_resolve.c: finding addresses as programs do: getaddrinfo for numbers and for names that stand in the hosts
 * file, with and without AI_ADDRCONFIG, and back with getnameinfo. A name that only a name server knows is outside.
 *
 * heddle: verdict=verified args=numeric
 * heddle: verdict=verified args=localhost
 * heddle: verdict=verified args=passive
 * heddle: verdict=verified args=threads
 * native: args=numeric
 * native: args=localhost
 * native: args=passive
 * native: args=threads
 */
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "guest.h"

static struct addrinfo *resolve(const char *host, const char *service, int family, int flags)
{
	struct addrinfo hints = {.ai_family = family, .ai_socktype = SOCK_STREAM, .ai_flags = flags},
			*list = NULL;
	CHECK(getaddrinfo(host, service, &hints, &list) == 0 && list);
	return list;
}

static void numeric(void)
{
	struct addrinfo *a = resolve("127.0.0.1", "8080", AF_UNSPEC, 0),
			*b = resolve("::1", "80", AF_UNSPEC, AI_ADDRCONFIG);
	const struct sockaddr_in *in = (void *)a->ai_addr;
	char host[64], port[16];
	CHECK(a->ai_family == AF_INET && in->sin_port == htons(8080) &&
	      in->sin_addr.s_addr == htonl(INADDR_LOOPBACK));
	CHECK(b->ai_family == AF_INET6);
	OK(getnameinfo(a->ai_addr, a->ai_addrlen, host, sizeof host, port, sizeof port,
		       NI_NUMERICHOST | NI_NUMERICSERV));
	CHECK(!strcmp(host, "127.0.0.1") && !strcmp(port, "8080"));
	freeaddrinfo(a);
	freeaddrinfo(b);
}

static void *localhost(void *arg)
{
	struct addrinfo *list = resolve("localhost", "8080", AF_INET, AI_ADDRCONFIG);
	const struct sockaddr_in *in = (void *)list->ai_addr;
	CHECK(in->sin_addr.s_addr == htonl(INADDR_LOOPBACK));
	freeaddrinfo(list);
	return arg;
}

static void both_families(void)
{
	freeaddrinfo(resolve("localhost", "8080", AF_UNSPEC, 0));
	localhost(NULL);
}

static void passive(void)
{
	struct addrinfo *list = resolve(NULL, "8080", AF_UNSPEC, AI_PASSIVE);
	int s = socket(list->ai_family, list->ai_socktype, list->ai_protocol);
	CHECK(s >= 0);
	freeaddrinfo(list);
}

int main(int argc, char **argv)
{
	if (story(argc, argv, "numeric"))
		numeric();
	else if (story(argc, argv, "localhost"))
		both_families();
	else if (story(argc, argv, "passive"))
		passive();
	else if (story(argc, argv, "threads")) {
		pthread_t a = spawn(localhost, NULL), b = spawn(localhost, NULL);
		join(a);
		join(b);
	}
	return 0;
}
