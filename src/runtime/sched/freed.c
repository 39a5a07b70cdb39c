#include "runtime/sched/freed.h"

#include "base/text.h"
#include "runtime/heap/heap.h"
#include "runtime/heap/sites.h"
#include "runtime/sched/access.h"
#include "runtime/sched/op_classes.h"
#include "wire/layout.h"

static HD_NORETURN void use_of_freed(u64 object, const char *what, u64 pc)
{
	char buf[400];
	struct text t;
	text_init(&t, buf, sizeof(buf));
	text_fmt(&t, "use of %s in freed memory: ", what);
	text_addr(&t, object);
	sites_describe(object, &t);
	sched_violation(VIOLATION_LOCK_MISUSE, pc, object, buf);
}

HD_NOINLINE void freed_check(u64 object, const char *what, u64 pc)
{
	u64 start, size;
	if (object - LAYOUT_HEAP_BASE >= LAYOUT_MAX_FIBERS * LAYOUT_HEAP_STRIDE)
		return;
	if (hd_unlikely(!heap_find((const void *)object, &start, &size)))
		use_of_freed(object, what, pc);
}

void freed_block(u64 block, u64 bytes)
{
	if (hd_likely(!access_free(block, bytes)))
		return;
	struct op o = {.kind = OP_FREE, .object = block, .n = (u32)HD_MIN(bytes, 0xffffffffUL)};
	sched_step(&o);
}

static void free_accesses(const struct fiber *f, const struct op *o, u32 alt)
{
	(void)f;
	(void)alt;
	access_declare(o->object, o->n, ACCESS_WRITE);
}

/* object: the block, n: its size */
const struct op_class op_free = {.name = "frees the block at", .accesses = free_accesses};
