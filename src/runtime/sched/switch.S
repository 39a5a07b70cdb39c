/*
 * Context switch. A suspended context is a stack pointer; on the stack lie, from low
 * to high: mxcsr (4 bytes), x87 control word and the exceptions of its status word (2 each), r15 r14
 * r13 r12 rbx rbp, return address.
 * fiber_regs() in fiber.c knows this layout.
 */
	.text

#include "runtime/kstack/zero.inc"

/*
 * Floating-point control and exceptions of the context at rsp. The status word can only be loaded with the
 * whole environment (28 bytes); registers are empty at a call, and nobody asks for its other fields. Changes
 * rax; leaves zeroes below rsp.
 */
	.macro load_float_control
	ldmxcsr (%rsp)
	fldcw 4(%rsp)
	fnstsw %ax
	andl $0x3f, %eax
	cmpw 6(%rsp), %ax
	je 83f
	fnclex
	cmpw $0, 6(%rsp)
	je 83f
	fnstenv -32(%rsp)
	movw 6(%rsp), %ax
	orw %ax, -28(%rsp)
	fldenv -32(%rsp)
	movq $0, -32(%rsp)
	movq $0, -24(%rsp)
	movq $0, -16(%rsp)
	movq $0, -8(%rsp)
83:
	.endm

/* void context_switch(u64 *save_sp, u64 to_sp) */
	.globl context_switch
	.hidden context_switch
	.type context_switch, @function
context_switch:
	.cfi_startproc
	pushq %rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 0
	pushq %rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbx, 0
	pushq %r12
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r12, 0
	pushq %r13
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r13, 0
	pushq %r14
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r14, 0
	pushq %r15
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r15, 0
	pushq $0
	.cfi_adjust_cfa_offset 8
	stmxcsr (%rsp)
	fnstcw 4(%rsp)
	fnstsw 6(%rsp)
	andw $0x3f, 6(%rsp)
	movq %rsp, (%rdi)
	/* A fiber that waits: zeroes below its stack pointer (kstack.h, K3). */
	cmpq kstack_running(%rip), %rsp
	jae 1f
	movq kstack_low(%rip), %r11
	zero_up_to_rsp %r11
1:	movq %rsi, %rsp
	load_float_control
	addq $8, %rsp
	.cfi_adjust_cfa_offset -8
	popq %r15
	.cfi_adjust_cfa_offset -8
	.cfi_restore %r15
	popq %r14
	.cfi_adjust_cfa_offset -8
	.cfi_restore %r14
	popq %r13
	.cfi_adjust_cfa_offset -8
	.cfi_restore %r13
	popq %r12
	.cfi_adjust_cfa_offset -8
	.cfi_restore %r12
	popq %rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbx
	popq %rbp
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbp
	ret
	.cfi_endproc
	.size context_switch, . - context_switch

/* void context_resume(u64 to_sp): like context_switch, but the present context is forgotten. */
	.globl context_resume
	.hidden context_resume
	.type context_resume, @function
context_resume:
	.cfi_startproc
	movq %rdi, %rsp
	load_float_control
	addq $8, %rsp
	popq %r15
	popq %r14
	popq %r13
	popq %r12
	popq %rbx
	popq %rbp
	ret
	.cfi_endproc
	.size context_resume, . - context_resume

/* First instruction of every fiber: calls fiber_first(); the stack ends here for unwinders. */
	.globl fiber_entry
	.hidden fiber_entry
	.type fiber_entry, @function
fiber_entry:
	.cfi_startproc
	.cfi_undefined %rip
	xorl %ebp, %ebp
	forget_registers
	call fiber_first
	ud2
	.cfi_endproc
	.size fiber_entry, . - fiber_entry

/* void stack_call(void (*fn)(void), u64 top): call fn on another stack, for good. */
	.globl stack_call
	.hidden stack_call
	.type stack_call, @function
stack_call:
	.cfi_startproc
	.cfi_undefined %rip
	movq %rsi, %rsp
	andq $-16, %rsp
	xorl %ebp, %ebp
	call *%rdi
	ud2
	.cfi_endproc
	.size stack_call, . - stack_call

	.section .note.GNU-stack, "", @progbits
