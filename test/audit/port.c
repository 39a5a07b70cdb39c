// Whether somebody listens at an address.
// plant: port * *
// names: port|independent|merged
#include <arpa/inet.h>

#include "audit.h"
static int result;
static struct sockaddr_in at = {.sin_family = AF_INET};
static void init(void)
{
	at.sin_port = htons(7000);
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
}
static void first(void)
{
	int s = socket(AF_INET, SOCK_STREAM, 0);
	pause_here();
	bind(s, (struct sockaddr *)&at, sizeof at);
}
static void second(void)
{
	int s = socket(AF_INET, SOCK_STREAM, 0);
	pause_here();
	result = bind(s, (struct sockaddr *)&at, sizeof at);
}
PROGRAM_AFTER(init, first, second)
