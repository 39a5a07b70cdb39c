#include "runtime/sched/access.h"

#include "runtime/sched/sched.h"

static struct footprint touched; /* persistent: of the step that runs, or ran last */

bool access_use(u64 object, enum access_mode mode)
{
	footprint_add(&touched, object, 1, mode);
	return sched_observed(object, mode == ACCESS_WRITE || mode == ACCESS_TRY);
}

void access_declare(u64 object, u32 bytes, enum access_mode mode)
{
	footprint_add(&touched, object, bytes, mode);
}

void access_step_begins(void)
{
	footprint_clear(&touched);
}

const struct footprint *access_footprint(void)
{
	return &touched;
}
