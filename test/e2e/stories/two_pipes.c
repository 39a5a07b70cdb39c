/* The end of the answer is waited for before that of the question is told. */
#include <pthread.h>
#include <unistd.h>

static int in[2], out[2];

static void *echo(void *arg)
{
	char bytes[8];
	ssize_t n;

	while ((n = read(in[0], bytes, sizeof(bytes))) > 0)
		n = write(out[1], bytes, (size_t)n);
	close(out[1]);
	return arg;
}

int main(void)
{
	pthread_t t;
	char bytes[8];

	if (pipe(in) || pipe(out))
		return 2;
	pthread_create(&t, NULL, echo, NULL);
	if (write(in[1], "hello", 5) != 5)
		return 2;
	while (read(out[0], bytes, sizeof(bytes)) > 0)
		;
	close(in[1]);
	pthread_join(t, NULL);
	return 0;
}
