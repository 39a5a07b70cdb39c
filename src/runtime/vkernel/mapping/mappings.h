/*
 * mappings.h: which addresses of a fiber's mapping range are in use. Sorted, neighbours that agree
 * are merged, so the list says nothing about how it came to be.
 */
#ifndef HEDDLE_RUNTIME_VK_MAPS_H
#define HEDDLE_RUNTIME_VK_MAPS_H

#include "runtime/vkernel/core/vk_priv.h"

/* The program break starts here, in the range of fiber 0, and has room up to the range's end. */
#define MAPS_BREAK_ROOM ((u64)1 << 30)
#define MAPS_BREAK (LAYOUT_MMAP_BASE + LAYOUT_MMAP_STRIDE - MAPS_BREAK_ROOM)

/* Further bits of vk_map.prot, which take all rights away. */
#define PROT_BEYOND ((u32)VK_PROT_BEYOND) /* behind the end of the mapped file: SIGBUS */
#define PROT_UNMAPPED 0x200u              /* of guards: the memory has been unmapped */
/* … and one that takes none: it was filled from a file. */
#define PROT_OF_FILE 0x400u

/*
 * Memory outside the ranges gets other rights; those it had at the start are no guard. False: too
 * many guards, nothing changed.
 */
bool guards_set(u64 start, u64 end, u32 prot);
/* Has the program unmapped a part of this memory, which was there at the start? */
bool guards_unmapped(u64 start, u64 end);

/* The range an address lies in; -1: none. */
int maps_range(u64 address);
/* The one that both ends of [start, start + len) lie in; -1: none. */
int maps_range_of(u64 start, u64 len);
/* Up to where the SUT's mappings may lie. */
u64 maps_limit(u32 range);
/* The lowest free place of len bytes; 0: none. */
u64 maps_gap(u32 range, u64 len);
/* Take [start, end) out, if anything is there; put it in. False: the list is full, nothing changed. */
bool maps_cut(u32 range, u64 start, u64 end);
bool maps_put(u32 range, u64 start, u64 end, u32 prot, bool touched);
/* The mapping that contains address, or the next one above it; NULL: none. */
struct vk_map *maps_at(u32 range, u64 address);
/* Is all of it mapped? */
bool maps_full(u32 range, u64 start, u64 end);
/* Contents become zeros, whatever the program's rights there are; pages that were never used stay so. */
void maps_zero(u64 start, u64 end);
void maps_zero_page(u64 at);

/* ---- shared mappings of files that the program writes (shared_file.c) ---- */

/* Address or -errno. */
long shared_file_map(struct vk_call *c, const struct vk_desc *d, u64 offset, u64 len, u32 prot, u32 flags);
long shared_file_unmap(struct vk_call *c, u64 start, u64 len);
/* A mapped file gets another size: called while it is accessible, before it grows and when it was emptied. */
void shared_file_resize(struct vk_call *c, u32 inode, u64 size);
/* Its last mapping goes. */
void shared_file_unguard(u32 inode);

#endif
