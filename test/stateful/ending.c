/* A server that ends after three connections: the fourth is refused, whoever makes it. */
#include "program.h"

static void *run(void *x)
{
	for (int i = 0; i < 2; i++) {
		int fd = dial_port(7000);
		if (fd >= 0)
			close(fd);
		else
			__sync_fetch_and_add((int *)x, 1);
	}
	return NULL;
}

int main(void)
{
	pthread_t t;
	int refused = 0;
	pthread_create(&t, NULL, run, &refused);
	pthread_join(t, NULL);
	run(&refused);
	assert(refused == 1);
	return 0;
}
