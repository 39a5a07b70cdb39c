#include "runtime/vkernel/files/touch.h"

#include "runtime/vkernel/files/overlay.h"

u64 inode_object(u32 inode)
{
	const struct vk_inode *n = vk_inode(inode);
	/* The host's file stays the same when it is copied up. */
	return object_id(OBJECT_FILE, n->origin ? n->origin : n->id);
}

u64 file_object(const struct vk_desc *d)
{
	return d->object ? inode_object(d->object) : object_id(OBJECT_FILE, d->host);
}

bool touch_name(struct vk_call *c, u64 key, enum access_mode mode)
{
	return vk_touch(c, object_id(OBJECT_NAME, key), mode);
}

bool touch_listing(struct vk_call *c, u64 dir, enum access_mode mode)
{
	return vk_touch(c, object_id(OBJECT_LISTING, dir), mode);
}

bool touch_inode(struct vk_call *c, u32 inode, enum access_mode mode)
{
	return vk_touch(c, inode_object(inode), mode);
}

bool touch_file(struct vk_call *c, const struct vk_desc *d, enum access_mode mode)
{
	return vk_touch(c, file_object(d), mode);
}

bool touch_place(struct vk_call *c, const struct vk_place *p, enum access_mode mode)
{
	if (p->fd) {
		bool seen = vk_touch(c, vk_fd_object(p->fd - 1), ACCESS_READ);
		seen |= touch_file(c, vk_fd_peek(p->fd - 1), mode);
		return seen;
	}
	if (p->inode)
		return touch_inode(c, p->inode, mode);
	return p->host && vk_touch(c, object_id(OBJECT_FILE, p->host->key), mode);
}

bool touch_position(struct vk_call *c, const struct vk_desc *d)
{
	vk_declare(vk_desc_object(vk_desc_slot(d), VK_DESC_POSITION), ACCESS_WRITE);
	return vk_touch(c, vk_desc_lesson(d, VK_DESC_POSITION), ACCESS_WRITE);
}

/* ---- in words: keys are hashes, of which an object id keeps 56 bits ---- */

static bool is_key(u64 hash, u64 key)
{
	return (hash & OBJECT_KEY_MASK) == key;
}

const char *touch_path_of_name(u64 key)
{
	for (u32 i = 0; i < VK_MAX_NAMES; i++)
		if (vk->name_key[i] && is_key(vk->name_key[i], key))
			return vk->name[i].path;
	const struct host_node *h = host_by_part(key, OBJECT_KEY_MASK);
	return h ? host_stored(h->path) : NULL;
}

const char *touch_path_of_file(u64 key)
{
	for (u32 i = 0; i < VK_MAX_INODES; i++)
		if (vk->inode[i].id && inode_object(i + 1) == object_id(OBJECT_FILE, key))
			return vk_name_of(i + 1);
	return touch_path_of_name(key);
}
