/*
 * Two threads add one to a key in redis, over one connection. `incr` lets redis add; `plain` gets and sets, and loses one now and
 * then; `transaction` lets both queue their additions between MULTI and EXEC, which a common redis answers alike at every time.
 *
 * heddle: verdict=verified outcomes=2 args=incr server="@each-its-own {port:6379} @tmp redis"
 * heddle: verdict=violation kind=assert message~="value == 2" args=plain server="@each-its-own {port:6379} @tmp redis"
 * heddle: verdict=verified outcomes=2 args=transaction server="@redis {port:6379}"
 * heddle: verdict=verified outcomes=2 cache=none args=transaction server="@redis {port:6379}"
 */
#include "net.h"

static int fd;
static const char *mode;
static pthread_mutex_t line = PTHREAD_MUTEX_INITIALIZER;

/* A command and the first line of its answer; a value ($) is the line behind. */
static long ask(const char *command)
{
	char text[64];
	OK(pthread_mutex_lock(&line));
	say(fd, command);
	CHECK(hear_line(fd, text, sizeof(text)) && text[0] != '-');
	if (text[0] == '$')
		CHECK(hear_line(fd, text + 1, sizeof(text) - 1));
	OK(pthread_mutex_unlock(&line));
	return atol(text + 1);
}

static void *add_one(void *arg)
{
	char command[64];
	if (strcmp(mode, "plain")) {
		ask("INCR n\r\n");
		return arg;
	}
	snprintf(command, sizeof(command), "SET n %ld\r\n", ask("GET n\r\n") + 1);
	ask(command);
	return arg;
}

/* "*3", "+OK", ":1", ":2" */
static long execute(void)
{
	char text[64];
	long last = 0;
	CHECK(ask("EXEC\r\n") == 3);
	for (int i = 0; i < 3; i++) {
		CHECK(hear_line(fd, text, sizeof(text)));
		last = atol(text + 1);
	}
	return last;
}

int main(int argc, char **argv)
{
	mode = argc > 1 ? argv[1] : "incr";
	fd = dial(6379);
	int transaction = !strcmp(mode, "transaction");
	if (transaction)
		ask("MULTI\r\n");
	ask("SET n 0\r\n");
	pthread_t a = spawn(add_one, NULL), b = spawn(add_one, NULL);
	join(a);
	join(b);
	long value = transaction ? execute() : ask("GET n\r\n");
	CHECK(value == 2);
	heddle_outcome(value);
	return 0;
}
