/*
 * system_calls.c: functions whose work the kernel does: buffers, addresses and
 * structures that it reads or fills.
 */
#include <sys/types.h>

#include "hooks/tell.h"

struct iovec {
	void *base;
	usize size;
};
struct msghdr {
	void *name;
	u32 name_size;
	struct iovec *iov;
	usize iov_count;
	void *control;
	usize control_size;
	int flags;
};
struct pollfd {
	int fd;
	short events, revents;
};

static inline __attribute__((always_inline)) void tell_vector(const struct iovec *v, long count, usize bytes,
							      unsigned how, const void *pc)
{
	if (!heddle_rt_access || !v || count <= 0)
		return;
	heddle_rt_access(v, (usize)count * sizeof(*v), HOW_READ, pc);
	for (long i = 0; i < count && bytes; i++) {
		usize n = v[i].size < bytes ? v[i].size : bytes;

		tell_range(v[i].base, n, how, pc);
		bytes -= n;
	}
}

/* ---- bytes in, bytes out ---- */

#define TAKES(name, parameters, arguments, buffer, size) \
	WRAP(long, name, parameters) \
	{ \
		tell_range(buffer, size, HOW_READ, HERE); \
		return __real_##name arguments; \
	}
#define FILLS(name, parameters, arguments, buffer) \
	WRAP(long, name, parameters) \
	{ \
		long got = __real_##name arguments; \
\
		if (got > 0) \
			tell_range(buffer, (usize)got, HOW_WRITE, HERE); \
		return got; \
	}

TAKES(write, (int fd, const void *from, usize n), (fd, from, n), from, n)
TAKES(pwrite, (int fd, const void *from, usize n, long at), (fd, from, n, at), from, n)
TAKES(pwrite64, (int fd, const void *from, usize n, long at), (fd, from, n, at), from, n)
TAKES(send, (int fd, const void *from, usize n, int flags), (fd, from, n, flags), from, n)
FILLS(read, (int fd, void *to, usize n), (fd, to, n), to)
FILLS(pread, (int fd, void *to, usize n, long at), (fd, to, n, at), to)
FILLS(pread64, (int fd, void *to, usize n, long at), (fd, to, n, at), to)
FILLS(recv, (int fd, void *to, usize n, int flags), (fd, to, n, flags), to)
FILLS(__read_chk, (int fd, void *to, usize n, usize room), (fd, to, n, room), to)
FILLS(__recv_chk, (int fd, void *to, usize n, usize room, int flags), (fd, to, n, room, flags), to)
FILLS(getrandom, (void *to, usize n, unsigned flags), (to, n, flags), to)
WRAP(long, readlink, (const char *path, char *to, usize n))
{
	tell_text(path, HERE);
	long got = __real_readlink(path, to, n);
	if (got > 0)
		tell_range(to, (usize)got, HOW_WRITE, HERE);
	return got;
}

WRAP(long, sendto, (int fd, const void *from, usize n, int flags, const void *address, u32 size))
{
	tell_range(from, n, HOW_READ, HERE);
	tell_range(address, size, HOW_READ, HERE);
	return __real_sendto(fd, from, n, flags, address, size);
}
WRAP(long, recvfrom, (int fd, void *to, usize n, int flags, void *address, u32 *size))
{
	long got = __real_recvfrom(fd, to, n, flags, address, size);

	if (got >= 0) {
		tell_range(to, (usize)got < n ? (usize)got : n, HOW_WRITE, HERE);
		if (address && size)
			tell_range(address, *size, HOW_WRITE, HERE);
	}
	return got;
}
WRAP(long, writev, (int fd, const struct iovec *v, int count))
{
	tell_vector(v, count, TELL_WHOLE, HOW_READ, HERE);
	return __real_writev(fd, v, count);
}
WRAP(long, readv, (int fd, const struct iovec *v, int count))
{
	long got = __real_readv(fd, v, count);

	tell_vector(v, count, got > 0 ? (usize)got : 0, HOW_WRITE, HERE);
	return got;
}
WRAP(long, sendmsg, (int fd, const struct msghdr *m, int flags))
{
	tell_range(m, sizeof(*m), HOW_READ, HERE);
	if (m)
		tell_vector(m->iov, (long)m->iov_count, TELL_WHOLE, HOW_READ, HERE);
	return __real_sendmsg(fd, m, flags);
}
WRAP(long, recvmsg, (int fd, struct msghdr *m, int flags))
{
	long got = __real_recvmsg(fd, m, flags);

	if (got >= 0)
		tell_vector(m->iov, (long)m->iov_count, (usize)got, HOW_WRITE, HERE);
	return got;
}

