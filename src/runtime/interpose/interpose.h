/*
 * interpose.h: common to the functions of libc that the runtime defines in its place. Each is a DOOR
 * (kstack.h): it converts types and calls the module that does the work, on the fiber's kernel stack; it
 * holds no logic of its own.
 */
#ifndef HEDDLE_RUNTIME_INTERPOSE_H
#define HEDDLE_RUNTIME_INTERPOSE_H

#include <errno.h>
#include <time.h>

#include "base/base.h"
#include "base/sys.h"
#include "runtime/kstack/kstack.h"
#include "runtime/sched/sched.h"
#include "runtime/start/start.h"
#include "runtime/vkernel/vk.h"

/* POSIX functions that return -1 and set errno. */
static inline int errno_result(int error)
{
	if (!error)
		return 0;
	errno = error;
	return -1;
}

/* Kernel style result to libc style. */
static inline long errno_from(long result)
{
	if (result >= 0 || result < -4095)
		return result;
	errno = (int)-result;
	return -1;
}

/*
 * A call about a descriptor: those of a library's constructor are real, since ld.so runs it before the
 * program is taken over.
 */
static inline long descriptor_call(struct vk_call *c)
{
	if (hd_unlikely(!start_taken_over()))
		return errno_from(sys_call6(c->nr, c->a[0], c->a[1], c->a[2], c->a[3], c->a[4], c->a[5]));
	return errno_from(vk_syscall(c));
}

static inline bool timespec_ok(const struct timespec *ts)
{
	return ts->tv_nsec >= 0 && ts->tv_nsec < 1000000000L;
}

#endif
