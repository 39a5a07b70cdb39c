/*
 * asks_to_be_left_out.c: functions that switch instrumentation off for themselves, by attribute or by macro, are looked at all
 * the same.
 *
 * heddle: args=attribute verdict=violation kind=race message~="shared"
 * heddle: args=inlined verdict=violation kind=race message~="shared"
 * heddle: args=macro verdict=violation kind=race message~="shared"
 * native: any
 */
#include "guest.h"

static int shared;

static __attribute__((no_sanitize("thread"), noinline)) void by_attribute(void)
{
	shared++;
}

static inline __attribute__((no_sanitize_thread)) void inlined(void)
{
	shared++;
}

#ifdef __SANITIZE_THREAD__
#define LEFT_OUT 1
#else
#define LEFT_OUT 0
#endif

static const char *how;

static void *body(void *arg)
{
	if (!strcmp(how, "attribute"))
		by_attribute();
	else if (!strcmp(how, "inlined"))
		inlined();
	else if (!LEFT_OUT)
		shared++;
	return arg;
}

int main(int argc, char **argv)
{
	how = argc > 1 ? argv[1] : "attribute";
	pthread_t t = spawn(body, NULL);
	shared = 4;
	join(t);
	return 0;
}
