/*
 * layout.h: where things lie in the SUT's address space. Fixed addresses, far
 * from what the kernel and ld.so use, so that every start looks the same.
 *
 *   MODEL    the runtime's rolled-back state (fibers, kernel objects)
 *   STACKS   one slot per fiber: guard page, stack, TLS block
 *   HEAP     one arena per fiber
 *   MMAP     anonymous and file mappings the SUT asks for, one range per fiber
 *
 * All four are tracked memory: reserved at start, pages join on first write.
 */
#ifndef HEDDLE_WIRE_LAYOUT_H
#define HEDDLE_WIRE_LAYOUT_H

#define LAYOUT_MAX_FIBERS 256

#define LAYOUT_MODEL_BASE 0x100000000000UL
#define LAYOUT_MODEL_SIZE 0x000008000000UL /* 128 MiB */

#define LAYOUT_STACK_BASE 0x110000000000UL
#define LAYOUT_STACK_STRIDE 0x000004000000UL /* 64 MiB a slot, the largest stack */

/* Arena LAYOUT_MAX_FIBERS is the virtual kernel's own. */
#define LAYOUT_HEAP_BASE 0x120000000000UL
#define LAYOUT_HEAP_STRIDE 0x000400000000UL /* 16 GiB */
#define LAYOUT_HEAP_ARENAS (LAYOUT_MAX_FIBERS + 1)

#define LAYOUT_MMAP_BASE 0x200000000000UL
#define LAYOUT_MMAP_STRIDE 0x000400000000UL /* 16 GiB */

#endif
