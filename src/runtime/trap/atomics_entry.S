/*
 * Where an atomic instruction that was replaced by a trap continues, on the kernel stack
 * (runtime/kstack/kstack.h). The SIGTRAP handler (atomics.c) set rip to atomics_entry and left everything
 * else as it was; atomics_pc says where it came from. All registers, the flags and the vector registers are
 * saved; at the end atomics_next is the copy of the instruction.
 *
 * On the program's stack, from rbp up: its rbp, the pc of the instruction, 128 bytes red zone; below rbp:
 * flags, rcx. On the kernel stack, from low to high: the xsave area, rax rcx rdx rbx rsp rbp rsi rdi r8 …
 * r15, flags, 0 … 0.
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
	pushq %rbp
	.cfi_def_cfa_offset 144
	.cfi_offset %rbp, -144
	movq %rsp, %rbp
	.cfi_def_cfa_register %rbp
	pushfq
	pushq %rcx
	enter_kernel_stack %rcx
	leaq -56(%rsp), %rsp /* 24 words with what follows: aligned to 64 */
	pushq -8(%rbp)
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
	pushq (%rbp)
	leaq 144(%rbp), %rcx
	pushq %rcx
	pushq %rbx
	pushq %rdx
	pushq -16(%rbp)
	pushq %rax
	cld
	movq %rsp, %rdi
	movq 8(%rbp), %rsi
	save_vectors
	leaq 128(%rdi), %rdx
	call atomics_dispatch
	restore_vectors
	popq %rax
	popq %rcx
	popq %rdx
	popq %rbx
	leaq 16(%rsp), %rsp /* rsp, and rbp, which is taken from its frame */
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
	popq -8(%rbp) /* flags, which the dispatcher may have changed */
	leaq 56(%rsp), %rsp
	leave_kernel_stack 24
	leaq -8(%rsp), %rsp
	movq $0, -8(%rsp)
	popfq
	popq %rbp
	.cfi_def_cfa %rsp, 136
	.cfi_restore %rbp
	leaq 136(%rsp), %rsp
	.cfi_def_cfa_offset 0
	movq $0, -136(%rsp)
	movq $0, -144(%rsp)
	movq $0, -152(%rsp)
	jmp *atomics_next(%rip)
	.cfi_endproc
	.size atomics_entry, . - atomics_entry

	.section .note.GNU-stack, "", @progbits
