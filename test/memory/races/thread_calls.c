/*
 * thread_calls.c: what the functions of threads, and others that take addresses in passing, read and write for the
 * program; and what libc has once for all threads.
 *
 * heddle: args=handle verdict=violation kind=race message~="handle"
 * heddle: args=own verdict=verified text~="Verified: "
 * heddle: args=attributes verdict=violation kind=race message~="attributes"
 * heddle: args=size verdict=violation kind=race message~="size"
 * heddle: args=timedwait verdict=violation kind=race message~="when"
 * heddle: args=timedlock verdict=violation kind=race message~="when"
 * heddle: args=timedcond verdict=violation kind=race message~="when"
 * heddle: args=memalign verdict=violation kind=race message~="block"
 * heddle: args=affinity verdict=violation kind=race message~="processors"
 * heddle: args=syscall verdict=violation kind=race message~="text"
 * heddle: args=syscall_other verdict=verified text~="Verified, but syscall was not looked into"
 * heddle: args=readlink verdict=violation kind=race message~="text"
 * heddle: args=buffer verdict=verified text~="a buffer given by setvbuf was not looked into"
 * heddle: args=localtime verdict=violation kind=race
 * heddle: args=strtok verdict=violation kind=race
 * heddle: args=by_address verdict=verified text~="Verified, but strfry was not looked into"
 * native: any
 */
#include <sched.h>
#include <sys/syscall.h>

#include "guest.h"

static pthread_t handle;
static pthread_attr_t attributes;
static size_t size;
static struct timespec when;
static void *block;
static cpu_set_t processors;
static char text[512] = "some text";
static sem_t sem;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ends[2];
static const char *how;
static char *(*volatile by_address)(char *) = strfry;

static int is(const char *name)
{
	return !strcmp(how, name);
}

static void *nothing(void *arg)
{
	return arg;
}

static void *looks_at_itself(void *arg)
{
	CHECK(pthread_equal(handle, pthread_self()));
	return arg;
}

static void *calls(void *arg)
{
	pthread_t mine;
	time_t now = 3;
	char words[] = "a b", to[8];
	if (is("handle"))
		OK(pthread_create(&handle, NULL, nothing, NULL));
	else if (is("attributes"))
		OK(pthread_create(&mine, &attributes, nothing, NULL));
	else if (is("size"))
		OK(pthread_attr_getstacksize(&attributes, &size));
	else if (is("timedwait"))
		OK(sem_timedwait(&sem, &when));
	else if (is("timedlock"))
		OK(pthread_mutex_timedlock(&lock, &when));
	else if (is("timedcond"))
		pthread_mutex_lock(&lock), pthread_cond_timedwait(&cond, &lock, &when);
	else if (is("memalign"))
		OK(posix_memalign(&block, 64, 64));
	else if (is("affinity"))
		OK(sched_getaffinity(0, sizeof(processors), &processors));
	else if (is("syscall"))
		CHECK(syscall(SYS_write, ends[1], text, 4) == 4);
	else if (is("syscall_other"))
		syscall(SYS_uname, text);
	else if (is("readlink"))
		CHECK(readlink(text, to, sizeof(to)) < 0);
	else if (is("buffer"))
		OK(setvbuf(stdout, text, _IOFBF, sizeof(text)));
	else if (is("localtime"))
		CHECK(localtime(&now)->tm_sec == 3);
	else if (is("strtok"))
		CHECK(strtok(words, " "));
	else if (is("by_address"))
		by_address(text);
	return arg;
}

static void *uses(void *arg)
{
	time_t now = 4;
	char words[] = "a b";
	if (is("handle"))
		handle = pthread_self();
	else if (is("attributes"))
		OK(pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_JOINABLE));
	else if (is("size"))
		size = 1;
	else if (is("timedwait") || is("timedlock") || is("timedcond"))
		when.tv_sec = 1;
	else if (is("memalign"))
		block = NULL;
	else if (is("affinity"))
		CPU_ZERO(&processors);
	else if (is("localtime"))
		CHECK(localtime(&now));
	else if (is("strtok"))
		CHECK(strtok(words, " "));
	else
		text[0] = 'S';
	return arg;
}

int main(int argc, char **argv)
{
	how = argc > 1 ? argv[1] : "";
	OK(pipe(ends));
	OK(sem_init(&sem, 0, 1));
	OK(pthread_attr_init(&attributes));
	if (is("own")) {
		OK(pthread_create(&handle, NULL, looks_at_itself, NULL));
		join(handle);
		return 0;
	}
	pthread_t a = spawn(calls, NULL), b = spawn(uses, NULL);
	join(a);
	join(b);
	free(block);
	return 0;
}
