/*
 * struct_calls.c: strings and structures of a known size that functions of the C library are given, where
 * nothing but their address and size matters. Sizes are glibc's for x86-64.
 */
#include "hooks/tell.h"

#define IN(object, bytes) tell_range(object, bytes, HOW_READ, HERE);
#define OUT(object, bytes) tell_range(object, bytes, HOW_WRITE, HERE);
#define STRING(s) tell_text(s, HERE);

/* What is told before the call. */
#define TELLS(type, name, parameters, arguments, told) \
	WRAP(type, name, parameters) \
	{ \
		told return __real_##name arguments; \
	}
/* The same, and then what a call that succeeds has written. */
#define TELLS_THEN(type, name, parameters, arguments, told, good, written) \
	WRAP(type, name, parameters) \
	{ \
		type got; \
\
		told got = __real_##name arguments; \
		if (good) { \
			written \
		} \
		return got; \
	}

enum {
	SIZEOF_TIME = 8,
	SIZEOF_TIMESPEC = 16,
	SIZEOF_TIMER = 32,
	SIZEOF_TM = 56,
	SIZEOF_SIGSET = 128,
	SIZEOF_SIGACTION = 152,
	SIZEOF_SIGINFO = 128,
	SIZEOF_STACK = 24,
	SIZEOF_EPOLL_EVENT = 12,
	SIZEOF_RLIMIT = 16,
	SIZEOF_RUSAGE = 144,
	SIZEOF_UTSNAME = 390,
	SIZEOF_ADDRINFO = 48,
	SIZEOF_STAT = 144,
	SIZEOF_FPOS = 16,
	TIME_TEXT = 26,
};

/* ---- files ---- */

TELLS(int, open, (const char *path, int flags, u32 mode), (path, flags, mode), STRING(path))
TELLS(int, open64, (const char *path, int flags, u32 mode), (path, flags, mode), STRING(path))
TELLS(int, openat, (int fd, const char *path, int flags, u32 mode), (fd, path, flags, mode), STRING(path))
TELLS(int, openat64, (int fd, const char *path, int flags, u32 mode), (fd, path, flags, mode), STRING(path))
TELLS(int, unlinkat, (int fd, const char *path, int flags), (fd, path, flags), STRING(path))
TELLS(int, mkdirat, (int fd, const char *path, u32 mode), (fd, path, mode), STRING(path))
TELLS(int, faccessat, (int fd, const char *path, int mode, int flags), (fd, path, mode, flags), STRING(path))
TELLS(int, renameat, (int fd, const char *path, int fd2, const char *path2), (fd, path, fd2, path2),
      STRING(path) STRING(path2))
TELLS(int, fstatat, (int fd, const char *path, void *st, int flags), (fd, path, st, flags),
      STRING(path) OUT(st, SIZEOF_STAT))
TELLS(int, mkfifo, (const char *path, u32 mode), (path, mode), STRING(path))
TELLS(int, chown, (const char *path, u32 user, u32 group), (path, user, group), STRING(path))
TELLS(int, memfd_create, (const char *path, u32 flags), (path, flags), STRING(path))
TELLS(int, mkstemp, (char *path), (path), STRING(path) OUT(path, __real_strlen(path)))
TELLS(char *, mkdtemp, (char *path), (path), STRING(path) OUT(path, __real_strlen(path)))
TELLS_THEN(char *, realpath, (const char *path, char *to), (path, to), STRING(path), got &&to,
	   OUT(to, __real_strlen(to) + 1))
TELLS(void *, freopen, (const char *path, const char *mode, void *file), (path, mode, file),
      STRING(path) STRING(mode))
TELLS(int, fgetpos, (void *file, void *at), (file, at), OUT(at, SIZEOF_FPOS))
TELLS(int, fsetpos, (void *file, const void *at), (file, at), IN(at, SIZEOF_FPOS))

/* ---- time ---- */

TELLS_THEN(int, nanosleep, (const void *t, void *rest), (t, rest), IN(t, SIZEOF_TIMESPEC), got < 0,
	   OUT(rest, SIZEOF_TIMESPEC))
TELLS_THEN(int, clock_nanosleep, (int clock, int flags, const void *t, void *rest), (clock, flags, t, rest),
	   IN(t, SIZEOF_TIMESPEC), got != 0, OUT(rest, SIZEOF_TIMESPEC))
