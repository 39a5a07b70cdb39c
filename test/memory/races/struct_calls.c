/*
 * struct_calls.c: strings and structures that functions of the C library and system calls read or fill.
 *
 * heddle: args=open verdict=violation kind=race message~="path"
 * heddle: args=nanosleep verdict=violation kind=race message~="when"
 * heddle: args=sigemptyset verdict=violation kind=race message~="set"
 * heddle: args=sigaction verdict=violation kind=race message~="action"
 * heddle: args=select verdict=violation kind=race message~="descriptors"
 * heddle: args=getrlimit verdict=violation kind=race message~="limit"
 * heddle: args=uname verdict=violation kind=race message~="host"
 * heddle: args=localtime verdict=violation kind=race message~="now"
 * heddle: args=rand_r verdict=violation kind=race message~="seed"
 * heddle: args=frexp verdict=violation kind=race message~="exponent"
 * heddle: args=other verdict=verified
 * native: any
 */
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/utsname.h>
#include <time.h>

#include "guest.h"

static const char *how;
static char path[] = "/dev/null";
static struct timespec when;
static sigset_t set;
static struct sigaction action;
static fd_set descriptors;
static struct rlimit limit;
static struct utsname host;
static time_t now;
static unsigned seed;
static int exponent, ends[2];

static int is(const char *name)
{
	return !strcmp(how, name);
}

static void *library(void *arg)
{
	if (is("open"))
		close(open(path, O_RDONLY));
	if (is("nanosleep"))
		nanosleep(&when, NULL);
	if (is("sigemptyset"))
		sigemptyset(&set);
	if (is("sigaction"))
		sigaction(SIGUSR1, NULL, &action);
	if (is("select"))
		select(ends[0] + 1, &descriptors, NULL, NULL, &(struct timeval){0});
	if (is("getrlimit"))
		getrlimit(RLIMIT_NOFILE, &limit);
	if (is("uname"))
		uname(&host);
	if (is("localtime"))
		localtime(&now);
	if (is("rand_r"))
		rand_r(&seed);
	if (is("frexp"))
		heddle_assert(frexp(1.0 + seed, &exponent) == 0.5);
	return arg;
}

static void *program(void *arg)
{
	if (is("open"))
		path[1] = 'x';
	if (is("nanosleep"))
		when.tv_nsec = 1;
	if (is("sigemptyset"))
		((char *)&set)[1] = 1;
	if (is("sigaction"))
		action.sa_flags = 1;
	if (is("select"))
		((char *)&descriptors)[0] = 1;
	if (is("getrlimit"))
		limit.rlim_cur = 1;
	if (is("uname"))
		host.sysname[0] = 'x';
	if (is("localtime"))
		now = 1;
	if (is("rand_r"))
		seed = 1;
	if (is("frexp"))
		exponent = 1;
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	how = argc > 1 ? argv[1] : "open";
	heddle_assert(pipe(ends) == 0 && write(ends[1], "x", 1) == 1);
	a = spawn(library, NULL);
	b = spawn(program, NULL);
	join(a);
	join(b);
	return 0;
}
