/*
 * libc.h: the few things of glibc that the runtime calls, looked up once at start. Private
 * symbols of glibc (GLIBC_PRIVATE) are used here and nowhere else.
 */
#ifndef HEDDLE_RUNTIME_LIBC_H
#define HEDDLE_RUNTIME_LIBC_H

#include "base/base.h"

struct rt_libc {
	void *(*dl_allocate_tls)(void *mem);
	void (*dl_deallocate_tls)(void *tcb, bool free_tcb);
	void (*call_tls_dtors)(void);
	void (*ctype_init)(void);
	void (*pthread_exit)(void *) HD_NORETURN;
	void (*exit)(int) HD_NORETURN;
	int (*start_main)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void),
			  void (*)(void), void *);
	u64 tls_size, tls_align, sizeof_pthread, tid_offset;
	/* Handle of a thread that has ended: glibc keeps its stack, with a thread id in it. */
	u64 first_thread;
	/* Bytes below the thread control block that hold variables of the modules loaded at start. */
	u64 tls_used;
	bool have_fsgsbase;
};
extern struct rt_libc rt_libc;

/*
 * Find all of it; the real start_main depends on how the program was linked. Panics with a sentence when a
 * piece is missing.
 */
void libc_find(bool old_start);

#endif
