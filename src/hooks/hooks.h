/*
 * hooks.h: what instrumented code calls. Compilers put a call of a __tsan_* function before each access to
 * memory (-fsanitize=thread); libheddle-hooks.a defines them all in place of ThreadSanitizer's library. Under
 * heddle they tell the runtime, otherwise they do nothing: the same program runs natively.
 *
 * 1. Every module (program or library) has its own copy, hidden from the others.
 * 2. The runtime is told before the access, and may run other threads meanwhile. A hook must therefore not
 *    look at the memory in question before it has told, or look again afterwards.
 * 3. Hooks are in a section of their own, so that heddle does not take their atomic
 *    instructions for the program's.
 */
#ifndef HEDDLE_HOOKS_HOOKS_H
#define HEDDLE_HOOKS_HOOKS_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned u32;
typedef unsigned long u64;
typedef unsigned long usize;
__extension__ typedef unsigned __int128 u128;

#define HOOK_SECTION "heddle_hooks"
#define HOOK __attribute__((section(HOOK_SECTION), visibility("hidden")))
/* A program may bring its own. */
#define HOOK_WEAK __attribute__((section(HOOK_SECTION), visibility("hidden"), weak))

enum { HOW_READ = 0, HOW_WRITE = 1, HOW_ATOMIC = 2, HOW_VOLATILE = 4 };

/* The runtime's; NULL without heddle. */
extern void heddle_rt_access(const void *address, usize size, unsigned how, const void *pc)
	__attribute__((weak));

/*
 * The same: an atomic operation with this memory order was done (a compare-and-exchange that failed is a
 * load), or a fence. Nothing may happen between the operation and the call.
 */
enum { ORDER_FENCE, ORDER_LOAD, ORDER_STORE, ORDER_UPDATE };
extern void heddle_rt_order(const void *address, usize size, unsigned what, int order) __attribute__((weak));
#define ORDERED(address, what, order) \
	do { \
		if (heddle_rt_order) \
			heddle_rt_order((const void *)(address), sizeof(*(address)), (what), (order)); \
	} while (0)

/* The same: a compare-and-exchange is about to compare with this value, which may be a pointer. */
extern void heddle_rt_compares(usize expected) __attribute__((weak));
#define COMPARES(bytes, expected) \
	do { \
		if ((bytes) >= sizeof(usize) && heddle_rt_compares) \
			heddle_rt_compares((usize)(expected)); \
	} while (0)

/* The same: this call does something that nobody looks into, now or, if `later`, whenever threads run. */
extern void heddle_rt_unseen(const char *what, const void *pc, int later) __attribute__((weak));

#define TELL(address, size, how) \
	do { \
		if (heddle_rt_access) \
			heddle_rt_access((const void *)(address), (size), (how), \
					 __builtin_return_address(0)); \
	} while (0)

#endif
