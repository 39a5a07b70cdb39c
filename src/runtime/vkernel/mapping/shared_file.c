/*
 * shared_file.c: shared mappings of files that the program writes: shm_open, memfd_create, a file that is a
 * table in memory.
 *
 * The contents of such a file lie in tracked memory, in a place of their own (files/overlay.h). A shared
 * mapping is that place: what is stored there is in the file, what write() puts into the file is in the
 * mapping, and a second mapping is the same memory at the same address. Linux gives each mapping an address
 * of its own, which no program means to tell apart.
 *
 * Given up, and refused by name: rights other than to read and write, a file that becomes shorter, pages
 * behind the end of the file, fixed addresses, and taking a mapping away while other threads could use it:
 * the place stays accessible.
 */
#include <linux/mman.h>

#include "runtime/vkernel/files/overlay.h"
#include "runtime/vkernel/files/touch.h"
#include "runtime/vkernel/mapping/mappings.h"

static long refuse(const struct vk_call *c, const char *what)
{
	vk_refuse(c, what);
	return -ENODEV;
}

long shared_file_map(struct vk_call *c, const struct vk_desc *d, u64 offset, u64 len, u32 prot, u32 flags)
{
	struct vk_inode *n = vk_inode(d->object);
	if (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE))
		return refuse(c, "mmap (shared, of a file that is written, at a fixed address)");
	if (!(prot & PROT_WRITE) && (d->flags & O_ACCMODE) == O_RDONLY)
		prot |= PROT_WRITE; /* who opened it so can't mean to write */
	if (prot != (PROT_READ | PROT_WRITE))
		return refuse(c, "mmap (shared, of a file that is written, not to read and write)");
	if (offset + len > HD_ROUND_UP(n->size, (u64)HD_PAGE))
		return refuse(c, "mmap (shared, of a file that is written, behind its end)");
	vk_declare(inode_object(d->object), ACCESS_WRITE);
	n->mapped++;
	n->opens++; /* it stays when it is closed and its name is removed */
	return (long)(vk_inode_data(d->object) + offset);
}

long shared_file_unmap(struct vk_call *c, u64 start, u64 len)
{
	u32 number = (u32)((start - VK_FILE_BASE) / VK_FILE_MAX) + 1;
	(void)len;
	if (!vk_inode(number)->mapped)
		return 0; /* nothing is mapped there */
	if (!sched_all_joined())
		vk_refuse(c, "munmap of a shared mapping of a file, beside other threads");
	vk_use(c, inode_object(number), ACCESS_WRITE);
	vk_inode_unmapped(number);
	return 0;
}
