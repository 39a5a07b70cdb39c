/*
 * once_bypassed.c: a plain "is it done?" in front of pthread_once.
 *
 * heddle: verdict=violation kind=race message~="initialised"
 */
#include "guest.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int initialised, table;

static void set_up(void)
{
	table = 3;
	initialised = 1;
}

static void *body(void *arg)
{
	if (!initialised)
		pthread_once(&once, set_up);
	CHECK(table == 3);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(body, NULL);

	body(NULL);
	join(t);
	return 0;
}
