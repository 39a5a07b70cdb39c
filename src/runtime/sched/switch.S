/*
 * Context switch. A suspended context is a stack pointer; on the stack lie, from low
 * to high: mxcsr and x87 control word (8 bytes), r15 r14 r13 r12 rbx rbp, return address.
 * fiber_regs() in fiber.c knows this layout.
 */
	.text

/*
 * Registers that a call may change hold leftovers of the engine here. A system call trapped later
 * would save them, and equal states would look different: so they leave as zero.
 */
	.macro forget_leftovers
	xorl %ecx, %ecx
	xorl %edx, %edx
	xorl %esi, %esi
	xorl %edi, %edi
	xorl %r8d, %r8d
	xorl %r9d, %r9d
	xorl %r10d, %r10d
	xorl %r11d, %r11d
	.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	pxor %xmm\n, %xmm\n
	.endr
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
	movq %rsp, (%rdi)
	movq %rsi, %rsp
	ldmxcsr (%rsp)
	fldcw 4(%rsp)
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
	forget_leftovers
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
	ldmxcsr (%rsp)
	fldcw 4(%rsp)
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

/* u64 scratch_switch(fn, a, b, c, d, top): fn(a, b, c, d) on the stack that ends at top. */
	.globl scratch_switch
	.hidden scratch_switch
	.type scratch_switch, @function
scratch_switch:
	.cfi_startproc
	pushq %rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 0
	movq %rsp, %rbp
	.cfi_def_cfa_register %rbp
	movq %r9, %rsp
	movq %rdi, %rax
	movq %rsi, %rdi
	movq %rdx, %rsi
	movq %rcx, %rdx
	movq %r8, %rcx
	call *%rax
	leave
	.cfi_def_cfa %rsp, 8
	forget_leftovers
	ret
	.cfi_endproc
	.size scratch_switch, . - scratch_switch

	.section .note.GNU-stack, "", @progbits
