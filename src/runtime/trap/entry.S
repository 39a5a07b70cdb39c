/*
 * Where a trapped system call continues, on the fiber's own stack. The SIGSYS handler
 * (trap.c) set rip to trap_entry and left all registers as the SUT had them, but for rcx
 * and r11, which hold what a real syscall instruction leaves there: the return
 * address and the flags. The code around a syscall instruction expects every other
 * register to survive, vector registers included.
 *
 * Frame, from rbp down: r11 rdi rsi rdx r10 r8 r9 rax = struct trap_frame, then the
 * xsave area, 64-byte aligned. Above rbp: saved rbp, return address, 128 bytes red zone.
 */
#include "runtime/trap/vectors.inc"

	.text
	.globl trap_entry
	.hidden trap_entry
	.type trap_entry, @function
trap_entry:
	.cfi_startproc
	.cfi_signal_frame
	.cfi_def_cfa %rsp, 0
	.cfi_register %rip, %rcx
	leaq -128(%rsp), %rsp
	.cfi_def_cfa_offset 128
	pushq %rcx
	.cfi_def_cfa_offset 136
	.cfi_offset %rip, -136
	pushq %rbp
	.cfi_def_cfa_offset 144
	.cfi_offset %rbp, -144
	movq %rsp, %rbp
	.cfi_def_cfa_register %rbp
	pushq %r11
	pushq %rdi
	pushq %rsi
	pushq %rdx
	pushq %r10
	pushq %r8
	pushq %r9
	pushq %rax
	movq %rsp, %rdi
	save_vectors
	/* The frames to come lie on zeroes (see sched_scrub). */
	cld
	movq %rdi, %r8
	leaq -4096(%rsp), %rdi
	movl $512, %ecx
	xorl %eax, %eax
	rep stosq
	movq %r8, %rdi
	movq %rsp, %rsi
	movq 8(%rbp), %rdx
	call trap_dispatch
	movq %rax, -64(%rbp)
	movl trap_xsave_mask(%rip), %eax
	xorl %edx, %edx
	xrstor64 (%rsp)
	/* Leave no bytes behind: the area is zeroed (see sched_scrub). */
	movq %rsp, %rdi
	leaq -64(%rbp), %rcx
	subq %rsp, %rcx
	shrq $3, %rcx
	xorl %eax, %eax
	rep stosq
	leaq -64(%rbp), %rsp
	popq %rax
	popq %r9
	popq %r8
	popq %r10
	popq %rdx
	popq %rsi
	popq %rdi
	popq %r11
	popq %rbp
	popq %rcx
	leaq 128(%rsp), %rsp
	jmp *%rcx
	.cfi_endproc
	.size trap_entry, . - trap_entry

/* The kernel returns from our signal handlers through this, from inside our own text.
 * gdb and unwinders know a signal frame by exactly these two instructions. */
	.globl trap_restorer
	.hidden trap_restorer
	.type trap_restorer, @function
trap_restorer:
	movq $15, %rax
	syscall
	.size trap_restorer, . - trap_restorer

	.section .note.GNU-stack, "", @progbits
