/*
 * memory_advice.c: calls that have nothing to do but to tell whether memory is mapped, while another thread unmaps it; and
 * what MADV_DONTNEED forgets.
 *
 * heddle: args=msync verdict=verified outcomes=0,12
 * heddle: args=mlock verdict=verified outcomes=0,12
 * heddle: args=munlock verdict=verified outcomes=0,12
 * heddle: args=mincore verdict=verified outcomes=0,12
 * heddle: args=madvise verdict=verified outcomes=0,12
 * heddle: args=forget verdict=verified outcomes=0
 * heddle: args=errors verdict=verified
 * native: args=msync any
 * native: args=mlock any
 * native: args=mincore any
 * native: args=madvise any
 * native: args=forget
 * native: args=errors
 */
#include <sys/mman.h>

#include "guest.h"

static const char *how;
static char *page;

static int is(const char *name)
{
	return !strcmp(how, name);
}

static int call(void)
{
	unsigned char in;
	if (is("msync"))
		return msync(page, 4096, MS_SYNC);
	if (is("mlock"))
		return mlock(page, 1);
	if (is("munlock"))
		return munlock(page, 1);
	return is("mincore") ? mincore(page, 4096, &in) : madvise(page, 4096, MADV_WILLNEED);
}

static void *takes(void *arg)
{
	OK(munmap(page, 4096));
	return arg;
}

int main(int argc, char **argv)
{
	how = argc > 1 ? argv[1] : "msync";
	page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (is("forget")) {
		page[0] = page[4096] = 1;
		OK(mprotect(page, 4096, PROT_READ));
		OK(madvise(page, 8192, MADV_DONTNEED));
		heddle_outcome((unsigned long)(page[0] + page[4096]));
	} else if (is("errors")) {
		CHECK(msync(page + 1, 1, MS_SYNC) < 0 && errno == EINVAL);
		CHECK(msync(page, 1, MS_SYNC | MS_ASYNC) < 0 && errno == EINVAL);
		CHECK(madvise(page + 1, 1, MADV_WILLNEED) < 0 && errno == EINVAL);
		CHECK(msync(page, ~0UL - 4096, MS_SYNC) < 0 && errno == ENOMEM);
		OK(msync(page, 0, MS_ASYNC));
		OK(mlock(&page, sizeof(page)));
	} else {
		pthread_t t = spawn(takes, NULL);
		heddle_outcome(call() ? (unsigned long)errno : 0);
		join(t);
	}
	return 0;
}
