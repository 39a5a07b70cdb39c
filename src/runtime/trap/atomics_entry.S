/*
 * Where an atomic instruction that was replaced by a trap continues, on the fiber's own stack. The SIGTRAP handler
 * (atomics.c) set rip to atomics_entry and left everything else as it was; atomics_pc says where it
 * came from. All registers, the flags and the vector registers are saved; at the end atomics_next is the copy
 * of the instruction.
 *
 * Frame, from rbp up: rax rcx rdx rbx rsp rbp rsi rdi r8 … r15 (0-127), flags (128), pc of the instruction (136), red zone of
 * 128 bytes. Below rbp: the xsave area, 64-byte aligned.
 */
#include "runtime/trap/vectors.inc"

	.text
	.globl atomics_entry
	.hidden atomics_entry
	.type atomics_entry, @function
atomics_entry:
	.cfi_startproc
	.cfi_signal_frame
	.cfi_def_cfa %rsp, 0
	.cfi_undefined %rip
	leaq -128(%rsp), %rsp
	.cfi_def_cfa_offset 128
	pushq atomics_pc(%rip)
	.cfi_def_cfa_offset 136
	.cfi_offset %rip, -136
	pushfq
	pushq %r15
	pushq %r14
	pushq %r13
	pushq %r12
	pushq %r11
	pushq %r10
	pushq %r9
	pushq %r8
	pushq %rdi
	pushq %rsi
	pushq %rbp
	pushq $0
	pushq %rbx
	pushq %rdx
	pushq %rcx
	pushq %rax
	.cfi_def_cfa_offset 272
	.cfi_offset %rbp, -232
	leaq 272(%rsp), %rax
	movq %rax, 32(%rsp)
	movq %rsp, %rbp
	.cfi_def_cfa_register %rbp
	save_vectors
	/* The frames to come lie on zeroes (see sched_scrub). */
	cld
	leaq -4096(%rsp), %rdi
	movl $512, %ecx
	xorl %eax, %eax
	rep stosq
	movq %rbp, %rdi
	movq 136(%rbp), %rsi
	leaq 128(%rbp), %rdx
	call atomics_dispatch
	movl trap_xsave_mask(%rip), %eax
	xorl %edx, %edx
	xrstor64 (%rsp)
	/* Leave no bytes behind: the area is zeroed (see sched_scrub). */
	movq %rsp, %rdi
	movq %rbp, %rcx
	subq %rsp, %rcx
	shrq $3, %rcx
	xorl %eax, %eax
	rep stosq
	movq %rbp, %rsp
	popq %rax
	popq %rcx
	popq %rdx
	popq %rbx
	leaq 8(%rsp), %rsp
	popq %rbp
	popq %rsi
	popq %rdi
	popq %r8
	popq %r9
	popq %r10
	popq %r11
	popq %r12
	popq %r13
	popq %r14
	popq %r15
	popfq
	leaq 136(%rsp), %rsp
	jmp *atomics_next(%rip)
	.cfi_endproc
	.size atomics_entry, . - atomics_entry

	.section .note.GNU-stack, "", @progbits
