#include "runtime/scratch.h"

#include "base/pages.h"

#define SCRATCH_STACK (256u << 10)

static u64 top;
static bool there;

void scratch_setup(void)
{
	char *stack = pages_map(SCRATCH_STACK);
	hd_assert(stack);
	top = (u64)stack + SCRATCH_STACK;
}

void scratch_reset(void)
{
	there = false;
}

u64 scratch_call(scratch_fn fn, u64 a, u64 b, u64 c, u64 d)
{
	if (there)
		return fn(a, b, c, d);
	there = true;
	u64 result = scratch_switch(fn, a, b, c, d, top);
	there = false;
	return result;
}
