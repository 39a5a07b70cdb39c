/*
 * destructors.c: functions marked constructor and destructor run once in every execution,
 * also in those explored after the first one (the dynamic linker's memory is rolled back, too).
 *
 * heddle: verdict=verified outcomes=11,12,13 options="--sanity 3"
 */
#include "guest.h"

static int constructed;
static unsigned chosen;

__attribute__((constructor)) static void construct(void)
{
	constructed++;
}

__attribute__((destructor)) static void destruct(void)
{
	heddle_outcome(constructed * 10 + (long)chosen);
}

int main(void)
{
	chosen = heddle_choose(3) + 1;
	return 0;
}
