/*
 * Two threads add one to a value in memcached. `plain` gets and sets: an addition may be lost. `cas` stores only if nobody has
 * stored since, and tries again otherwise. Each connection has a memcached of its own: in a common one, what one connection stores
 * is seen by others, and the unique numbers of cas are never the same again, which heddle notices.
 *
 * heddle: verdict=verified outcomes=2 args=cas server="@each-its-own {port:11211} @tmp memcached"
 * heddle: verdict=violation kind=assert message~="value == 2" args=plain server="@each-its-own {port:11211} @tmp memcached"
 * heddle: verdict=verified text~="servers: shared" args=cas server="@memcached {port:11211}"
 * heddle: verdict=incomplete text~="deterministic" options="--peers independent" args=cas server="@memcached {port:11211}"
 */
#include "net.h"

static int fd, use_cas;
static pthread_mutex_t line = PTHREAD_MUTEX_INITIALIZER;

static void answer_line(char *to, size_t room)
{
	CHECK(hear_line(fd, to, room));
	to[strcspn(to, "\r")] = 0;
}

static long get(long *unique)
{
	char text[64];
	long length, value;
	OK(pthread_mutex_lock(&line));
	say(fd, "gets n\r\n");
	answer_line(text, sizeof(text));
	CHECK(sscanf(text, "VALUE n 0 %ld %ld", &length, unique) == 2);
	answer_line(text, sizeof(text));
	value = atol(text);
	answer_line(text, sizeof(text));
	CHECK(!strcmp(text, "END"));
	OK(pthread_mutex_unlock(&line));
	return value;
}

static int set(long value, const long *unique)
{
	char text[64];
	if (unique)
		snprintf(text, sizeof(text), "cas n 0 0 1 %ld\r\n%ld\r\n", *unique, value);
	else
		snprintf(text, sizeof(text), "set n 0 0 1\r\n%ld\r\n", value);
	OK(pthread_mutex_lock(&line));
	say(fd, text);
	answer_line(text, sizeof(text));
	OK(pthread_mutex_unlock(&line));
	CHECK(!strcmp(text, "STORED") || (unique && !strcmp(text, "EXISTS")));
	return !strcmp(text, "STORED");
}

static void *add_one(void *arg)
{
	long value, unique;
	do
		value = get(&unique);
	while (!set(value + 1, use_cas ? &unique : NULL));
	return arg;
}

int main(int argc, char **argv)
{
	long unique;
	use_cas = story(argc, argv, "cas");
	fd = dial(11211);
	set(0, NULL);
	pthread_t a = spawn(add_one, NULL), b = spawn(add_one, NULL);
	join(a);
	join(b);
	long value = get(&unique);
	CHECK(value == 2);
	heddle_outcome(value);
	return 0;
}
