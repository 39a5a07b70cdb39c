/*
 * op_kinds.h: the one list of kinds of visible operations. It feeds the enum, the table of classes (OP_X
 * has the class op_x, declared in runtime/sched/op_classes.h) and the fakes of the unit tests.
 *
 * Not included by wire.h: a new kind rebuilds only who uses kinds.
 */
#ifndef HEDDLE_WIRE_OP_KINDS_H
#define HEDDLE_WIRE_OP_KINDS_H

/* X(KIND, class). Numbers are part of traces and scripts: append only. */
#define OP_KINDS_LIST(X) \
	X(NONE, none) \
	X(START, start) \
	X(EXIT, exit) /* the process ends */ \
	X(JOIN, join) \
	X(CANCEL, cancel) \
	X(TESTCANCEL, testcancel) \
	X(YIELD, yield) \
	X(SLEEP, sleep) \
	X(MUTEX_LOCK, mutex_lock) \
	X(MUTEX_TRYLOCK, mutex_trylock) \
	X(MUTEX_UNLOCK, mutex_unlock) \
	X(MUTEX_DESTROY, mutex_destroy) \
	X(COND_ENTER, cond_enter) \
	X(COND_WAIT, cond_wait) \
	X(COND_RELOCK, cond_relock) /* woken (or timed out): take the mutex again */ \
	X(COND_SIGNAL, cond_signal) \
	X(COND_BROADCAST, cond_broadcast) \
	X(COND_DESTROY, cond_destroy) \
	X(RW_RDLOCK, rw_rdlock) \
	X(RW_WRLOCK, rw_wrlock) \
	X(RW_TRYRDLOCK, rw_tryrdlock) \
	X(RW_TRYWRLOCK, rw_trywrlock) \
	X(RW_ANNOUNCE, rw_announce) /* a writer queues (writer-preferring locks only) */ \
	X(RW_UNLOCK, rw_unlock) \
	X(RW_DESTROY, rw_destroy) \
	X(SPIN_LOCK, spin_lock) \
	X(SPIN_TRYLOCK, spin_trylock) \
	X(SPIN_UNLOCK, spin_unlock) \
	X(BARRIER_ARRIVE, barrier_arrive) \
	X(BARRIER_LEAVE, barrier_leave) \
	X(SEM_WAIT, sem_wait) \
	X(SEM_TRYWAIT, sem_trywait) \
	X(SEM_POST, sem_post) \
	X(SEM_GETVALUE, sem_getvalue) \
	X(SEM_DESTROY, sem_destroy) \
	X(ONCE, once) \
	X(FUTEX_WAIT, futex_wait) \
	X(FUTEX_SLEEP, futex_sleep) /* asleep */ \
	X(FUTEX_WAKE, futex_wake) \
	X(CHOOSE, choose) \
	X(ATOMIC_BEGIN, atomic_begin) \
	X(PIPE_READ, pipe_read) \
	X(PIPE_WRITE, pipe_write) \
	X(EVENTFD_READ, eventfd_read) \
	X(EVENTFD_WRITE, eventfd_write) \
	X(POLL, poll) \
	X(CLOSE, close) \
	X(FILE, file) \
	X(SIGNAL, signal) /* pthread_kill, kill */ \
	X(BARRIER_DESTROY, barrier_destroy) \
	X(ATOMIC_RMW, atomic_rmw) /* an atomic read-modify-write instruction of the SUT's own code */ \
	X(MEM_READ, mem_read) \
	X(MEM_WRITE, mem_write) \
	X(CONNECT, connect) \
	X(ACCEPT, accept) \
	X(RECV, recv) \
	X(SEND, send) \
	X(SHUTDOWN, shutdown) \
	X(END, end)   /* a thread ends, where somebody can tell when */ \
	X(FREE, free) /* of a heap block with locks or the like in it */ \
	X(SIGWAIT, sigwait) \
	X(PAUSE, pause)             /* waits for a signal that has a handler */ \
	X(SPLICE, splice)           /* between two pipes */ \
	X(SOCKET_LOOK, socket_look) /* how far has the network come? */ \
	X(TIMERFD_READ, timerfd_read) \
	X(SIGNALFD_READ, signalfd_read) \
	X(EPOLL_WAIT, epoll_wait) \
	X(FILE_LOCK, file_lock) \
	X(CREATE, create)  /* of a thread, where it must not be merged: access_hold */ \
	X(REUSE, reuse)    /* an allocation that may get freed memory: sched/recycle.h */ \
	X(RETURN, goes_on) /* a call is over, and a handler may run before the program goes on */

enum op_kind {
#define OP_KIND(kind, class_name) OP_##kind,
	OP_KINDS_LIST(OP_KIND)
#undef OP_KIND
		OP_KINDS
};

#endif
