/*
 * thread_calls.c: what the functions of threads read and write for the program, their objects apart: those
 * the runtime sees. Times, attributes, handles, and buffers that libc shares among all its callers.
 */
#include "hooks/tell.h"

#define IN(object, bytes) tell_range(object, bytes, HOW_READ, HERE);
#define OUT(object, bytes) tell_range(object, bytes, HOW_WRITE, HERE);

#define TELLS(type, name, parameters, arguments, told) \
	WRAP(type, name, parameters) \
	{ \
		told return __real_##name arguments; \
	}

enum {
	SIZEOF_TIMESPEC = 16,
	SIZEOF_HANDLE = 8,
	SIZEOF_KEY = 4,
	SIZEOF_THREAD_ATTR = 56,
	SIZEOF_RWLOCK_ATTR = 8,
	SIZEOF_ATTR = 4, /* of all others */
	SIZEOF_FLOCK = 32,
	SIZEOF_TM = 56,
	TIME_TEXT = 26,
	SCHED_PARAM = 4,
};

/* ---- threads ---- */

/* Before the thread is made: it may read its own handle. */
TELLS(int, pthread_create, (void *handle, const void *attr, void *(*body)(void *), void *arg),
      (handle, attr, body, arg), IN(attr, SIZEOF_THREAD_ATTR) OUT(handle, SIZEOF_HANDLE))
TELLS(int, thrd_create, (void *handle, int (*body)(void *), void *arg), (handle, body, arg),
      OUT(handle, SIZEOF_HANDLE))
WRAP(int, thrd_join, (u64 thread, int *value))
{
	int got = __real_thrd_join(thread, value);

	if (!got)
		OUT(value, sizeof(*value))
	return got;
}
TELLS(int, pthread_key_create, (void *key, void (*end)(void *)), (key, end), OUT(key, SIZEOF_KEY))
TELLS(int, tss_create, (void *key, void (*end)(void *)), (key, end), OUT(key, SIZEOF_KEY))
TELLS(int, pthread_getcpuclockid, (u64 thread, int *clock), (thread, clock), OUT(clock, sizeof(*clock)))
TELLS(int, pthread_setschedparam, (u64 thread, int policy, const void *param), (thread, policy, param),
      IN(param, SCHED_PARAM))
TELLS(int, sched_getparam, (int pid, void *param), (pid, param), OUT(param, SCHED_PARAM))
TELLS(int, sched_setparam, (int pid, const void *param), (pid, param), IN(param, SCHED_PARAM))
TELLS(int, sched_setscheduler, (int pid, int policy, const void *param), (pid, policy, param),
      IN(param, SCHED_PARAM))
TELLS(int, sched_getaffinity, (int pid, usize n, void *set), (pid, n, set), OUT(set, n))
TELLS(int, sched_setaffinity, (int pid, usize n, const void *set), (pid, n, set), IN(set, n))

/* C++'s std::thread holds a handle. */
TELLS(void, _ZNSt6thread4joinEv, (void *self), (self), OUT(self, SIZEOF_HANDLE))
TELLS(void, _ZNSt6thread6detachEv, (void *self), (self), OUT(self, SIZEOF_HANDLE))
TELLS(void, _ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE,
      (void *self, void *state, void (*depend)(void)), (self, state, depend), OUT(self, SIZEOF_HANDLE))

TELLS(void *, sem_open, (const char *name, int flags, u32 mode, u32 value), (name, flags, mode, value),
      tell_text(name, HERE);)
TELLS(int, sem_unlink, (const char *name), (name), tell_text(name, HERE);)

/* ---- until when to wait ---- */

#define TIMED(name) TELLS(int, name, (void *object, const void *t), (object, t), IN(t, SIZEOF_TIMESPEC))
#define TIMED_BY(name) \
	TELLS(int, name, (void *object, int clock, const void *t), (object, clock, t), IN(t, SIZEOF_TIMESPEC))
TIMED(sem_timedwait)
TIMED(pthread_mutex_timedlock)
TIMED(pthread_rwlock_timedrdlock)
TIMED(pthread_rwlock_timedwrlock)
TIMED(mtx_timedlock)
TIMED_BY(sem_clockwait)
TIMED_BY(pthread_mutex_clocklock)
TIMED_BY(pthread_rwlock_clockrdlock)
TIMED_BY(pthread_rwlock_clockwrlock)
TELLS(int, pthread_cond_timedwait, (void *cond, void *mutex, const void *t), (cond, mutex, t),
      IN(t, SIZEOF_TIMESPEC))
