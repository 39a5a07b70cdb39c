#include "faulty_pages.h"

#include <errno.h>
#include <sys/syscall.h>

#include "base/sys.h"

struct faulty_pages faulty_pages;

void faulty_pages_arm(u64 fail_at, bool for_good)
{
	faulty_pages = (struct faulty_pages){.fail_at = fail_at, .for_good = for_good};
}

static bool fails(void)
{
	struct faulty_pages *f = &faulty_pages;
	bool now = ++f->requests == f->fail_at || (f->for_good && f->fail_at && f->requests > f->fail_at);
	f->failed += now;
	return now;
}

/* pages.c maps and remaps with six arguments, and unmaps with three. */
static long faulty_call6(long nr, long a, long b, long c, long d, long e, long f)
{
	if (fails())
		return -ENOMEM;
	long ret = sys_call6(nr, a, b, c, d, e, f);
	if (!sys_failed(ret))
		faulty_pages.mapped += nr == SYS_mremap ? c - b : b;
	return ret;
}

static long faulty_call3(long nr, long a, long b, long c)
{
	faulty_pages.mapped -= b;
	return sys_call3(nr, a, b, c);
}

#define sys_call6 faulty_call6
#define sys_call3 faulty_call3
#include "../../src/base/pages.c"
