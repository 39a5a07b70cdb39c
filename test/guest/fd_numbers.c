/*
 * Descriptor numbers are shared: who uses a number that another thread closes, takes or has not opened yet finds
 * what the schedule left there.
 *
 * heddle: args=stale verdict=verified outcomes=0,9
 * heddle: args=dup verdict=verified outcomes=0,9
 * heddle: args=pipe verdict=verified outcomes=0,9
 * heddle: args=socket verdict=verified outcomes=0,9
 * heddle: args=early verdict=verified outcomes=0,9
 * heddle: args=moment verdict=verified outcomes=0,9
 * heddle: args=cloexec verdict=verified outcomes=0,1
 * heddle: args=replace verdict=verified outcomes=0,1
 * heddle: args=double verdict=verified outcomes=0,9
 * heddle: args=flags verdict=verified outcomes=0,1
 * heddle: args=lowest verdict=verified outcomes=34,43
 * native: args=stale any
 */
#include <fcntl.h>
#include <sys/socket.h>

#include "guest.h"

static int number;
static const char *how;

static int is(const char *name)
{
	return !strcmp(how, name);
}

/* Takes the lowest free number. */
static void *taker(void *arg)
{
	int pair[2];
	if (is("dup"))
		CHECK(dup(0) >= 0);
	else if (is("pipe"))
		OK(pipe(pair));
	else if (is("socket"))
		CHECK(socket(AF_INET, SOCK_STREAM, 0) >= 0);
	else
		CHECK(open("/dev/zero", O_RDONLY) >= 0);
	return arg;
}

static void *user(void *arg)
{
	close(number);
	heddle_outcome(fcntl(number, F_GETFD) < 0 ? errno : 0);
	return arg;
}

static void *early(void *arg)
{
	heddle_outcome(fcntl(3, F_GETFD) < 0 ? errno : 0);
	return arg;
}

static void *opens_for_a_moment(void *arg)
{
	OK(close(open("/dev/zero", O_RDONLY)));
	return arg;
}

static void *sets_cloexec(void *arg)
{
	OK(fcntl(number, F_SETFD, FD_CLOEXEC));
	return arg;
}

static void *sets_flags(void *arg)
{
	OK(fcntl(number, F_SETFL, O_APPEND));
	return arg;
}

static void *replaces(void *arg)
{
	int zero = open("/dev/zero", O_RDONLY);
	CHECK(dup2(zero, number) == number);
	return arg;
}

static void *closes(void *arg)
{
	*(int *)arg = close(number) ? errno : 0;
	return NULL;
}

static void *opens(void *arg)
{
	*(int *)arg = open("/dev/null", O_RDONLY);
	return NULL;
}

static void pair(void *(*a)(void *), void *(*b)(void *))
{
	pthread_t t = spawn(a, NULL), u = spawn(b, NULL);
	join(t);
	join(u);
}

int main(int argc, char **argv)
{
	how = argc > 1 ? argv[1] : "stale";
	char c;
	if (is("early")) {
		pair(early, taker);
		return 0;
	}
	if (is("moment")) {
		pair(early, opens_for_a_moment);
		return 0;
	}
	if (is("lowest")) {
		int got[2];
		pthread_t t = spawn(opens, &got[0]), u = spawn(opens, &got[1]);
		join(t);
		join(u);
		heddle_outcome(got[0] * 10 + got[1]);
		return 0;
	}
	number = open("/dev/null", O_RDONLY);
	if (is("cloexec")) {
		pthread_t t = spawn(sets_cloexec, NULL);
		heddle_outcome(fcntl(number, F_GETFD));
		join(t);
	} else if (is("flags")) {
		pthread_t t = spawn(sets_flags, NULL);
		heddle_outcome((fcntl(number, F_GETFL) & O_APPEND) != 0);
		join(t);
	} else if (is("replace")) {
		pthread_t t = spawn(replaces, NULL);
		heddle_outcome(read(number, &c, 1)); /* /dev/null: 0; /dev/zero: 1 */
		join(t);
	} else if (is("double")) {
		int got[2];
		pthread_t t = spawn(closes, &got[0]), u = spawn(closes, &got[1]);
		join(t);
		join(u);
		CHECK(got[0] + got[1] == EBADF);
		heddle_outcome(got[0]);
	} else {
		pair(user, taker);
	}
	return 0;
}
