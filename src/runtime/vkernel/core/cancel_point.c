/*
 * cancel_point.c: system calls whose wrappers in libc are cancellation points (pthreads(7), and what glibc
 * makes one beyond that list), and that would not be steps, or not ones at which a request is acted upon.
 * Before it acts, such a call looks for a request, whether it would have waited or not.
 *
 * That is a step of its own, and costs states: so only once some thread is cancelled at all.
 */
#include <asm/ioctls.h>

#include "runtime/sched/thread.h"
#include "runtime/vkernel/core/call.h"
#include "runtime/vkernel/sockets/sock.h"
#include "wire/wire.h"

/* Does it begin with a step on this descriptor that is a cancellation point itself? */
static bool steps_on(int fd)
{
	const struct vk_desc *d = vk_fd_peek(fd);
	return d && vk_desc_steps_first(d);
}

static bool accepts_by_step(int fd)
{
	const struct vk_desc *d = vk_fd_peek(fd);
	return d && d->kind == VK_SOCKET && sock_of(d)->flavour == SOCK_LISTEN;
}

/* LATER: it will be a step that is one, unless it fails before. What a number means may change in between. */
enum point { NO_POINT, BEFORE, LATER };

static HD_NOINLINE enum point point_of(const struct vk_call *c)
{
	int fd = (int)c->a[0], command = (int)c->a[1];
	switch (c->nr) {
	case __NR_read:
	case __NR_write:
	case __NR_readv:
	case __NR_writev:
	case __NR_recvfrom:
	case __NR_recvmsg:
	case __NR_recvmmsg:
	case __NR_sendto:
	case __NR_sendmsg:
	case __NR_sendmmsg:
		return steps_on(fd) ? LATER : BEFORE;
	case __NR_accept:
	case __NR_accept4:
		return accepts_by_step(fd) ? LATER : BEFORE;
	case __NR_select:
	case __NR_pselect6:
	case __NR_poll:
	case __NR_ppoll:
	case __NR_epoll_wait:
	case __NR_epoll_pwait:
	case __NR_epoll_pwait2:
	case __NR_nanosleep:
	case __NR_clock_nanosleep:
	case __NR_rt_sigtimedwait:
	case __NR_rt_sigsuspend:
	case __NR_pause:
		return LATER;
	case __NR_fcntl:
		return command == F_SETLKW || command == F_OFD_SETLKW ? BEFORE : NO_POINT;
	case __NR_ioctl: /* tcdrain */
		return command == TCSBRK && c->a[2] == 1 ? BEFORE : NO_POINT;
	case __NR_connect:
	case __NR_pread64:
	case __NR_pwrite64:
	case __NR_preadv:
	case __NR_pwritev:
	case __NR_preadv2:
	case __NR_pwritev2:
	case __NR_open:
	case __NR_openat:
	case __NR_creat:
	case __NR_open_by_handle_at:
	case __NR_close:
	case __NR_fsync:
	case __NR_fdatasync:
	case __NR_sync_file_range:
	case __NR_fallocate:
	case __NR_copy_file_range:
	case __NR_splice:
	case __NR_tee:
	case __NR_vmsplice:
	case __NR_msync:
	case __NR_getrandom:
	case __NR_wait4:
	case __NR_waitid:
	case __NR_msgrcv:
	case __NR_msgsnd:
		return BEFORE;
	default:
		return NO_POINT;
	}
}

void vk_cancel_point(struct vk_call *c)
{
	c->cancel_looked = true;
	if (hd_unlikely(rt_lessons.cancel_used) && !c->no_cancel)
		thread_testcancel();
}

void vk_cancel_point_before(struct vk_call *c)
{
	if (point_of(c) == BEFORE)
		vk_cancel_point(c);
}

void vk_cancel_point_after(struct vk_call *c)
{
	if (!c->cancel_looked && point_of(c) != NO_POINT)
		vk_cancel_point(c);
}
