#include "runtime/libc/streams.h"

#include <stdio.h>

#include "runtime/libc/state.h"
#include "wire/layout.h"

/* With more of them the list is left alone. */
#define STREAMS_MAX 256

/* Whose it is: streams lie in the heap of who opened them, or for a moment on a stack. */
static u64 thread_of(const FILE *f)
{
	u64 heap = (u64)f - LAYOUT_HEAP_BASE, stack = (u64)f - LAYOUT_STACK_BASE;
	if (heap < LAYOUT_MAX_FIBERS * LAYOUT_HEAP_STRIDE)
		return heap / LAYOUT_HEAP_STRIDE;
	return stack < LAYOUT_MAX_FIBERS * LAYOUT_STACK_STRIDE ? stack / LAYOUT_STACK_STRIDE
							       : LAYOUT_MAX_FIBERS;
}

bool libc_streams_open(void)
{
	return libc_streams && *libc_streams != libc_standard[2];
}

static bool in_order(void)
{
	for (const FILE *f = *libc_streams; f && f->_chain; f = f->_chain)
		if (thread_of(f) > thread_of(f->_chain))
			return thread_of(f) ==
			       LAYOUT_MAX_FIBERS; /* libc's own has been opened anew: as it is */
	return true;
}

void libc_streams_sort(void)
{
	static FILE *all[STREAMS_MAX];
	u32 n = 0;
	if (in_order())
		return;
	for (FILE *f = *libc_streams; f; f = f->_chain) {
		if (n == STREAMS_MAX)
			return;
		u32 at = n++;
		for (; at && thread_of(all[at - 1]) > thread_of(f); at--)
			all[at] = all[at - 1];
		all[at] = f;
	}
	FILE **link = libc_streams;
	for (u32 i = 0; i < n; link = &all[i++]->_chain)
		if (*link != all[i])
			*link = all[i];
	if (*link)
		*link = NULL;
}

bool libc_streams_order_shows(void)
{
	u64 first = LAYOUT_MAX_FIBERS;
	for (const FILE *f = libc_streams ? *libc_streams : NULL; f; f = f->_chain) {
		u64 thread = thread_of(f);
		bool writes = f->_IO_write_ptr > f->_IO_write_base || f->_mode > 0; /* wide: elsewhere */
		if (thread == LAYOUT_MAX_FIBERS || !writes)
			continue;
		if (first != LAYOUT_MAX_FIBERS && thread != first)
			return true;
		first = thread;
	}
	return false;
}
