/*
 * looked_into.c: what programs call every day is looked into, or touches nothing: a plain success.
 *
 * heddle: verdict=verified text~="Verified: "
 * native: exit=0
 */
#include <ctype.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <time.h>

#include "guest.h"

static void files(void)
{
	char name[] = "/tmp/looked_XXXXXX", line[16];
	int fd = mkstemp(name);
	struct stat st;
	FILE *f = fdopen(fd, "r+");

	heddle_assert(f && fprintf(f, "%s %d\n", "text", 1) > 0 && fflush(f) == 0 && fstat(fd, &st) == 0);
	rewind(f);
	heddle_assert(fgets(line, sizeof(line), f) && toupper(line[0]) == 'T' && fclose(f) == 0 &&
		      unlink(name) == 0);
	close(open("/dev/null", O_RDONLY));
}

static void *body(void *arg)
{
	struct timespec t = {0, 1};
	struct sigaction act = {.sa_handler = SIG_IGN};
	struct rlimit limit;
	int ends[2], exponent;
	fd_set set;

	files();
	nanosleep(&t, NULL);
	sigemptyset(&act.sa_mask);
	sigaction(SIGUSR1, &act, NULL);
	heddle_assert(pipe(ends) == 0 && write(ends[1], "x", 1) == 1);
	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	heddle_assert(select(ends[0] + 1, &set, NULL, NULL, NULL) == 1 && FD_ISSET(ends[0], &set));
	heddle_assert(getrlimit(RLIMIT_NOFILE, &limit) == 0 && frexp(8.0, &exponent) == 0.5 && exponent == 4);
	close(ends[0]);
	close(ends[1]);
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
	return 0;
}
