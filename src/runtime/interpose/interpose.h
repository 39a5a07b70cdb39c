/*
 * interpose.h: common to the symbol shims. A shim converts types and calls the module that
 * does the work; it holds no logic of its own.
 */
#ifndef HEDDLE_RUNTIME_INTERPOSE_H
#define HEDDLE_RUNTIME_INTERPOSE_H

#include <errno.h>
#include <time.h>

#include "base/base.h"
#include "base/sys.h"
#include "runtime/sched/sched.h"
#include "runtime/start/start.h"
#include "runtime/vkernel/vk.h"

/* Where the SUT called from: in a plain HD_EXPORT function, and in the body of a shim. */
#define CALLER ((u64)__builtin_return_address(0))
#define SHIM_CALLER (((const u64 *)__builtin_dwarf_cfa())[1])

/*
 * SHIM(int, name)(parameters) { body } exports `name` so that it leaves no bytes on the SUT's stack: what it
 * would leave below the caller's frame would end up in holes of frames to come (see sched_scrub). Not even the prologue
 * of a C function may touch the stack: it saves registers of the caller, and they stay there. So the
 * symbol is a stub that zeroes what lies below, calls the body and zeroes again:
 *
 *     caller's frame | return address | zero | return address | body's frame, all of it zeroed
 *
 * The first return address stays: it is the caller's own. SHIM_DEEP: the body goes deep (ld.so, the virtual kernel).
 */
#define SHIM_ZERO \
	"pxor %xmm0, %xmm0\n\t" \
	".set at, -16\n\t" \
	".rept 32\n\t" \
	"movups %xmm0, at(%rsp)\n\t" \
	".set at, at - 16\n\t" \
	".endr\n\t"
#define SHIM_ZERO_DEEP \
	"movq %rax, %rdx\n\t" \
	"leaq -4096(%rsp), %rdi\n\t" \
	"movl $512, %ecx\n\t" \
	"xorl %eax, %eax\n\t" \
	"rep stosq\n\t" \
	"movq %rdx, %rax\n\t"

#define SHIM_STUB(name, zero_after) \
	__asm__(".text\n\t" \
		".p2align 4\n\t" \
		".globl " #name "\n\t" \
		".type " #name ", @function\n" #name ":\n\t" \
		".cfi_startproc\n\t" \
		"pushq $0\n\t" \
		".cfi_adjust_cfa_offset 8\n\t" SHIM_ZERO "call shim_" #name "\n\t" zero_after \
		"addq $8, %rsp\n\t" \
		".cfi_adjust_cfa_offset -8\n\t" \
		"ret\n\t" \
		".cfi_endproc\n\t" \
		".size " #name ", . - " #name "\n\t");
#define SHIM_BODY(type, name) __attribute__((used, noinline, visibility("hidden"))) type shim_##name
#define SHIM(type, name) SHIM_STUB(name, SHIM_ZERO) SHIM_BODY(type, name)
#define SHIM_DEEP(type, name) SHIM_STUB(name, SHIM_ZERO_DEEP) SHIM_BODY(type, name)

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

/* A call about a descriptor: those of a library's constructor are real, since ld.so runs it before the program is taken over. */
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