/* ---- addresses and options ---- */

#define GIVES_ADDRESS(name) \
	WRAP(int, name, (int fd, const void *address, u32 size)) \
	{ \
		tell_range(address, size, HOW_READ, HERE); \
		return __real_##name(fd, address, size); \
	}
#define GETS_ADDRESS(name, parameters, arguments) \
	WRAP(int, name, parameters) \
	{ \
		int ret = __real_##name arguments; \
\
		if (ret >= 0 && address && size) { \
			tell_range(size, sizeof(*size), HOW_WRITE, HERE); \
			tell_range(address, *size, HOW_WRITE, HERE); \
		} \
		return ret; \
	}
GIVES_ADDRESS(bind)
GIVES_ADDRESS(connect)
GETS_ADDRESS(accept, (int fd, void *address, u32 *size), (fd, address, size))
GETS_ADDRESS(accept4, (int fd, void *address, u32 *size, int flags), (fd, address, size, flags))
GETS_ADDRESS(getsockname, (int fd, void *address, u32 *size), (fd, address, size))
GETS_ADDRESS(getpeername, (int fd, void *address, u32 *size), (fd, address, size))
GETS_ADDRESS(getsockopt, (int fd, int level, int name, void *address, u32 *size),
	     (fd, level, name, address, size))
WRAP(int, setsockopt, (int fd, int level, int name, const void *value, u32 size))
{
	tell_range(value, size, HOW_READ, HERE);
	return __real_setsockopt(fd, level, name, value, size);
}

/* ---- structures of a fixed size ---- */

#define OUTPUT(type, name, parameters, arguments, object, bytes) \
	WRAP(type, name, parameters) \
	{ \
		tell_range(object, bytes, HOW_WRITE, HERE); \
		return __real_##name arguments; \
	}
#define SIZEOF_STAT 144
#define SIZEOF_TIMESPEC 16
#define SIZEOF_TM 56

OUTPUT(int, pipe, (int *ends), (ends), ends, 8)
OUTPUT(int, pipe2, (int *ends, int flags), (ends, flags), ends, 8)
OUTPUT(int, socketpair, (int domain, int type, int protocol, int *ends), (domain, type, protocol, ends), ends,
       8)
OUTPUT(int, fstat, (int fd, void *st), (fd, st), st, SIZEOF_STAT)
OUTPUT(int, clock_gettime, (int clock, void *ts), (clock, ts), ts, SIZEOF_TIMESPEC)
OUTPUT(int, gettimeofday, (void *tv, void *zone), (tv, zone), tv, SIZEOF_TIMESPEC)
OUTPUT(long, time, (long *t), (t), t, sizeof(long))
WRAP(int, stat, (const char *path, void *st))
{
	tell_text(path, HERE);
	tell_range(st, SIZEOF_STAT, HOW_WRITE, HERE);
	return __real_stat(path, st);
}
WRAP(int, lstat, (const char *path, void *st))
{
	tell_text(path, HERE);
	tell_range(st, SIZEOF_STAT, HOW_WRITE, HERE);
	return __real_lstat(path, st);
}
#define BROKEN_DOWN(name) \
	WRAP(void *, name, (const long *t, void *tm)) \
	{ \
		tell_range(t, sizeof(*t), HOW_READ, HERE); \
		tell_range(tm, SIZEOF_TM, HOW_WRITE, HERE); \
		return __real_##name(t, tm); \
	}
