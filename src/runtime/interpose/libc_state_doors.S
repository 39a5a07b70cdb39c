/*
 * One stub for each function of libc/state_list.h: says what the function is going to use (libc_state_use),
 * then goes on to libc's own. The caller's arguments are kept on its stack meanwhile; nothing else is put
 * there, and it is zeroed again.
 */
#define VARIADIC 7
#define DOUBLES 8
#define INTEGERS 72 /* six registers, rax, padding */
#define VECTORS 128

/* Where argument n is kept, if the function has so many. */
	.macro each_integer arguments, what
	.if \arguments >= 1
	\what %rdi, 0
	.endif
	.if \arguments >= 2
	\what %rsi, 8
	.endif
	.if \arguments >= 3
	\what %rdx, 16
	.endif
	.if \arguments >= 4
	\what %rcx, 24
	.endif
	.if \arguments >= 5
	\what %r8, 32
	.endif
	.if \arguments >= 6
	\what %r9, 40
	\what %rax, 48 /* of a variadic function: how many vector registers are in use */
	.endif
	.endm
	.macro keep register, at
	movq \register, \at(%rsp)
	.endm
	.macro restore register, at
	movq \at(%rsp), \register
	movq $0, \at(%rsp)
	.endm
	.macro each_vector what
	.irp n, 0, 1, 2, 3, 4, 5, 6, 7
	\what %xmm\n, (INTEGERS + 16 * \n)
	.endr
	.endm
	.macro keep_vector register, at
	movups \register, \at(%rsp)
	.endm
	.macro restore_vector register, at
	movups \at(%rsp), \register
	movq $0, \at(%rsp)
	movq $0, \at + 8(%rsp)
	.endm

	.set libc_index, 0
	.macro libc_stub name, arguments, after
	.text
	.p2align 4
	.globl \name
	.type \name, @function
\name:
	.cfi_startproc
	movq libc_real + 8 * libc_index(%rip), %r11
	testq %r11, %r11
	jne 1f
	movl $libc_index, %r10d
	call libc_state_early
1:	cmpq $0, kstack_running(%rip)
	je 2f
	.if \arguments >= VARIADIC
	.set frame, INTEGERS + VECTORS
	.else
	.set frame, INTEGERS
	.endif
	subq $frame, %rsp
	.cfi_adjust_cfa_offset frame
	each_integer \arguments, keep
	.if \arguments == VARIADIC
	testb %al, %al
	je 3f
	each_vector keep_vector
3:
	.endif
	.if \arguments == DOUBLES
	each_vector keep_vector
	.endif
	movq %rsp, %rsi
	movl $libc_index, %edi
	xorl %edx, %edx
	call libc_state_use
	each_integer \arguments, restore
	.if \arguments == VARIADIC
	testb %al, %al
	je 4f
	each_vector restore_vector
4:
	.endif
	.if \arguments == DOUBLES
	each_vector restore_vector
	.endif
	movq libc_real + 8 * libc_index(%rip), %r11
	.if \after
	movq %rdi, (%rsp) /* its object, for the second time */
	call *%r11
	movq %rax, 8(%rsp)
	.if \arguments == DOUBLES
	keep_vector %xmm0, INTEGERS
	.endif
	movq %rsp, %rsi
	movl $libc_index, %edi
	movl $1, %edx
	call libc_state_use
	movq 8(%rsp), %rax
	.if \arguments == DOUBLES
	restore_vector %xmm0, INTEGERS
	.endif
	movq $0, (%rsp)
	movq $0, 8(%rsp)
	.endif
	addq $frame, %rsp
	.cfi_adjust_cfa_offset -frame
	.if \after
	ret
	.endif
2:	jmp *%r11
	.cfi_endproc
	.size \name, . - \name
	.set libc_index, libc_index + 1
	.endm

/*
 * Called by a library's constructor, before libc was looked up. r10: which function; r11:
 * libc's own. Keeps all arguments.
 */
	.text
	.type libc_state_early, @function
libc_state_early:
	.cfi_startproc
	subq $(INTEGERS + VECTORS), %rsp
	.cfi_adjust_cfa_offset INTEGERS + VECTORS
	each_integer 6, keep
	each_vector keep_vector
	movl %r10d, %edi
	subq $8, %rsp
	.cfi_adjust_cfa_offset 8
	call libc_state_find
	addq $8, %rsp
	.cfi_adjust_cfa_offset -8
	movq %rax, %r11
	each_integer 6, restore
	each_vector restore_vector
	addq $(INTEGERS + VECTORS), %rsp
	.cfi_adjust_cfa_offset -(INTEGERS + VECTORS)
	ret
	.cfi_endproc
	.size libc_state_early, . - libc_state_early

/*
 * The gate of memory/unseen.h. r11: a stub, which begins with the address of the function. Keeps all
 * arguments, says what the function touches, and goes on to it.
 */
	.globl unseen_gate
	.hidden unseen_gate
	.type unseen_gate, @function
unseen_gate:
	.cfi_startproc
	cmpq $0, kstack_running(%rip)
	je 1f
	subq $(INTEGERS + VECTORS), %rsp
	.cfi_adjust_cfa_offset INTEGERS + VECTORS
	each_integer 6, keep
	keep %r11, 56
	each_vector keep_vector
	movq %r11, %rdi
	movq %rsp, %rsi
	movq INTEGERS + VECTORS(%rsp), %rdx
	call unseen_use_door
	each_vector restore_vector
	restore %r11, 56
	each_integer 6, restore
	addq $(INTEGERS + VECTORS), %rsp
	.cfi_adjust_cfa_offset -(INTEGERS + VECTORS)
1:	jmp *(%r11)
	.cfi_endproc
	.size unseen_gate, . - unseen_gate

#define STATE(name, arguments, after, object, use) libc_stub name, arguments, after;
#include "runtime/libc/state_list.h"

	.section .note.GNU-stack, "", @progbits
