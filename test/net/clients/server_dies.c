/*
 * A server that dies when it is asked a certain thing: what it says to others before and after can't be asked any more. What was
 * explored until then holds, and the verdict names the place.
 *
 * heddle: verdict=incomplete text~="server peer for .*7000 has ended.*exit status 3.*steps until then: threads 1" server="@peer listen {port:7000} line when:die die:3 echo loop"
 * native: skip
 */
#include "net.h"

static int fd;

static void *produce(void *line)
{
	send(fd, line, strlen(line), MSG_NOSIGNAL);
	return NULL;
}

int main(void)
{
	fd = dial(PORT);
	pthread_t a = spawn(produce, "die\n"), b = spawn(produce, "live\n");
	join(a);
	join(b);
	return 0;
}
