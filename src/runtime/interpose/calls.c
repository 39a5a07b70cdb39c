/*
 * Frequent system calls, taken at their libc wrappers: the same as trapping them, without the
 * cost of a signal. Everything else reaches the virtual kernel through trap/.
 */
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/rt.h"
#include "runtime/interpose/interpose.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/thread.h"
#include "runtime/vkernel/vk.h"

static __attribute__((noinline)) long call(long nr, long a, long b, long c, long d, u64 pc)
{
	struct vk_call k = {.nr = nr, .a = {a, b, c, d, 0, 0}, .pc = pc};
	start_early(); /* time and names are virtual from the first constructor on */
	return errno_from(vk_syscall(&k));
}

static __attribute__((noinline)) long call_fd(long nr, long a, long b, long c, u64 pc)
{
	struct vk_call k = {.nr = nr, .a = {a, b, c}, .pc = pc};
	return descriptor_call(&k);
}

DOOR(ssize_t, read)(int fd, void *buf, size_t n)
{
	return call_fd(SYS_read, fd, (long)buf, (long)n, DOOR_CALLER);
}

DOOR(ssize_t, write)(int fd, const void *buf, size_t n)
{
	return call_fd(SYS_write, fd, (long)buf, (long)n, DOOR_CALLER);
}

DOOR(ssize_t, readv)(int fd, const struct iovec *iov, int n)
{
	return call_fd(SYS_readv, fd, (long)iov, n, DOOR_CALLER);
}

DOOR(ssize_t, writev)(int fd, const struct iovec *iov, int n)
{
	return call_fd(SYS_writev, fd, (long)iov, n, DOOR_CALLER);
}

DOOR(int, close)(int fd)
{
	return (int)call_fd(SYS_close, fd, 0, 0, DOOR_CALLER);
}

static __attribute__((noinline)) int call_fstat(int fd, struct stat *st, u64 pc)
{
	struct vk_call k = {.nr = SYS_fstat, .a = {fd, (long)st}, .pc = pc, .by_program = true};
	return (int)descriptor_call(&k);
}

DOOR(int, fstat)(int fd, struct stat *st)
{
	return call_fstat(fd, st, DOOR_CALLER);
}

DOOR(int, fstat64)(int fd, struct stat64 *st)
{
	return call_fstat(fd, (struct stat *)st, DOOR_CALLER);
}

DOOR(int, poll)(struct pollfd *fds, nfds_t n, int timeout)
{
	return (int)call_fd(SYS_poll, (long)fds, (long)n, timeout, DOOR_CALLER);
}

DOOR(pid_t, getpid)(void)
{
	return (pid_t)call(SYS_getpid, 0, 0, 0, 0, DOOR_CALLER);
}

DOOR(pid_t, gettid)(void)
{
	return (pid_t)call(SYS_gettid, 0, 0, 0, 0, DOOR_CALLER);
}

DOOR(int, clock_gettime)(clockid_t clock, struct timespec *ts)
{
	return (int)call(SYS_clock_gettime, clock, (long)ts, 0, 0, DOOR_CALLER);
}

DOOR(int, gettimeofday)(struct timeval *tv, void *tz)
{
	return (int)call(SYS_gettimeofday, (long)tv, (long)tz, 0, 0, DOOR_CALLER);
}

DOOR(time_t, time)(time_t *out)
{
	return call(SYS_time, (long)out, 0, 0, 0, DOOR_CALLER);
}

DOOR(int, nanosleep)(const struct timespec *ts, struct timespec *rest)
{
	return (int)call(SYS_nanosleep, (long)ts, (long)rest, 0, 0, DOOR_CALLER);
}

DOOR(int, clock_nanosleep)(clockid_t clock, int flags, const struct timespec *ts, struct timespec *rest)
{
	int before = errno;
	int error = call(SYS_clock_nanosleep, clock, flags, (long)ts, (long)rest, DOOR_CALLER) ? errno : 0;
	errno = before;
	return error;
}

DOOR(int, usleep)(useconds_t us)
{
	struct timespec ts = {us / 1000000, (long)(us % 1000000) * 1000};
	return (int)call(SYS_nanosleep, (long)&ts, 0, 0, 0, DOOR_CALLER);
}

DOOR(unsigned, sleep)(unsigned seconds)
{
	struct timespec ts = {seconds, 0};
	int before = errno;
	if (!call(SYS_nanosleep, (long)&ts, (long)&ts, 0, 0, DOOR_CALLER))
		return 0;
	errno = before;
	return (unsigned)ts.tv_sec;
}
