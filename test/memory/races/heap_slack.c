/*
 * heap_slack.c: the byte behind a block of 13 belongs to nobody, even where the allocator rounds up.
 *
 * todo: verdict=violation kind=crash where=@slack
 * native: any
 */
#include "guest.h"

static __attribute__((noipa)) char *block(size_t size)
{
	return malloc(size);
}

int main(void)
{
	char *p = block(13);

	CHECK(p);
	p[13] = 1; /* @slack */
	free(p);
	return 0;
}
