/* Ways in which a program says that something is wrong. */
#include <assert.h>
#include <string.h>

#include "runtime/interpose/interpose.h"
#include "runtime/sched/sched.h"

static HD_NORETURN void failed(const char *what, const char *file, unsigned line, const char *function,
			       u64 pc)
{
	char buf[512];
	struct text t;
	text_init(&t, buf, sizeof(buf));
	text_fmt(&t, "%s:%u: ", file, line);
	if (function) {
		text_str(&t, function);
		text_str(&t, ": ");
	}
	text_fmt(&t, "assertion `%s' failed", what);
	sched_violation(VIOLATION_ASSERT, pc, 0, buf);
}

DOOR(void, __assert_fail)(const char *what, const char *file, unsigned line, const char *function)
{
	failed(what, file, line, function, DOOR_CALLER);
}

DOOR(void, __assert_perror_fail)(int error, const char *file, unsigned line, const char *function)
{
	failed(strerror(error), file, line, function, DOOR_CALLER);
}

DOOR(void, __assert)(const char *what, const char *file, int line)
{
	failed(what, file, (unsigned)line, NULL, DOOR_CALLER);
}
