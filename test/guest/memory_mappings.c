/*
 * memory_mappings.c: anonymous mappings are state like any other: zero at first, rolled
 * back, protected on demand, gone after munmap; brk and huge sparse mappings work.
 *
 * heddle: verdict=verified outcomes=12,21 args=map
 * heddle: verdict=violation kind=crash args=readonly message~="SIGSEGV" where=@readonly
 * heddle: verdict=violation kind=crash args=unmapped message~="SIGSEGV" where=@unmapped
 * native: args=map
 * native: args=readonly signal=SEGV
 * native: args=unmapped signal=SEGV
 */
#include <sys/mman.h>

#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *shared;

static char *map(size_t size)
{
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
		       0);
	CHECK(p != MAP_FAILED);
	return p;
}

static void *body(void *arg)
{
	char *own = map(20000);
	CHECK(own[0] == 0 && own[19999] == 0);
	pthread_mutex_lock(&lock);
	own[19999] = 1;
	shared[0] = (char)(shared[0] * 10 + (long)arg);
	pthread_mutex_unlock(&lock);
	OK(munmap(own, 20000));
	return NULL;
}

int main(int argc, char **argv)
{
	shared = map(8192);
	if (story(argc, argv, "readonly")) {
		OK(mprotect(shared, 4096, PROT_READ));
		shared[0] = 1; /* @readonly */
	} else if (story(argc, argv, "unmapped")) {
		OK(munmap(shared, 4096));
		shared[0] = 1; /* @unmapped */
	}
	char *sparse = map(1UL << 30);
	sparse[1UL << 29] = 1;
	shared = mremap(shared, 8192, 65536, MREMAP_MAYMOVE);
	CHECK(shared != MAP_FAILED && shared[60000] == 0);
	OK(madvise(sparse, 1UL << 30, MADV_DONTNEED));
	CHECK(sparse[1UL << 29] == 0);
	void *top = sbrk(0);
	CHECK(sbrk(10000) == top);
	memset(top, 1, 10000);
	pthread_t a = spawn(body, (void *)1), b = spawn(body, (void *)2);
	join(a);
	join(b);
	heddle_outcome(shared[0]);
	return 0;
}
