/*
 * leftovers.c: registers and bytes below the stack pointer that nobody reads again tell nothing apart. Two
 * threads race for who is first, leave that in dead registers and in a red zone that is none, and go on to
 * an atomic instruction, or to syscall(). What is read again must not be lost: "kept" has a register that is
 * read on one of two paths, and a red zone that is in use.
 *
 * heddle: args="atomic clean" verdict=verified states=14
 * heddle: args="atomic leaves" verdict=verified states=14
 * heddle: args="call clean" verdict=verified states=14
 * heddle: args="call leaves" verdict=verified states=14
 * heddle: args="kept" verdict=verified
 * native: args="kept"
 * native: args="call leaves"
 */
#include "guest.h"

static int turn, word[2];
static long leaves;
static long (*play)(int *at, int *race, long leaves);
long leave(int *at, int *race, long leaves);
long leave_call(int *at, int *race, long leaves);
long keep(int *at, int *race, long leaves);

/* Who was first (1 or 0, always 0 without `leaves`) ends up in registers and below the stack pointer. */
#define LEAVE \
	"	movl $1, %eax\n" \
	"	lock xaddl %eax, (%rsi)\n" \
	"	xorl $1, %eax\n" \
	"	andq %rdx, %rax\n" \
	"	movq %rax, %r8\n" \
	"	movq %rax, %r9\n" \
	"	movq %rax, %r10\n" \
	"	movq %rax, %r11\n" \
	"	pushq %rax\n" \
	"	pushq %rax\n" \
	"	addq $16, %rsp\n"

__asm__(".text\n"
	".type nothing, @function\n"
	"nothing:\n"
	"	.cfi_startproc\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size nothing, . - nothing\n"
	".type leave, @function\n"
	"leave:\n"
	"	.cfi_startproc\n" LEAVE "	xorl %eax, %eax\n"
	"	lock incl (%rdi)\n"
	"	call nothing\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size leave, . - leave\n"
	".type leave_call, @function\n"
	"leave_call:\n"
	"	.cfi_startproc\n"
	"	subq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n" LEAVE "	movq %rdi, %rsi\n"
	"	movl $202, %edi\n" /* futex */
	"	movl $129, %edx\n" /* wake, private */
	"	movl $1, %ecx\n"
	"	xorl %eax, %eax\n"
	"	call syscall@PLT\n"
	"	addq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size leave_call, . - leave_call\n"
	".type keep, @function\n"
	"keep:\n" /* 0, unless something was lost */
	"	.cfi_startproc\n"
	"	movl $1, %eax\n"
	"	lock xaddl %eax, (%rsi)\n"
	"	movq %rax, %rdx\n"
	"	leaq 1(%rdx), %r8\n"
	"	movl $2, %r9d\n"
	"	movq %r8, -64(%rsp)\n"
	"	lock incl (%rdi)\n"
	"	testq %rdx, %rdx\n"
	"	jne 1f\n"
	"	movq %r8, %r9\n"
	"1:	movl $0, %r8d\n"
	"	movq -64(%rsp), %rax\n"
	"	subq %r9, %rax\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size keep, . - keep\n");

static void *racer(void *at)
{
	heddle_assert(play(at, &turn, leaves) == 0);
	return NULL;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "atomic";
	pthread_t t;
	play = !strcmp(how, "kept") ? keep : !strcmp(how, "call") ? leave_call : leave;
	leaves = argc > 2 && !strcmp(argv[2], "leaves");
	OK(pthread_create(&t, NULL, racer, &word[0]));
	racer(&word[1]);
	OK(pthread_join(t, NULL));
	return 0;
}
