/*
 * state.h: libc's own functions behind those that interpose/libc_state_doors.S exports in their place: they
 * use state that all threads share, and others are told of that first.
 */
#ifndef HEDDLE_RUNTIME_LIBC_STATE_H
#define HEDDLE_RUNTIME_LIBC_STATE_H

#include <stdio.h>

#include "base/base.h"

#define STATE(name, arguments, after, object, use) LIBC_STATE_##name,
enum libc_state_function {
#include "runtime/libc/state_list.h"
	LIBC_STATE_FUNCTIONS
};
#undef STATE

/* By enum libc_state_function; 0: not looked up yet. Read by the stubs. */
extern u64 libc_real[LIBC_STATE_FUNCTIONS] __attribute__((visibility("hidden")));
/* Look one up, if that has not been done: a library's constructor calls it. */
__attribute__((visibility("hidden"))) u64 libc_state_find(u64 index);
/* Look up all of them, and the streams. */
void libc_state_setup(void);

/* stdin, stdout, stderr as they were made; the list of all streams. */
extern FILE *libc_standard[3], **libc_streams;

#endif
