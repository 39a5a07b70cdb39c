/*
 * A server that dies when it is asked a certain thing, and has to be asked twice: the second connection can't be had any more.
 *
 * heddle: exit=2 error~="7000.*(ended|died|gone|exited)|(ended|died|gone|exited).*7000" server="@peer listen {port:7000} line when:die die:3 echo loop"
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
