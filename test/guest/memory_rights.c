/*
 * memory_rights.c: what may not be touched faults, in whichever step it happens and whatever
 * was allowed in a state explored before: memory another thread has unmapped, memory that was read before it is
 * written, memory behind the break. Allowed again, it works again.
 *
 * heddle: verdict=violation kind=crash args=other where=@other
 * heddle: verdict=violation kind=crash args=other options="--strategy bfs" where=@other
 * heddle: verdict=violation kind=crash args=other options="--strategy bfs --sanity 3" where=@other
 * heddle: verdict=violation kind=crash args=other options="--sanity 3" where=@other
 * heddle: verdict=violation kind=crash args=read where=@read
 * heddle: verdict=violation kind=crash args=break where=@break
 * heddle: verdict=verified outcomes=12,21 args=again
 * heddle: verdict=verified outcomes=12,21 args=again options="--strategy bfs --sanity 3"
 * native: args=read signal=SEGV
 * native: args=break signal=SEGV
 * native: args=again
 */
#include <sys/mman.h>

#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *page;
static int sum;

static char *map(int prot)
{
	char *p = mmap(NULL, 4096, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(p != MAP_FAILED);
	return p;
}

static void *unmapper(void *arg)
{
	pthread_mutex_lock(&lock);
	OK(munmap(page, 4096));
	pthread_mutex_unlock(&lock);
	return arg;
}

/* Fine if it comes first: the search must get to the other order, too. */
static void other(void)
{
	page = map(PROT_READ | PROT_WRITE);
	page[0] = 1;
	pthread_t t = spawn(unmapper, NULL);
	pthread_mutex_lock(&lock);
	page[0]++; /* @other */
	pthread_mutex_unlock(&lock);
	join(t);
}

static void read_first(void)
{
	page = map(PROT_READ);
	CHECK(page[0] == 0);
	page[0] = 1; /* @read */
}

static void behind_break(void)
{
	char *top = sbrk(4096);
	CHECK(top != (void *)-1);
	top[0] = 1;
	CHECK(sbrk(-4096) == top + 4096);
	top[0] = 1; /* @break */
}

static void *opens_and_shuts(void *arg)
{
	pthread_mutex_lock(&lock);
	OK(mprotect(page, 4096, PROT_READ | PROT_WRITE));
	page[0] = (char)(page[0] * 10 + (long)arg);
	sum = page[0];
	OK(mprotect(page, 4096, PROT_NONE));
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void again(void)
{
	page = map(PROT_NONE);
	pthread_t a = spawn(opens_and_shuts, (void *)1), b = spawn(opens_and_shuts, (void *)2);
	join(a);
	join(b);
	heddle_outcome(sum);
}

int main(int argc, char **argv)
{
	if (story(argc, argv, "other"))
		other();
	else if (story(argc, argv, "read"))
		read_first();
	else if (story(argc, argv, "break"))
		behind_break();
	else
		again();
	return 0;
}
