/*
 * Descriptor numbers between two moments of one call.
 *
 * dup finds the description, then a number for it: that number may be the old one, if it was closed in between.
 * heddle: verdict=verified outcomes=0,1,2 args=dup
 * heddle: verdict=verified outcomes=0,1,2 args=fcntl
 *
 * close_range closes one number after the other, and others may open new ones in between: the first of two gets the
 * lower number already, but not the second the higher one. What is opened behind them is closed as well, or not.
 * heddle: verdict=verified outcomes=13,22,201,231 args=range
 *
 * The last number of a pipe's end is closed while a call is about to use another number of it, which was closed before:
 * it has not looked yet, the end has come, and what it finds is the file that took its number.
 * heddle: verdict=verified outcomes=1,2,3,5 args=duplicate
 */
#include "guest.h"

#include <fcntl.h>
#include <signal.h>

static int number, result, ends[2];
static sem_t begins;

static void *duplicates(void *arg)
{
	result = arg ? fcntl(number, F_DUPFD, 0) : dup(number);
	return NULL;
}

static unsigned run_dup(int by_fcntl)
{
	number = open("/dev/null", O_RDONLY);
	pthread_t t = spawn(duplicates, by_fcntl ? &number : NULL);
	OK(close(number));
	join(t);
	return result < 0 ? 0 : result == number ? 1 : 2;
}

static void *closes(void *arg)
{
	OK(close_range((unsigned)number, (unsigned)number + 2, 0));
	return arg;
}

static unsigned run_range(void)
{
	number = open("/dev/null", O_RDONLY);
	CHECK(open("/dev/null", O_RDONLY) == number + 1);
	pthread_t t = spawn(closes, NULL);
	int a = open("/dev/null", O_RDONLY), b = open("/dev/null", O_RDONLY);
	join(t);
	unsigned left = (unsigned)(fcntl(a, F_GETFD) == 0) * 2 + (unsigned)(fcntl(b, F_GETFD) == 0);
	return (unsigned)(a - number) * 100 + (unsigned)(b - number) * 10 + left;
}

static void *looks(void *arg)
{
	char c;
	OK(sem_post(&begins));
	result = (int)read(ends[0], &c, 1);
	return arg;
}

/* Bits: the end was seen; above them: 0 the call failed, 1 it read the pipe's byte, 2 it read nothing. */
static unsigned run_duplicate(void)
{
	OK(pipe2(ends, O_NONBLOCK));
	int other = dup(ends[0]);
	CHECK(write(ends[1], "x", 1) == 1);
	pthread_t t = spawn(looks, NULL);
	OK(sem_wait(&begins));
	OK(close(ends[0]));
	OK(close(other));
	unsigned ended = write(ends[1], "y", 1) != 1;
	CHECK(open("/dev/null", O_RDONLY) == ends[0]);
	join(t);
	return ended + 2 * (result < 0 ? 0u : result ? 1u : 2u);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "dup";
	OK(sem_init(&begins, 0, 0));
	signal(SIGPIPE, SIG_IGN);
	if (!strcmp(what, "dup") || !strcmp(what, "fcntl"))
		heddle_outcome(run_dup(what[0] == 'f'));
	else
		heddle_outcome(what[0] == 'r' ? run_range() : run_duplicate());
	return 0;
}
