/* On its own because the kernel's headers, which vk_priv.h needs, clash with libc's. */
#include "clean.h"

#include "runtime/vkernel/files/overlay.h"

/* No sequence has more descriptors. */
#define USED_MAX 256

static int all_zero(const void *p, size_t n)
{
	const unsigned char *b = p;
	while (n && !*b) {
		b++;
		n--;
	}
	return n == 0;
}

static void remove_names(void)
{
	static struct vk_place p;
	struct vk_call c = {0};
	for (u32 i = 0; i < VK_MAX_NAMES; i++) {
		if (!vk->name_key[i] || !vk->name[i].inode)
			continue;
		vk_place_at(str_equal(vk->name[i].path, ".") ? host_start() : host_absolute(vk->name[i].path),
			    &p);
		vk_name_remove(&c, &p);
	}
}

static const char *check_files(const u64 *sizes)
{
	for (u32 i = 0; i < VK_MAX_INODES; i++) {
		if (!all_zero(&vk->inode[i], sizeof(vk->inode[i])))
			return "an inode";
		if (!all_zero(vk_inode_data(i + 1), sizes[i]))
			return "data of a file";
	}
	u32 used = 0;
	for (u32 i = 0; i < VK_MAX_NAMES; i++) {
		if (vk->name[i].key != vk->name_key[i] || vk->name[i].inode)
			return "a name";
		used += vk->name_key[i] != 0;
	}
	return used == vk->names ? NULL : "a wrong count of names";
}

const char *clean_up(void)
{
	u64 sizes[VK_MAX_INODES];
	/* A fiber that never came back from a wait holds something until its next call. */
	vk_fiber_end(sched_self_slot());
	for (int fd = 3; fd < (int)vk->fd_limit; fd++)
		vk_fd_drop(fd);
	for (u32 i = 0; i < VK_MAX_INODES; i++)
		sizes[i] = vk->inode[i].size;
	remove_names();
	for (u32 i = 3; i < USED_MAX; i++)
		if (!all_zero(&vk->desc[i], sizeof(vk->desc[i])))
			return "a description";
	for (u32 i = 0; i < USED_MAX; i++)
		if (vk->pipe[i].used || (i < 4 && !all_zero(&vk->pipe[i], sizeof(vk->pipe[i]))))
			return "a pipe";
	for (u32 i = 0; i < USED_MAX; i++)
		if (!all_zero(&vk->sock[i], sizeof(vk->sock[i])) ||
		    (i < 16 && !all_zero(vk->sock_data[i], SOCK_ROOM)))
			return "a socket";
	return check_files(sizes);
}