TELLS(int, pthread_cond_clockwait, (void *cond, void *mutex, int clock, const void *t),
      (cond, mutex, clock, t), IN(t, SIZEOF_TIMESPEC))
TELLS(int, cnd_timedwait, (void *cond, void *mutex, const void *t), (cond, mutex, t), IN(t, SIZEOF_TIMESPEC))
TELLS(int, thrd_sleep, (const void *t, void *rest), (t, rest), IN(t, SIZEOF_TIMESPEC))

/* ---- attributes ---- */

#define ATTR_NEW(name, bytes) \
	TELLS(int, name##_init, (void *attr), (attr), OUT(attr, bytes)) \
	TELLS(int, name##_destroy, (void *attr), (attr), OUT(attr, bytes))
#define ATTR_SET(name, bytes) TELLS(int, name, (void *attr, usize value), (attr, value), OUT(attr, bytes))
#define ATTR_GET(name, bytes, type) \
	TELLS(int, name, (const void *attr, type *value), (attr, value), \
	      IN(attr, bytes) OUT(value, sizeof(*value)))
#define ATTR_PAIR(name, what, bytes, type) \
	ATTR_SET(name##_set##what, bytes) \
	ATTR_GET(name##_get##what, bytes, type)

ATTR_NEW(pthread_attr, SIZEOF_THREAD_ATTR)
ATTR_PAIR(pthread_attr, detachstate, SIZEOF_THREAD_ATTR, int)
ATTR_PAIR(pthread_attr, stacksize, SIZEOF_THREAD_ATTR, usize)
ATTR_PAIR(pthread_attr, guardsize, SIZEOF_THREAD_ATTR, usize)
ATTR_PAIR(pthread_attr, schedpolicy, SIZEOF_THREAD_ATTR, int)
ATTR_PAIR(pthread_attr, inheritsched, SIZEOF_THREAD_ATTR, int)
ATTR_PAIR(pthread_attr, scope, SIZEOF_THREAD_ATTR, int)
TELLS(int, pthread_attr_setschedparam, (void *attr, const void *param), (attr, param),
      OUT(attr, SIZEOF_THREAD_ATTR) IN(param, SCHED_PARAM))
ATTR_GET(pthread_attr_getschedparam, SIZEOF_THREAD_ATTR, int)
TELLS(int, pthread_attr_setstack, (void *attr, void *stack, usize n), (attr, stack, n),
      OUT(attr, SIZEOF_THREAD_ATTR))
TELLS(int, pthread_attr_getstack, (const void *attr, void **stack, usize *n), (attr, stack, n),
      IN(attr, SIZEOF_THREAD_ATTR) OUT(stack, sizeof(*stack)) OUT(n, sizeof(*n)))
TELLS(int, pthread_getattr_np, (u64 thread, void *attr), (thread, attr), OUT(attr, SIZEOF_THREAD_ATTR))
ATTR_NEW(pthread_mutexattr, SIZEOF_ATTR)
ATTR_PAIR(pthread_mutexattr, type, SIZEOF_ATTR, int)
ATTR_PAIR(pthread_mutexattr, robust, SIZEOF_ATTR, int)
ATTR_PAIR(pthread_mutexattr, pshared, SIZEOF_ATTR, int)
ATTR_PAIR(pthread_mutexattr, protocol, SIZEOF_ATTR, int)
ATTR_NEW(pthread_condattr, SIZEOF_ATTR)
ATTR_PAIR(pthread_condattr, clock, SIZEOF_ATTR, int)
ATTR_PAIR(pthread_condattr, pshared, SIZEOF_ATTR, int)
ATTR_NEW(pthread_rwlockattr, SIZEOF_RWLOCK_ATTR)
ATTR_PAIR(pthread_rwlockattr, pshared, SIZEOF_RWLOCK_ATTR, int)
ATTR_PAIR(pthread_rwlockattr, kind_np, SIZEOF_RWLOCK_ATTR, int)
ATTR_NEW(pthread_barrierattr, SIZEOF_ATTR)
ATTR_PAIR(pthread_barrierattr, pshared, SIZEOF_ATTR, int)

/* ---- memory ---- */

TELLS(int, posix_memalign, (void **to, usize align, usize n), (to, align, n), OUT(to, sizeof(*to)))
TELLS(void, arc4random_buf, (void *to, usize n), (to, n), OUT(to, n))

/* ---- calls that look at other things each time ---- */

#define UNSEEN(what, later) \
	do { \
		if (heddle_rt_unseen) \
			heddle_rt_unseen(what, HERE, later); \
	} while (0)

static void tell_fcntl(int command, const void *arg, const void *pc)
{
	enum { GETLK = 5, SETLK = 6, SETLKW = 7, OFD_GETLK = 36, OFD_SETLK = 37, OFD_SETLKW = 38 };

	if (command == GETLK || command == OFD_GETLK)
		tell_range(arg, SIZEOF_FLOCK, HOW_WRITE, pc);
	if (command == SETLK || command == SETLKW || command == OFD_SETLK || command == OFD_SETLKW)
		tell_range(arg, SIZEOF_FLOCK, HOW_READ, pc);
}
TELLS(int, fcntl, (int fd, int command, void *arg), (fd, command, arg), tell_fcntl(command, arg, HERE);)
TELLS(int, fcntl64, (int fd, int command, void *arg), (fd, command, arg), tell_fcntl(command, arg, HERE);)

/* By number: those that programs make themselves; others are named. */
WRAP(long, syscall, (long nr, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f))
{
	enum { READ, WRITE, SCHED_YIELD = 24, GETPID = 39, SENDTO = 44, RECVFROM, EXIT = 60, GETTID = 186 };
	enum { FUTEX = 202, EXIT_GROUP = 231, TGKILL = 234, GETRANDOM = 318, MEMBARRIER = 324 };

	switch (nr) {
	case READ:
	case WRITE:
	case SENDTO:
	case RECVFROM:
		tell_range((const void *)b, c, nr == READ || nr == RECVFROM ? HOW_WRITE : HOW_READ, HERE);
		break;
	case GETRANDOM:
		tell_range((const void *)a, b, HOW_WRITE, HERE);
		break;
	case SCHED_YIELD:
	case GETPID:
	case EXIT:
	case GETTID:
	case FUTEX: /* the runtime looks at the word */
	case EXIT_GROUP:
	case TGKILL:
	case MEMBARRIER:
		break;
	default:
		UNSEEN("syscall", 0);
	}
	return __real_syscall(nr, a, b, c, d, e, f);
}

/* From now on the stream's functions use the program's memory. */
#define BUFFERED(name) "a buffer given by " name
TELLS(int, setvbuf, (void *file, char *to, int mode, usize n), (file, to, mode, n),
      if (to) UNSEEN(BUFFERED("setvbuf"), 1);)
TELLS(void, setbuf, (void *file, char *to), (file, to), if (to) UNSEEN(BUFFERED("setbuf"), 1);)

/* ---- what libc has once, for all threads ---- */

/* Behind the call: where the result is. */
#define SHARED_RESULT(type, name, parameters, arguments, told, bytes) \
	WRAP(type, name, parameters) \
	{ \
		type got; \
\
		told got = __real_##name arguments; \
		OUT(got, bytes) \
		return got; \
	}
SHARED_RESULT(void *, localtime, (const void *t), (t), IN(t, 8), SIZEOF_TM)
SHARED_RESULT(void *, gmtime, (const void *t), (t), IN(t, 8), SIZEOF_TM)
SHARED_RESULT(char *, ctime, (const void *t), (t), IN(t, 8), TIME_TEXT)
SHARED_RESULT(char *, asctime, (const void *tm), (tm), IN(tm, SIZEOF_TM), TIME_TEXT)

/* d_reclen lies behind d_ino and d_off. */
#define RECORD_LENGTH(entry) (*(const u16 *)((const char *)(entry) + 16))
SHARED_RESULT(void *, readdir, (void *dir), (dir), , got ? RECORD_LENGTH(got) : 0)
SHARED_RESULT(void *, readdir64, (void *dir), (dir), , got ? RECORD_LENGTH(got) : 0)
