/*
 * Where a trapped system call continues: the second door to the kernel stack (runtime/kstack/kstack.h). The
 * SIGSYS handler (trap.c) set rip to trap_entry and left all registers as the SUT had them, but for rcx and
 * r11, which hold what a real syscall instruction leaves there: the return address and the flags. The code
 * around a syscall instruction expects every other register to survive, vector registers included.
 *
 * On the program's stack, from rbp up: its rbp, the return address, 128 bytes red zone. On the kernel
 * stack, from high to low: r11 rdi rsi rdx r10 r8 r9 rax = struct trap_frame, then the xsave area, 64-byte
 * aligned.
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
	enter_kernel_stack %rcx
	pushq %r11
	pushq %rdi
	pushq %rsi
	pushq %rdx
	pushq %r10
	pushq %r8
	pushq %r9
	pushq %rax
	cld
	movq %rsp, %rdi
	save_vectors
	movq %rsp, %rsi
	movq 8(%rbp), %rdx
	leaq 144(%rbp), %rcx /* its rsp */
	call trap_dispatch
	movq %rax, %r8
	restore_vectors
	movq %r8, (%rsp)
	popq %rax
	popq %r9
	popq %r8
	popq %r10
	popq %rdx
	popq %rsi
	popq %rdi
	popq %r11
	leave_kernel_stack 8
	popq %rbp
	.cfi_def_cfa %rsp, 136
	.cfi_restore %rbp
	popq %rcx
	.cfi_def_cfa_offset 128
	.cfi_register %rip, %rcx
	movq $0, -8(%rsp)
	movq $0, -16(%rsp)
	leaq 128(%rsp), %rsp
	.cfi_def_cfa_offset 0
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