BROKEN_DOWN(localtime_r)
BROKEN_DOWN(gmtime_r)
WRAP(usize, strftime, (char *to, usize n, const char *format, const void *tm))
{
	usize got;

	tell_text(format, HERE);
	tell_range(tm, SIZEOF_TM, HOW_READ, HERE);
	got = __real_strftime(to, n, format, tm);
	if (got)
		tell_range(to, got + 1, HOW_WRITE, HERE);
	return got;
}
WRAP(long, mktime, (void *tm))
{
	tell_range(tm, SIZEOF_TM, HOW_WRITE, HERE);
	return __real_mktime(tm);
}
WRAP(char *, getcwd, (char *to, usize n))
{
	char *got = __real_getcwd(to, n);

	if (got && to)
		tell_range(to, __real_strlen(to) + 1, HOW_WRITE, HERE);
	return got;
}
WRAP(const char *, inet_ntop, (int family, const void *from, char *to, u32 n))
{
	const char *got;

	tell_range(from, family == 2 ? 4 : 16, HOW_READ, HERE);
	got = __real_inet_ntop(family, from, to, n);
	if (got)
		tell_range(to, __real_strlen(to) + 1, HOW_WRITE, HERE);
	return got;
}
WRAP(int, inet_pton, (int family, const char *from, void *to))
{
	int ret;

	tell_text(from, HERE);
	ret = __real_inet_pton(family, from, to);
	if (ret == 1)
		tell_range(to, family == 2 ? 4 : 16, HOW_WRITE, HERE);
	return ret;
}
WRAP(int, poll, (struct pollfd * fds, unsigned long count, int timeout))
{
	int ret;

	tell_range(fds, count * sizeof(*fds), HOW_READ, HERE);
	ret = __real_poll(fds, count, timeout);
	for (unsigned long i = 0; ret >= 0 && i < count; i++)
		tell_range(&fds[i].revents, sizeof(fds[i].revents), HOW_WRITE, HERE);
	return ret;
}
#define PATH_FIRST(type, name, parameters, arguments) \
	WRAP(type, name, parameters) \
	{ \
		tell_text(path, HERE); \
		return __real_##name arguments; \
	}
PATH_FIRST(int, unlink, (const char *path), (path))
PATH_FIRST(int, rmdir, (const char *path), (path))
PATH_FIRST(int, mkdir, (const char *path, u32 mode), (path, mode))
PATH_FIRST(int, chdir, (const char *path), (path))
PATH_FIRST(int, access, (const char *path, int mode), (path, mode))
PATH_FIRST(int, chmod, (const char *path, u32 mode), (path, mode))
PATH_FIRST(int, creat, (const char *path, u32 mode), (path, mode))
PATH_FIRST(void *, opendir, (const char *path), (path))
PATH_FIRST(char *, getenv, (const char *path), (path))
PATH_FIRST(int, unsetenv, (const char *path), (path))
#define TWO_STRINGS(type, name, parameters, arguments) \
	WRAP(type, name, parameters) \
	{ \
		tell_text(a, HERE); \
		tell_text(b, HERE); \
		return __real_##name arguments; \
	}
TWO_STRINGS(int, rename, (const char *a, const char *b), (a, b))
TWO_STRINGS(int, link, (const char *a, const char *b), (a, b))
TWO_STRINGS(int, symlink, (const char *a, const char *b), (a, b))
TWO_STRINGS(void *, fopen, (const char *a, const char *b), (a, b))
TWO_STRINGS(void *, fopen64, (const char *a, const char *b), (a, b))
TWO_STRINGS(int, setenv, (const char *a, const char *b, int overwrite), (a, b, overwrite))