TELLS(int, clock_getres, (int clock, void *t), (clock, t), OUT(t, SIZEOF_TIMESPEC))
TELLS(char *, ctime_r, (const void *t, char *to), (t, to), IN(t, SIZEOF_TIME) OUT(to, TIME_TEXT))
TELLS(char *, asctime_r, (const void *tm, char *to), (tm, to), IN(tm, SIZEOF_TM) OUT(to, TIME_TEXT))
TELLS(long, timegm, (void *tm), (tm), OUT(tm, SIZEOF_TM))
TELLS(int, timerfd_settime, (int fd, int flags, const void *t, void *old), (fd, flags, t, old),
      IN(t, SIZEOF_TIMER) OUT(old, SIZEOF_TIMER))
TELLS(int, timerfd_gettime, (int fd, void *t), (fd, t), OUT(t, SIZEOF_TIMER))
TELLS(int, setitimer, (int which, const void *t, void *old), (which, t, old),
      IN(t, SIZEOF_TIMER) OUT(old, SIZEOF_TIMER))
TELLS(int, getitimer, (int which, void *t), (which, t), OUT(t, SIZEOF_TIMER))

/* ---- signals ---- */

TELLS(int, sigemptyset, (void *set), (set), OUT(set, SIZEOF_SIGSET))
TELLS(int, sigfillset, (void *set), (set), OUT(set, SIZEOF_SIGSET))
TELLS(int, sigaddset, (void *set, int sig), (set, sig), OUT(set, SIZEOF_SIGSET))
TELLS(int, sigdelset, (void *set, int sig), (set, sig), OUT(set, SIZEOF_SIGSET))
TELLS(int, sigismember, (const void *set, int sig), (set, sig), IN(set, SIZEOF_SIGSET))
TELLS(int, sigaction, (int sig, const void *act, void *old), (sig, act, old),
      IN(act, SIZEOF_SIGACTION) OUT(old, SIZEOF_SIGACTION))
TELLS(int, sigprocmask, (int how, const void *set, void *old), (how, set, old),
      IN(set, SIZEOF_SIGSET) OUT(old, SIZEOF_SIGSET))
TELLS(int, pthread_sigmask, (int how, const void *set, void *old), (how, set, old),
      IN(set, SIZEOF_SIGSET) OUT(old, SIZEOF_SIGSET))
TELLS_THEN(int, sigwaitinfo, (const void *set, void *info), (set, info), IN(set, SIZEOF_SIGSET), got > 0,
	   OUT(info, SIZEOF_SIGINFO))
TELLS_THEN(int, sigtimedwait, (const void *set, void *info, const void *t), (set, info, t),
	   IN(set, SIZEOF_SIGSET) IN(t, SIZEOF_TIMESPEC), got > 0, OUT(info, SIZEOF_SIGINFO))
TELLS(int, sigpending, (void *set), (set), OUT(set, SIZEOF_SIGSET))
TELLS(int, sigsuspend, (const void *set), (set), IN(set, SIZEOF_SIGSET))
TELLS_THEN(int, sigwait, (const void *set, int *sig), (set, sig), IN(set, SIZEOF_SIGSET), got == 0,
	   OUT(sig, sizeof(*sig)))
TELLS(int, sigaltstack, (const void *stack, void *old), (stack, old),
      IN(stack, SIZEOF_STACK) OUT(old, SIZEOF_STACK))

/* ---- threads: where results go ---- */

TELLS_THEN(int, pthread_join, (u64 thread, void **value), (thread, value), , got == 0,
	   OUT(value, sizeof(*value)))
TELLS_THEN(int, pthread_tryjoin_np, (u64 thread, void **value), (thread, value), , got == 0,
	   OUT(value, sizeof(*value)))
TELLS_THEN(int, pthread_timedjoin_np, (u64 thread, void **value, const void *t), (thread, value, t),
	   IN(t, SIZEOF_TIMESPEC), got == 0, OUT(value, sizeof(*value)))
