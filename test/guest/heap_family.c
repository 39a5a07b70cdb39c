/*
 * heap_family.c: the whole malloc family: alignment, zeroing, usable size, realloc that
 * keeps its contents, sizes from 0 to 8 MB, overflow and absurd sizes give NULL and ENOMEM.
 *
 * heddle: verdict=verified outcomes=1
 * build: -Wno-use-after-free
 */
#include <malloc.h>
#include <stdint.h>

#include "guest.h"

static volatile size_t absurd = SIZE_MAX / 2;

static void aligned_ones(void)
{
	void *p = NULL;
	for (size_t align = 8; align <= 65536; align *= 2) {
		OK(posix_memalign(&p, align, 100));
		CHECK((uintptr_t)p % align == 0);
		memset(p, 1, 100);
		void *q = aligned_alloc(align, align);
		CHECK((uintptr_t)q % align == 0);
		free(p);
		free(q);
	}
	CHECK(posix_memalign(&p, 3, 100) == EINVAL);
	p = memalign(64, 1);
	CHECK((uintptr_t)p % 64 == 0);
	free(p);
	p = valloc(1);
	CHECK((uintptr_t)p % 4096 == 0);
	free(p);
	p = pvalloc(1);
	CHECK((uintptr_t)p % 4096 == 0 && malloc_usable_size(p) >= 4096);
	free(p);
}

static void sizes(void)
{
	for (size_t n = 0; n < 9000000; n = n * 3 + 1) {
		char *p = malloc(n);
		CHECK(p && (uintptr_t)p % 16 == 0 && malloc_usable_size(p) >= n);
		memset(p, 0x5a, malloc_usable_size(p));
		free(p);
		p = calloc(n, 1);
		for (size_t i = 0; i < n; i += n / 50 + 1)
			CHECK(p[i] == 0);
		free(p);
	}
}

static void realloc_chain(void)
{
	char *p = realloc(NULL, 1);
	p[0] = 1;
	for (size_t n = 1; n < 1000000; n *= 2) {
		char *wall = malloc(16);
		p = realloc(p, 2 * n);
		for (size_t i = 0; i < n; i += n / 64 + 1)
			CHECK(p[i] == (char)(i + 1));
		for (size_t i = 0; i < 2 * n; i++)
			p[i] = (char)(i + 1);
		free(wall);
	}
	p = realloc(p, 10);
	CHECK(p[9] == 10);
	p = reallocarray(p, 5, 4);
	CHECK(p[9] == 10);
	free(p);
}

static void impossible(void)
{
	errno = 0;
	CHECK(malloc(absurd) == NULL && errno == ENOMEM);
	errno = 0;
	CHECK(calloc(absurd, 4) == NULL && errno == ENOMEM);
	char *p = malloc(10);
	p[0] = 7;
	CHECK(realloc(p, absurd) == NULL && p[0] == 7);
	CHECK(reallocarray(p, absurd, 8) == NULL);
	free(p);
	free(NULL);
	CHECK(malloc_usable_size(NULL) == 0);
}

int main(void)
{
	aligned_ones();
	sizes();
	realloc_chain();
	impossible();
	heddle_outcome(1);
	return 0;
}
