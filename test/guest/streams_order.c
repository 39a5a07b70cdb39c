/*
 * streams_order.c: the order of libc's list of streams. In which order threads open theirs tells no states apart;
 * but where all of them are flushed at once, the order shows, and both are explored.
 *
 * apart:   two threads with a lock of their own each, and a stream that they open and close: few states.
 * flush:   two threads leave something in their streams; fflush(NULL) writes what was opened last first.
 * one:     the same in one thread: always in that order.
 * leave:   as flush, but the program ends, which flushes all: the file has two contents then.
 *
 * heddle: args=apart options="--por on" verdict=verified states<=10 text~="Verified, data races not looked at"
 * heddle: args=apart options="--sanity 2" verdict=verified
 * heddle: args=flush verdict=verified outcomes=12,21
 * heddle: args=flush options="--por off" verdict=verified outcomes=12,21
 * heddle: args=one verdict=verified outcomes=21
 * heddle: args=leave verdict=verified text~="2 end states"
 * native: args=apart
 * native: args=one
 */
#include "guest.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int file[2];
static char memory[2][16];

static void touch_lock(long me)
{
	OK(pthread_mutex_lock(&lock[me]));
	OK(pthread_mutex_unlock(&lock[me]));
}

static void *apart(void *arg)
{
	long me = (long)arg;
	FILE *f = fmemopen(memory[me], sizeof(memory[me]), "w");
	CHECK(f);
	touch_lock(me);
	CHECK(fputs("x", f) >= 0);
	touch_lock(me);
	CHECK(!fclose(f));
	return NULL;
}

static void *leaves(void *arg)
{
	long me = (long)arg;
	touch_lock(0);
	FILE *f = fdopen(file[me], "a");
	CHECK(f && fprintf(f, "%ld", me + 1) == 1);
	return NULL;
}

static void look(void)
{
	char text[3] = {0};
	CHECK(pread(file[0], text, 2, 0) == 2);
	heddle_outcome(atol(text));
}

int main(int argc, char **argv)
{
	int is_apart = story(argc, argv, "apart"), is_one = story(argc, argv, "one");
	char name[] = "streams-XXXXXX";
	pthread_t t[2];
	for (long i = 0; i < 2; i++)
		CHECK((file[i] = i ? open(name, O_RDWR | O_APPEND) : mkstemp(name)) >= 0);
	CHECK(!unlink(name));
	for (long i = 0; i < 2; i++)
		if (is_one)
			leaves((void *)i);
		else
			t[i] = spawn(is_apart ? apart : leaves, (void *)i);
	for (long i = 0; i < 2 && !is_one; i++)
		join(t[i]);
	if (is_apart || story(argc, argv, "leave"))
		return 0;
	CHECK(!fflush(NULL));
	look();
	return 0;
}
