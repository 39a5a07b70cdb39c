#include "session/time_limit.h"

#include "base/clock.h"

static struct {
	u64 end_ms, whole_ms; /* of the round, of the session; 0: there is none */
	bool (*interrupted)(void);
} limit;

void time_limit_begin(u64 max_ms, bool (*interrupted)(void))
{
	limit.end_ms = limit.whole_ms = max_ms ? monotonic_ms() + max_ms : 0;
	limit.interrupted = interrupted;
}

u64 time_limit_round(u64 asked_ms)
{
	u64 now = monotonic_ms(), left = limit.whole_ms > now ? limit.whole_ms - now : 1;
	if (limit.whole_ms)
		asked_ms = asked_ms ? HD_MIN(asked_ms, left) : left;
	limit.end_ms = asked_ms ? now + asked_ms : 0;
	return asked_ms;
}

const u64 *time_limit_end(void)
{
	return &limit.end_ms;
}

bool time_limit_is_over(u64 grace_ms)
{
	return limit.end_ms && monotonic_ms() >= limit.end_ms + grace_ms;
}

bool time_limit_is_out(void)
{
	return limit.whole_ms && monotonic_ms() >= limit.whole_ms;
}

bool time_limit_give_up(void)
{
	return (limit.interrupted && limit.interrupted()) || time_limit_is_over(STOP_AFTER_MS);
}
