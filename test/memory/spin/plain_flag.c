/*
 * plain_flag.c: a thread spins on a plain flag that another one sets: a data race, and not a hang, although nobody else
 * has touched the flag when the spinning begins. Compiled without optimisation, or the loop would not look again.
 *
 * heddle: verdict=violation kind=race message~="flag"
 * heddle: verdict=verified options="--races ignore"
 * native: skip
 * build: -O0
 */
#include "guest.h"

static int flag;

static void *spinner(void *arg)
{
	while (flag != 1)
		;
	return arg;
}

static void *setter(void *arg)
{
	flag = 1;
	return arg;
}

int main(void)
{
	pthread_t a = spawn(spinner, NULL), b = spawn(setter, NULL);
	join(a);
	join(b);
	return 0;
}
