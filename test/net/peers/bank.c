/*
 * bank.c: a server that remembers one number per connection: "set N" stores it, "get" asks for it; both are answered with it.
 * "open N" is answered with "yes", once for each N and connection, then with "no".
 *
 *	bank ADDRESS [sleep:MS | jitter:US]
 */
#include <pthread.h>
#include <signal.h>

#include "endpoint.h"

static long most_us, fixed_us;

static void dawdle(void)
{
	long us = fixed_us + (most_us ? random() % most_us : 0);
	if (us)
		nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000}, NULL);
}

static void *serve(void *arg)
{
	FILE *in = fdopen((int)(long)arg, "r"), *out = fdopen(dup((int)(long)arg), "w");
	char line[256];
	long value = 0, n;
	unsigned long opened = 0;
	while (fgets(line, sizeof(line), in)) {
		dawdle();
		if (sscanf(line, "open %ld", &n) == 1) {
			fputs(opened >> n & 1 ? "no\n" : "yes\n", out);
			opened |= 1ul << n;
		} else {
			sscanf(line, "set %ld", &value);
			fprintf(out, "%ld\n", value);
		}
		fflush(out);
	}
	fclose(in);
	fclose(out);
	return NULL;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	signal(SIGPIPE, SIG_IGN);
	srandom((unsigned)getpid());
	if (argc > 2 && !strncmp(argv[2], "sleep:", 6))
		fixed_us = atol(argv[2] + 6) * 1000;
	else if (argc > 2 && !strncmp(argv[2], "jitter:", 7))
		most_us = atol(argv[2] + 7);
	int listener = endpoint_listen(argv[1], SOCK_STREAM);
	for (long fd; (fd = accept(listener, NULL, NULL)) >= 0;) {
		pthread_t t;
		pthread_create(&t, NULL, serve, (void *)fd);
		pthread_detach(t);
	}
	return 1;
}
