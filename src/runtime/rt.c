#include "runtime/rt.h"

#include <sys/syscall.h>

#include "base/sys.h"
#include "base/text.h"
#include "wire/wire.h"

struct wire_shared *rt_wire;
struct wire_worker *rt_worker;

void *rt_trees;
struct rt_lessons rt_lessons;

void rt_load_lessons(void)
{
	const struct wire_learnt *l = &rt_wire->learnt;
	rt_lessons = (struct rt_lessons){.clock_read = l->clock_read,
					 .cancel_used = l->cancel_used,
					 .signals_used = l->signals_used,
					 .fair = l->fair,
					 .weak = l->weak,
					 .peer_time = l->peer_time,
					 .busy = l->busy,
					 .heap_reused = l->heap_reused,
					 .recycles = l->recycles ||
						     rt_wire->config.heap_reuse == WIRE_REUSE_ALWAYS};
}

void rt_fail(const char *a, const char *b, const char *c)
{
	if (rt_worker) {
		struct text t;
		text_init(&t, rt_worker->result.error, sizeof(rt_worker->result.error));
		text_str(&t, a);
		text_str(&t, b);
		text_str(&t, c);
		rt_worker->phase = WIRE_FAILED;
	}
	sys_call3(SYS_exit_group, 70, 0, 0);
	__builtin_unreachable();
}

void hd_panic(const char *file, int line, const char *what)
{
	char buf[256];
	struct text t;
	text_init(&t, buf, sizeof(buf));
	text_str(&t, file);
	text_str(&t, ":");
	text_dec(&t, line);
	text_str(&t, ": ");
	rt_fail("internal error at ", buf, what);
}