TELLS(int, pthread_setcancelstate, (int state, int *old), (state, old), OUT(old, sizeof(*old)))
TELLS(int, pthread_setcanceltype, (int type, int *old), (type, old), OUT(old, sizeof(*old)))
TELLS(int, sem_getvalue, (void *sem, int *value), (sem, value), OUT(value, sizeof(*value)))
TELLS_THEN(int, pthread_getname_np, (u64 thread, char *to, usize n), (thread, to, n), , got == 0,
	   OUT(to, __real_strnlen(to, n) + 1))
TELLS(int, pthread_setname_np, (u64 thread, const char *name), (thread, name), STRING(name))
TELLS(int, pthread_getschedparam, (u64 thread, int *policy, int *param), (thread, policy, param),
      OUT(policy, sizeof(*policy)) OUT(param, sizeof(*param)))
TELLS(int, pthread_getaffinity_np, (u64 thread, usize n, void *set), (thread, n, set), OUT(set, n))
TELLS(int, pthread_setaffinity_np, (u64 thread, usize n, const void *set), (thread, n, set), IN(set, n))

/* ---- waiting for several descriptors ---- */

TELLS(int, epoll_ctl, (int ep, int op, int fd, const void *event), (ep, op, fd, event),
      IN(event, SIZEOF_EPOLL_EVENT))
TELLS_THEN(int, epoll_wait, (int ep, void *events, int max, int timeout), (ep, events, max, timeout), ,
	   got > 0, OUT(events, (usize)got *SIZEOF_EPOLL_EVENT))
#define SET(s) OUT(s, ((usize)(n < 0 ? 0 : n) + 63) / 64 * 8)
TELLS(int, select, (int n, void *r, void *w, void *e, const void *t), (n, r, w, e, t),
      SET(r) SET(w) SET(e) IN(t, SIZEOF_TIMESPEC))
TELLS_THEN(int, eventfd_read, (int fd, u64 *value), (fd, value), , got == 0, OUT(value, sizeof(*value)))

/* ---- the process and its host ---- */

TELLS(int, getrlimit, (int which, void *limit), (which, limit), OUT(limit, SIZEOF_RLIMIT))
TELLS(int, setrlimit, (int which, const void *limit), (which, limit), IN(limit, SIZEOF_RLIMIT))
TELLS(int, getrusage, (int who, void *usage), (who, usage), OUT(usage, SIZEOF_RUSAGE))
TELLS(int, uname, (void *name), (name), OUT(name, SIZEOF_UTSNAME))
TELLS_THEN(int, gethostname, (char *to, usize n), (to, n), , got == 0, OUT(to, __real_strnlen(to, n) + 1))
TELLS(char *, setlocale, (int which, const char *name), (which, name), STRING(name))
TELLS(int, putenv, (char *text), (text), STRING(text))
TELLS_THEN(char *, strerror_r, (int error, char *to, usize n), (error, to, n), , got == to,
	   OUT(to, __real_strnlen(to, n) + 1))
TELLS(u32, inet_addr, (const char *text), (text), STRING(text))
TELLS(int, inet_aton, (const char *text, void *to), (text, to), STRING(text) OUT(to, 4))
TELLS(int, getaddrinfo, (const char *node, const char *service, const void *hints, void *found),
      (node, service, hints, found), STRING(node) STRING(service) IN(hints, SIZEOF_ADDRINFO) OUT(found, 8))
TELLS(void *, gethostbyname, (const char *name), (name), STRING(name))

/* ---- bytes and strings ---- */

TELLS(void, explicit_bzero, (void *to, usize n), (to, n), OUT(to, n))
TELLS(int, strverscmp, (const char *a, const char *b), (a, b), STRING(a) STRING(b))
TELLS_THEN(usize, strlcpy, (char *to, const char *from, usize n), (to, from, n), STRING(from), n,
	   OUT(to, (got < n ? got : n - 1) + 1))

/* ---- numbers by address ---- */

TELLS(double, modf, (double x, double *whole), (x, whole), OUT(whole, sizeof(*whole)))
TELLS(double, frexp, (double x, int *exponent), (x, exponent), OUT(exponent, sizeof(*exponent)))
TELLS(void, sincos, (double x, double *s, double *c), (x, s, c), OUT(s, sizeof(*s)) OUT(c, sizeof(*c)))
TELLS(int, rand_r, (u32 * seed), (seed), OUT(seed, sizeof(*seed)))
