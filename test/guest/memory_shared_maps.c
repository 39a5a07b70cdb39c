/*
 * The memory map is shared: who takes rights or memory away is seen by the others.
 *
 * heddle: args=protect verdict=violation kind=crash
 * heddle: args=protect_bss verdict=violation kind=crash
 * heddle: args=protect_heap verdict=violation kind=crash
 * heddle: args=protect_for_a_moment verdict=violation kind=crash
 * heddle: args=protect_heap_for_a_moment verdict=violation kind=crash
 * heddle: args=protect_untouched_for_a_moment verdict=violation kind=crash
 * heddle: args=unmap_for_a_moment verdict=violation kind=crash
 * heddle: args=unmap verdict=violation kind=crash
 * heddle: args=remap verdict=violation kind=crash
 * heddle: args=right verdict=verified
 * heddle: args=beyond verdict=violation kind=crash
 * native: skip
 */
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>

#include "guest.h"

static const char *how;
static char *page;
static char bss[8192] __attribute__((aligned(4096)));
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int gone;

static int is(const char *name)
{
	return !strcmp(how, name);
}

/* Without the lock: nothing but the memory itself is shared. */
static void *takes_for_a_moment(void *arg)
{
	if (is("unmap_for_a_moment")) {
		OK(munmap(page, 4096));
		CHECK(mmap(page, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
			   0) == page);
	} else {
		OK(mprotect(page, 4096, PROT_READ));
		OK(mprotect(page, 4096, PROT_READ | PROT_WRITE));
	}
	return arg;
}

static void *takes(void *arg)
{
	OK(pthread_mutex_lock(&lock));
	if (is("unmap"))
		OK(munmap(page, 4096));
	else if (is("remap"))
		CHECK(mremap(page, 4096, 8192, MREMAP_MAYMOVE) != MAP_FAILED);
	else
		OK(mprotect(page, 4096, PROT_READ));
	gone = 1;
	OK(pthread_mutex_unlock(&lock));
	return arg;
}

static void *uses(void *arg)
{
	sched_yield();
	page[0] = 1;
	return arg;
}

int main(int argc, char **argv)
{
	how = argc > 1 ? argv[1] : "protect";
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (is("remap"))
		mmap(page + 4096, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (is("protect_bss"))
		page = bss;
	if (is("protect_heap") || is("protect_heap_for_a_moment"))
		page = aligned_alloc(4096, 4096);
	if (is("beyond")) {
		char name[] = "/tmp/mapXXXXXX";
		int fd = mkstemp(name);
		unlink(name);
		OK(ftruncate(fd, 100));
		char *m = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, fd, 0);
		CHECK(m[200] == 0);
		return m[5000]; /* SIGBUS */
	}
	if (is("protect_untouched_for_a_moment")) {
		/* Nobody has used the page before its rights go: it is used first in a state where it has them. */
		pthread_t a = spawn(takes_for_a_moment, NULL), b = spawn(uses, NULL);
		join(a);
		join(b);
		return 0;
	}
	pthread_t t = spawn(strstr(how, "for_a_moment") ? takes_for_a_moment : takes, NULL);
	if (is("right")) {
		OK(pthread_mutex_lock(&lock));
		if (!gone)
			page[0] = 1;
		OK(pthread_mutex_unlock(&lock));
	} else {
		sched_yield();
		page[0] = 1;
	}
	join(t);
	return 0;
}
