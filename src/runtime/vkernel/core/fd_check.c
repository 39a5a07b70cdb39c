/*
 * fd_check.c: --check-fds. Who closes a number is remembered; a call that then finds it closed, or was about
 * to use it when it was closed, and a second close, are violations. A number that was given to something else
 * since cannot be told from one that is meant; but before that happens the call could have come, and that is
 * explored.
 */
#include "base/text.h"
#include "runtime/rt.h"
#include "runtime/vkernel/core/call.h"
#include "wire/wire.h"

static bool checks(int fd)
{
	return rt_wire->config.check_fds && fd >= 0 && fd < VK_MAX_FDS;
}

void vk_fd_closed_by_self(int fd)
{
	if (checks(fd))
		vk->closed_by[fd] = (u16)(sched_self_slot() + 1);
}

void vk_fd_replaced(int fd)
{
	if (checks(fd))
		vk->closed_by[fd] = 0;
}

static HD_NORETURN void fail(struct vk_call *c, int fd, u32 closer, const char *what, const char *which)
{
	char buf[160];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	text_fmt(&t, "thread %u %s descriptor ", sched_self_slot() + 1, what);
	text_dec(&t, fd);
	text_fmt(&t, "%s thread %u has closed before", which, closer);
	sched_violation(VIOLATION_FD_MISUSE, c->pc, 0, buf);
}

void vk_fd_check_use(struct vk_call *c, int fd)
{
	u32 closer = checks(fd) ? vk->closed_by[fd] : 0;

	if (closer && closer != sched_self_slot() + 1)
		fail(c, fd, closer, "uses", ", which");
}

void vk_fd_check_close(struct vk_call *c, int fd)
{
	u32 closer = checks(fd) ? vk->closed_by[fd] : 0;

	if (closer)
		fail(c, fd, closer, "closes", " again, which");
}
