#include "runtime/vkernel/files/visible.h"

#include "runtime/vkernel/files/overlay.h"
#include "runtime/vkernel/sockets/sock.h"

/* The key of a directory's listing from that of its name, and back. */
#define LISTING 0x5851f42d4c957f2dUL

static u64 inode_identity(u32 inode)
{
	const struct vk_inode *n = vk_inode(inode);
	return n->origin ? n->origin : n->id; /* the host's file stays the same when it is copied up */
}

u64 visible_identity(const struct vk_desc *d)
{
	return d->object ? inode_identity(d->object) : d->host;
}

bool visible_name(u64 key, bool changes)
{
	return vk_observed(key, changes);
}

bool visible_listing(u64 dir, bool lists)
{
	return vk_observed(dir ^ LISTING, lists);
}

bool visible_inode(u32 inode, bool changes)
{
	return vk_observed(inode_identity(inode), changes);
}

bool visible_desc(const struct vk_desc *d, bool changes)
{
	return vk_observed(visible_identity(d), changes);
}

bool visible_place(const struct vk_place *p, bool changes)
{
	if (p->fd) {
		bool seen = vk_observed((u64)&vk->fd[p->fd - 1], false);
		seen |= visible_desc(vk_desc_get(p->fd - 1), changes);
		return seen;
	}
	if (p->inode)
		return visible_inode(p->inode, changes);
	return p->host && vk_observed(p->host->key, changes);
}

bool visible_position(const struct vk_desc *d)
{
	return vk_observed((u64)d, true);
}

/* ---- in words ---- */

static const char *path_of_key(u64 key)
{
	const struct vk_name *n = vk_name_find(key);
	const struct host_node *h = host_by_key(key);
	return n ? n->path : h ? host_stored(h->path) : NULL;
}

static const char *path_of_inode(u64 id)
{
	for (u32 i = 0; i < VK_MAX_INODES; i++)
		if (vk->inode[i].id == id)
			return vk_name_of(i + 1);
	return NULL;
}

/* Objects that stand for themselves, by their address in the model. */
static bool describe_model(u64 object, struct text *t)
{
	u64 fd = (object - (u64)vk->fd) / sizeof vk->fd[0];
	u64 desc = (object - (u64)vk->desc) / sizeof vk->desc[0];
	if (object == (u64)&vk->numbers)
		text_str(t, "the table of descriptors");
	else if (object == (u64)vk->cwd)
		text_str(t, "the current directory");
	else if (object == (u64)&vk->umask)
		text_str(t, "the umask");
	else if (object == (u64)&vk->brk)
		text_str(t, "the program break");
	else if (object >= (u64)vk->desc && desc < VK_MAX_DESCS)
		vk_describe_desc(&vk->desc[desc], t);
	else if (object >= (u64)vk->fd && fd < VK_MAX_FDS)
		vk_describe_fd((int)fd, t);
	else
		return false;
	return true;
}

static void describe_object(u64 object, struct text *t)
{
	if (describe_model(object, t) || sock_describe_port(object, t))
		return;
	const char *path = path_of_key(object);
	if (!path)
		path = path_of_inode(object);
	if (!path && (path = path_of_key(object ^ LISTING)))
		text_str(t, "the list of names in ");
	text_str(t, path ? path : "a file");
}

static void file_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	(void)f;
	text_str(t, alt == OP_DESCRIBE_PENDING ? "is about to use " : "uses ");
	describe_object(o->object, t);
}
const struct op_class op_file = {.name = "file operation", .describe = file_describe};
