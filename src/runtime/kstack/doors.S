/*
 * The assembly half of kstack.h: what doors have in common, the way out to the program's stack, and what
 * runs at the entry of every function.
 */
#include "runtime/kstack/zero.inc"

/* How far below its entry a function may write before the next function is called: law K2. */
#define KSTACK_MARGIN 128

	.text

/*
 * The end of a door: zeroes what was used of the kernel stack, and the door's word on the program's. rbp: the
 * door's frame; rsp: where the body's caller stood. Before that, the fiber may be asked to pause here.
 */
	.globl kstack_leave
	.hidden kstack_leave
	.type kstack_leave, @function
kstack_leave:
	.cfi_startproc
	.cfi_def_cfa %rbp, 16
	.cfi_offset %rbp, -16
	cmpq $0, kstack_pause(%rip)
	jne 2f
1:	movq kstack_low(%rip), %r11
	movq %rsp, kstack_low(%rip)
	zero_up_to_rsp %r11
	leave
	.cfi_def_cfa %rsp, 8
	.cfi_restore %rbp
	movq $0, -8(%rsp)
	forget_registers
	ret
	.cfi_def_cfa %rbp, 16
	.cfi_offset %rbp, -16
2:	pushq %rax
	pushq %rdx
	movq 8(%rbp), %rdi
	call *kstack_pause(%rip)
	popq %rdx
	popq %rax
	jmp 1b
	.cfi_endproc
	.size kstack_leave, . - kstack_leave

/*
 * The end of a door that was entered from a kernel stack, or without one. On a kernel stack the caller is
 * foreign code (ld.so, the unwinder), of which nobody knows how far down it will go on.
 */
	.globl kstack_stay
	.hidden kstack_stay
	.type kstack_stay, @function
kstack_stay:
	.cfi_startproc
	.cfi_def_cfa %rbp, 16
	.cfi_offset %rbp, -16
	leave
	.cfi_def_cfa %rsp, 8
	.cfi_restore %rbp
	cmpq kstack_running(%rip), %rsp
	jae 1f
	leaq -KSTACK_FOREIGN(%rsp), %r11
	andq $-16, %r11
	cmpq kstack_low(%rip), %r11
	jae 1f
	movq %r11, kstack_low(%rip)
1:	ret
	.cfi_endproc
	.size kstack_stay, . - kstack_stay

/*
 * A door was entered from code that kstack_call_out() called, or from code that came later, if it never
 * returned. A record holds the stack pointer the called code started with: whoever is above that on the
 * same stack is not part of it, and the record is dropped. The frames above it are zeroed by the next
 * __fentry__, since kstack_low is below them. r11: kstack_running, r10: where to go on. Changes rax, rsp.
 */
	.globl kstack_settle
	.hidden kstack_settle
	.type kstack_settle, @function
kstack_settle:
	.cfi_startproc
	.cfi_def_cfa %rbp, 16
	.cfi_offset %rbp, -16
	movq (%r11), %rsp
1:	movq (%rsp), %rax
	cmpq %rax, %rbp
	jb 2f
	xorq %rbp, %rax
	shrq $26, %rax /* LAYOUT_STACK_STRIDE */
	jnz 2f
	movq 8(%rsp), %rsp
	movq %rsp, (%r11)
	cmpq %rsp, %r11
	jne 1b
2:	jmp *%r10
	.cfi_endproc
	.size kstack_settle, . - kstack_settle

/*
 * u64 kstack_call_out(u64 fn, u64 a, u64 b, u64 c). The record, from low to high: stack pointer of the
 * called code, entry and door before. A signal frame for unwinders, which otherwise don't like that
 * addresses fall when going up.
 */
	.globl kstack_call_out
	.hidden kstack_call_out
	.type kstack_call_out, @function
kstack_call_out:
	.cfi_startproc
	.cfi_signal_frame
	pushq %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq %rsp, %rbp
	.cfi_def_cfa_register %rbp
	movq %rdi, %rax
	movq %rsi, %rdi
	movq %rdx, %rsi
	movq %rcx, %rdx
	movq kstack_running(%rip), %r11
	cmpq %r11, %rsp
	jae 1f
	movq 8(%r11), %r10
	andq $-16, %r10
	pushq $0
	pushq 8(%r11)
	pushq (%r11)
	pushq %r10
	movq %rsp, (%r11)
	movq %r10, %rsp
	xorl %ecx, %ecx
	xorl %r8d, %r8d
	xorl %r9d, %r9d
	xorl %r10d, %r10d
	xorl %r11d, %r11d
	forget_vectors
	call *%rax
	movq kstack_running(%rip), %r11
	leaq -32(%rbp), %rsp
	movq 8(%rsp), %rcx
	movq %rcx, (%r11)
	movq 16(%rsp), %rcx
	movq %rcx, 8(%r11)
	leave
	.cfi_remember_state
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_restore_state
1:	call *%rax
	leave
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size kstack_call_out, . - kstack_call_out

/*
 * Called before the prologue of every function of the runtime. On a kernel stack: zeroes where frames have
 * been and this one will be. The stack need not be aligned to 16 here: gcc saves itself the trouble where it
 * knows the called function. Arguments are kept; there are none in xmm registers.
 */
	.globl __fentry__
	.hidden __fentry__
	.type __fentry__, @function
__fentry__:
	.cfi_startproc
	cmpq kstack_running(%rip), %rsp
	jae 9f
	movq kstack_low(%rip), %r11
	leaq -KSTACK_MARGIN(%rsp), %r10
	movq %r10, kstack_low(%rip)
	pxor %xmm0, %xmm0
	.set at, -16
	.rept KSTACK_MARGIN / 16
	movups %xmm0, at(%rsp)
	.set at, at - 16
	.endr
	cmpq %r10, %r11
	jb 2f
9:	ret
2:	movups %xmm0, (%r11) /* the last round may reach into what is zero by now */
	movups %xmm0, 16(%r11)
	movups %xmm0, 32(%r11)
	movups %xmm0, 48(%r11)
	addq $64, %r11
	cmpq %r10, %r11
	jb 2b
	ret
	.cfi_endproc
	.size __fentry__, . - __fentry__

	.section .note.GNU-stack, "", @progbits
