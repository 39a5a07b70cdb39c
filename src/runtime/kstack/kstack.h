/*
 * kstack.h: kernel stacks.
 *
 * Problem. A fiber's stacks are part of the state, bytes that are dead included: a function leaves its
 * locals below the stack pointer, and the next frame has holes in which they stay. What the program's own
 * code leaves there is the program's. What the runtime leaves there depends on tables that fill up as the
 * search goes on, and would make equal states look different.
 *
 * So the runtime does not run on the program's stacks. Each fiber has a second, small stack, entered at the
 * doors (DOOR below for functions, trap/entry.S for system calls, trap/atomics_entry.S for atomic
 * instructions):
 *
 *      program's stack                      kernel stack (at lower addresses, so that unwinders go up)
 *      | caller's frame   |                 | struct kstack: entry, door  |  kstack_of(slot)
 *      | return address   |                 | body's frame                |
 *      | caller's rbp     | <- rbp, door    | frames of what it calls     |
 *      | zero             |                 | saved context, if it waits  |  <- fiber.sp
 *                                           | zero                        |
 * Laws:
 *   K1  The runtime's code writes nothing on a program's stack but the door's frame (one word, three for a
 *       system call), and takes it away again. Frames at the bottom of a thread (sched/thread.c) and of
 *       pthread_once, which must be there for unwinding, are the exception: they are made once and hold
 *       nothing but constants.
 *   K2  Every function on a kernel stack starts on zeroes. The compiler puts a call of __fentry__ before
 *       each prologue (-pg -mfentry); it zeroes from the lowest byte that may have been used (kstack_low)
 *       up to the stack pointer. How large a frame is it cannot know: it allows for KSTACK_MARGIN bytes. A
 *       larger one is seen when its function calls another; if it calls nobody, it says HD_WIDE_FRAME().
 *       Tiny functions without a frame are HD_LEAF. Code that was compiled without is noted by
 *       kstack_foreign(). tools/check-doors looks at all functions.
 *   K3  A fiber that waits has zeroes below its stack pointer (context_switch), one that has left the
 *       runtime has nothing but zeroes (kstack_leave, kstack_end). Registers that a function may change are
 *       zero when it leaves.
 *   K4  Only its own fiber writes to a kernel stack.
 *   K5  Code of the program that the runtime calls (signal handlers, destructors) runs on the program's
 *       stack, through kstack_call_out(). If it never comes back (an exception, longjmp, pthread_exit) the
 *       frames it left behind are dropped at the next door. A jump from one stack of the program's own
 *       making to another can't be told from a call; then they stay until its first stack comes back to the
 *       level of the call.
 * kstack_check() looks whether K2 and K3 hold; --sanity 2 calls it after every step.
 *
 * What remains: a function that waits keeps its callee's callee-saved registers, and the compiler its dead
 * variables. So a function that steps does its looking-around before the step (at persistent memory, and at
 * model state that others may change while it waits) in a function of its own, which is not inlined
 * (HD_NOINLINE) and has returned before the wait.
 */
#ifndef HEDDLE_RUNTIME_KSTACK_H
#define HEDDLE_RUNTIME_KSTACK_H

#include "base/base.h"
#include "wire/layout.h"

struct wire_regs;

/* At the top of each kernel stack; tracked. All zero when the fiber does not exist. */
struct kstack {
	u64 entry; /* where the next entry begins: this struct, or a record of kstack_call_out */
	u64 door;  /* rbp of the last door's frame on the program's stack; | KSTACK_TRAP: a trap's */
	u64 unused[6];
};
#define KSTACK_TRAP 1u

/* Of the fiber that runs or ran last; NULL before the first. Read by the doors. */
extern struct kstack *kstack_running __attribute__((visibility("hidden")));

/* Which vector registers there are: 0 those of SSE, 1 AVX, 2 AVX-512; set once, before the first fiber. */
extern u32 kstack_vectors __attribute__((visibility("hidden")));

/*
 * Not NULL: called at the end of each door, with the address that it returns to, before the program goes on
 * (sched/access.h, access_pause).
 */
extern void (*kstack_pause)(u64 pc) __attribute__((visibility("hidden")));

