/*
 * layout.h: where things lie in the SUT's address space. Fixed addresses, far
 * from what the kernel and ld.so use, so that every start looks the same.
 *
 *   MODEL    the runtime's rolled-back state (fibers, kernel objects)
 *   KSTACKS  one kernel stack per fiber: what the runtime runs on (runtime/kstack/kstack.h)
 *   STACKS   one slot per fiber: guard page, stack, TLS block
 *   HEAP     one arena per fiber
 *   MMAP     anonymous and file mappings the SUT asks for, one range per fiber
 *
 * All are tracked memory: reserved at start, pages join on first write. The wire and the
 * engine's own memory (base/pages.h) lie behind them.
 */
#ifndef HEDDLE_WIRE_LAYOUT_H
#define HEDDLE_WIRE_LAYOUT_H

/* Fibers at a time. Tables by slot are sized for it; loops go up to the highest slot ever used. */
#define LAYOUT_MAX_FIBERS 1280

#define LAYOUT_MODEL_BASE 0x100000000000UL
#define LAYOUT_MODEL_SIZE 0x000a00000000UL /* 40 GiB, of which few pages are ever written */

/* Below STACKS: unwinders expect that addresses rise towards the callers. */
#define LAYOUT_KSTACK_BASE 0x10f000000000UL
#define LAYOUT_KSTACK_STRIDE 0x000000040000UL /* 256 KiB a slot */

#define LAYOUT_STACK_BASE 0x110000000000UL
#define LAYOUT_STACK_STRIDE 0x000004000000UL /* 64 MiB a slot, the largest stack */

/* Arena LAYOUT_MAX_FIBERS is the virtual kernel's own. */
#define LAYOUT_HEAP_BASE 0x120000000000UL
#define LAYOUT_HEAP_STRIDE 0x000400000000UL /* 16 GiB */
#define LAYOUT_HEAP_ARENAS (LAYOUT_MAX_FIBERS + 1)

#define LAYOUT_MMAP_BASE 0x270000000000UL
#define LAYOUT_MMAP_STRIDE 0x000400000000UL /* 16 GiB */

#define LAYOUT_END 0x3f0000000000UL

_Static_assert(LAYOUT_MODEL_BASE + LAYOUT_MODEL_SIZE <= LAYOUT_KSTACK_BASE, "model and kernel stacks");
_Static_assert(LAYOUT_KSTACK_BASE + LAYOUT_MAX_FIBERS * LAYOUT_KSTACK_STRIDE <= LAYOUT_STACK_BASE,
	       "kernel stacks and stacks");
_Static_assert(LAYOUT_STACK_BASE + LAYOUT_MAX_FIBERS * LAYOUT_STACK_STRIDE <= LAYOUT_HEAP_BASE,
	       "stacks and heap");
_Static_assert(LAYOUT_HEAP_BASE + LAYOUT_HEAP_ARENAS * LAYOUT_HEAP_STRIDE <= LAYOUT_MMAP_BASE,
	       "heap and mmap");
_Static_assert(LAYOUT_MMAP_BASE + LAYOUT_MAX_FIBERS * LAYOUT_MMAP_STRIDE <= LAYOUT_END,
	       "mmap and what follows");

/* Communication trees (iocache/tree.h), in what a run shares. */
#define WIRE_TREES_SIZE (8UL << 30) /* sparse */

#endif
