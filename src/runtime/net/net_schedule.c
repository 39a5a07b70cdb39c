#include "runtime/net/net_schedule.h"

#include "base/text.h"
#include "search/search.h"
#include "wire/action.h"

/* "1 1 2×3 1": threads in the order in which they moved; the beginning is left out if it is long. */
static void describe(struct text *t)
{
	enum { SHOWN = 60 };
	u64 len;
	const u32 *path = search_current_path(&len);
	u64 from = len > SHOWN ? len - SHOWN : 0;
	text_str(t, from ? "threads … " : "threads ");
	for (u64 i = from; i < len;) {
		u64 run = 1;
		while (i + run < len && ACTION_FIBER(path[i + run]) == ACTION_FIBER(path[i]))
			run++;
		text_str(t, i == from ? "" : " ");
		text_dec(t, (long)ACTION_FIBER(path[i]) + 1);
		if (run > 1) {
			text_str(t, "×");
			text_dec(t, (long)run);
		}
		i += run;
	}
}

void net_schedule(void *self, char *out, size_t cap)
{
	struct text t;
	(void)self;
	text_init(&t, out, cap);
	describe(&t);
}