static inline struct kstack *kstack_of(u32 slot)
{
	return (struct kstack *)(LAYOUT_KSTACK_BASE + (slot + 1) * LAYOUT_KSTACK_STRIDE) - 1;
}

/* A new fiber, whose first frame lies at sp on its program's stack. */
void kstack_make(u32 slot, u64 sp);
/* The fiber is about to run, with this saved stack pointer. */
void kstack_run(u32 slot, u64 sp);
/* It ran and has ended: its kernel stack is zero again. */
void kstack_end(u32 slot);
/* The first word below sp, or of the whole stack if sp is 0, that is not zero; 0: all are. */
u64 kstack_check(u32 slot, u64 sp);

/* Up to where the program's stack is dead while the fiber does not run. */
static inline u64 kstack_program_sp(u32 slot)
{
	return kstack_of(slot)->door & ~(u64)7;
}

/* Does the caller run on the kernel stack of the running fiber? */
static inline bool kstack_entered(void)
{
	u64 sp;
	__asm__ volatile("movq %%rsp, %0" : "=r"(sp));
	return sp < (u64)kstack_running;
}
/*
 * The registers of the program where it came in, as far as an unwinder needs them. False: it is not in the
 * runtime.
 */
bool kstack_program_regs(struct wire_regs *out);
/* Is this address in the part of a kernel stack that nobody should ever reach? */
bool kstack_overflowed(u64 address);

/* fn(a, b, c) on the program's stack. Code that is not on a kernel stack calls it where it is. */
u64 kstack_call_out(u64 fn, u64 a, u64 b, u64 c);
/*
 * The running fiber is interrupted by a fault at stack pointer sp, and a handler of the program is called:
 * while it runs, entries begin below sp. Returns what kstack_resume wants.
 */
struct kstack kstack_interrupt(u64 sp);
void kstack_resume(struct kstack before);
/* Code that was compiled without __fentry__ was called, and has used up to this many bytes of the stack. */
void kstack_foreign(u64 bytes);

/*
 * DOOR(int, name)(parameters) { body } makes `name` a function that may be called from program code: a
 * stub, which goes to the kernel stack if it is not there yet, calls the body (door_name) there and leaves
 * nothing behind. Up to six parameters, no floating point. The stub is an ordinary frame with rbp for
 * unwinders.
 */
#define DOOR_STUB(name, scope) \
	__asm__(".text\n\t" \
		".p2align 4\n\t" scope #name "\n\t" \
		".type " #name ", @function\n" #name ":\n\t" \
		".cfi_startproc\n\t" \
		"pushq %rbp\n\t" \
		".cfi_def_cfa_offset 16\n\t" \
		".cfi_offset %rbp, -16\n\t" \
		"movq %rsp, %rbp\n\t" \
		".cfi_def_cfa_register %rbp\n\t" \
		"movq kstack_running(%rip), %r11\n\t" \
		"leaq -1(%r11), %r10\n\t" /* no fiber: the largest number */ \
		"cmpq %r10, %rsp\n\t" \
		"jbe 2f\n\t" \
		"movq %rbp, 8(%r11)\n\t" \
		"cmpq %r11, (%r11)\n\t" \
		"jne 3f\n\t" \
		"movq %r11, %rsp\n" \
		"1:\tcall door_" #name "\n\t" \
		"jmp kstack_leave\n" \
		"2:\tandq $-16, %rsp\n\t" /* already there, or no fiber at all */ \
		"call door_" #name "\n\t" \
		"jmp kstack_stay\n" \
		"3:\tleaq 1b(%rip), %r10\n\t" /* inside a kstack_call_out */ \
		"jmp kstack_settle\n\t" \
		".cfi_endproc\n\t" \
		".size " #name ", . - " #name "\n\t");
#define DOOR_BODY(type, name) __attribute__((used, noinline, visibility("hidden"))) type door_##name
#define DOOR(type, name) DOOR_STUB(name, ".globl ") DOOR_BODY(type, name)
/* For the runtime's own functions that run on a program's stack. */
#define DOOR_INSIDE(type, name) DOOR_STUB(name, ".globl " #name "\n\t.hidden ") DOOR_BODY(type, name)

/* In the body of a door: the address its caller comes from. */
#define DOOR_CALLER (((const u64 *const *)__builtin_frame_address(0))[0][1])

#endif
