/*
 * environment.c: arguments and environment arrive as given; setenv, putenv and unsetenv
 * are rolled back like everything else.
 *
 * heddle: verdict=verified outcomes=12,21 args="one 'two words' ''" env="GUEST_SAYS=hello"
 * native: args="one 'two words' ''" env="GUEST_SAYS=hello"
 */
#include "guest.h"

extern char **environ;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *body(void *digit)
{
	char value[10];
	pthread_mutex_lock(&lock);
	snprintf(value, sizeof(value), "%s%s", getenv("ORDER"), (char *)digit);
	OK(setenv("ORDER", value, 1));
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(int argc, char **argv)
{
	CHECK(argc == 4 && !strcmp(argv[1], "one") && !strcmp(argv[2], "two words") && !*argv[3] && !argv[4]);
	CHECK(getenv("GUEST_SAYS") && !strcmp(getenv("GUEST_SAYS"), "hello"));
	int found = 0;
	for (char **e = environ; *e; e++)
		found += !strcmp(*e, "GUEST_SAYS=hello");
	CHECK(found == 1);
	OK(unsetenv("GUEST_SAYS"));
	CHECK(!getenv("GUEST_SAYS"));
	OK(putenv((char[]){"ORDER="}));
	pthread_t a = spawn(body, "1"), b = spawn(body, "2");
	join(a);
	join(b);
	heddle_outcome(atoi(getenv("ORDER")));
	return 0;
}
