/*
 * overlay.c: see overlay.h.
 *
 * Invariants
 *   O1  a free inode or name slot is all zero, and so is the data window of a free inode;
 *   O2  data behind an inode's size is zero, unless it is mapped shared;
 *   O3  name_key[i] == name[i].key;  vk->names counts the used slots;
 *   O4  where something lies depends on its path, not on who came first (but for hash collisions).
 */
#include "runtime/vkernel/files/overlay.h"

#include <linux/resource.h>

#include "runtime/vkernel/files/touch.h"
#include "runtime/vkernel/mapping/mappings.h"
#include "wire/wire.h"

u32 vk_inode_new(struct vk_call *c, u64 seed, u32 mode)
{
	u64 id = seed >> 1 | 1; /* a file position must hold it */
	for (u32 i = 0; i < VK_MAX_INODES; i++)
		if (vk->inode[i].id == id) {
			id += 2;
			i = (u32)-1;
		}
	for (u32 i = 0; i < VK_MAX_INODES; i++) {
		u32 slot = (u32)((seed + i) % VK_MAX_INODES);
		struct vk_inode *n = &vk->inode[slot];
		if (n->id)
			continue;
		*n = (struct vk_inode){.id = id, .mode = mode};
		vk_declare(VK_SLOTS, ACCESS_ADD);
		vk_declare(inode_object(slot + 1), ACCESS_WRITE);
		n->uid = (u32)sys_call3(__NR_geteuid, 0, 0, 0);
		n->gid = (u32)sys_call3(__NR_getegid, 0, 0, 0);
		vk_inode_changes(slot + 1);
		n->atime = n->mtime;
		return slot + 1;
	}
	vk_refuse(c, "limit: more than 512 files written");
	return 0;
}

void vk_inode_inherit(u32 number, const struct vk_place *parent)
{
	struct vk_inode *n = vk_inode(number);
	struct stat st = {0};
	vk_place_stat(parent, &st);
	if (!(st.st_mode & S_ISGID))
		return;
	n->gid = st.st_gid;
	if (S_ISDIR(n->mode))
		n->mode |= S_ISGID;
}

/* As long as nobody reads a clock, time stands still. */
void vk_inode_changes(u32 number)
{
	struct vk_inode *n = vk_inode(number);
	u64 now = clock_now();
	if (rt_lessons.clock_read)
		vk_declare(process_object(PROCESS_CLOCK), ACCESS_READ);
	n->mtime.sec = CLOCK_EPOCH_REALTIME + now / 1000000000u;
	n->mtime.nsec = now % 1000000000u;
}

/* What a mapping has written behind the end. */
static void zero_rest_of_page(u32 number)
{
	u64 size = vk_inode(number)->size;
	memset(vk_inode_data(number) + size, 0, HD_ROUND_UP(size, (u64)HD_PAGE) - size);
}

void vk_inode_unmapped(u32 number)
{
	struct vk_inode *n = vk_inode(number);
	vk_declare(inode_object(number), ACCESS_WRITE);
	if (!--n->mapped) {
		shared_file_unguard(number);
		zero_rest_of_page(number);
	}
	n->opens--;
	vk_inode_check(number);
}

void vk_inode_check(u32 number)
{
	struct vk_inode *n = vk_inode(number);
	if (n->nlink || n->opens)
		return;
	vk_declare(VK_SLOTS, ACCESS_ADD);
	vk_declare(inode_object(number), ACCESS_WRITE);
	memset(vk_inode_data(number), 0, n->size);
	*n = (struct vk_inode){0};
}

long vk_inode_resize(struct vk_call *c, u32 number, u64 size)
{
	struct vk_inode *n = vk_inode(number);
	if (size > VK_FILE_MAX) {
		vk_refuse(c, "limit: a file of more than 32 MiB written");
		return -ENOSPC;
	}
	if (size > n->size) {
		vk_touch(NULL, VK_LIMITS, ACCESS_READ);
		if (size > vk_limit_soft(RLIMIT_FSIZE)) {
			vk_refuse(c, "a file beyond RLIMIT_FSIZE");
			return -EFBIG;
		}
	}
	vk_declare(inode_object(number), ACCESS_WRITE);
	if (size > n->size && n->mapped)
		shared_file_resize(c, number, size);
	if (size < n->size)
		memset(vk_inode_data(number) + size, 0, n->size - size);
	if (size < n->size && n->mapped)
		shared_file_resize(c, number, size);
	n->size = size;
	return 0;
}

void vk_inode_stat(u32 number, struct stat *st)
{
	const struct vk_inode *n = vk_inode(number);
	st->st_dev = 1;
	st->st_ino = n->id;
	st->st_ctime = CLOCK_EPOCH_REALTIME;
	if (n->origin) /* copied up: still the same file */
		*st = host_by_key(n->origin)->st;
	st->st_mode = n->mode;
	st->st_nlink = S_ISDIR(n->mode) ? 2 : n->nlink;
	st->st_uid = n->uid;
	st->st_gid = n->gid;
	st->st_size = S_ISDIR(n->mode) ? HD_PAGE : (long)n->size;
	st->st_blksize = HD_PAGE;
	st->st_blocks = (long)((n->size + 511) / 512);
	st->st_atime = n->atime.sec;
	st->st_atime_nsec = n->atime.nsec;
	st->st_mtime = n->mtime.sec;
	st->st_mtime_nsec = n->mtime.nsec;
}

/* ---- names ---- */

static long slot_of(u64 key)
{
	if (!vk->names)
		return -1;
	u32 home = (u32)(key % VK_MAX_NAMES);
	if (vk->name_key[home] == key)
		return home;
	for (u32 i = 0; i < VK_MAX_NAMES; i++)
		if (vk->name_key[i] == key)
			return i;
	return -1;
}

struct vk_name *vk_name_find(u64 key)
{
	long slot = slot_of(key);
	return slot < 0 ? NULL : &vk->name[slot];
}

static struct vk_name *name_new(struct vk_call *c, u64 key, const char *absolute)
{
	for (u32 i = 0; i < VK_MAX_NAMES; i++) {
		u32 slot = (u32)((key + i) % VK_MAX_NAMES);
		struct vk_name *n = &vk->name[slot];
		if (n->key)
			continue;
		vk_declare(object_id(OBJECT_NAME, key), ACCESS_WRITE);
		vk_declare(VK_NAMES, ACCESS_ADD);
		vk->name_key[slot] = n->key = key;
		n->parent = vk_parent_key(absolute);
		str_copy(n->path, sizeof(n->path), host_stored(absolute));
		for (u32 k = 0; n->path[k]; k++)
			if (n->path[k] == '/')
				n->base = k + 1;
		vk->names++;
		return n;
	}
	vk_refuse(c, "limit: more than 512 names created or removed");
	return NULL;
}

static void name_free(struct vk_name *n)
{
	vk_declare(object_id(OBJECT_NAME, n->key), ACCESS_WRITE);
	vk_declare(VK_NAMES, ACCESS_ADD);
	vk->name_key[n - vk->name] = 0;
	*n = (struct vk_name){0};
	vk->names--;
}

long vk_name_set(struct vk_call *c, const char *absolute, u32 inode)
{
	u64 key = host_key(absolute);
	struct vk_name *n = vk_name_find(key);
	if (!n)
		n = name_new(c, key, absolute);
	if (!n)
		return -ENOSPC;
	hd_assert(!n->inode);
	vk_declare(object_id(OBJECT_NAME, key), ACCESS_WRITE);
	vk_declare(inode_object(inode), ACCESS_WRITE);
	n->inode = inode;
	vk_inode(inode)->nlink++;
	return 0;
}

/* Would the host's name show again without an entry of ours? */
static bool host_shows(const struct vk_place *p)
{
	static struct vk_place parent;
	vk_place_parent(p, &parent);
	if (parent.inode && !vk_inode(parent.inode)->origin)
		return false;
	return host_lookup(p->path)->error == 0;
}

long vk_name_remove(struct vk_call *c, const struct vk_place *p)
{
	struct vk_name *n = vk_name_find(p->key);
	bool hide = host_shows(p);
	if (!n && hide)
		return name_new(c, p->key, p->path) ? 0 : -ENOSPC;
	hd_assert(n); /* a name that is there has an entry, or the host's shows */
	u32 inode = n->inode;
	vk_declare(object_id(OBJECT_NAME, n->key), ACCESS_WRITE);
	n->inode = 0;
	if (!hide)
		name_free(n);
	if (inode) {
		vk_declare(inode_object(inode), ACCESS_WRITE);
		vk_inode(inode)->nlink--;
		vk_inode_check(inode);
	}
	return 0;
}

const char *vk_name_of(u32 inode)
{
	for (u32 i = 0; i < VK_MAX_NAMES; i++)
		if (vk->name_key[i] && vk->name[i].inode == inode)
			return vk->name[i].path;
	return NULL;
}

/* ---- copying up ---- */

static long fill_contents(struct vk_call *c, u32 number, const void *from, u64 size)
{
	long err = vk_inode_resize(c, number, size);
	if (!err)
		memcpy(vk_inode_data(number), from, size);
	return err;
}

static long fill_copy(struct vk_call *c, u32 number, struct host_node *h, bool keep)
{
	struct vk_inode *n = vk_inode(number);
	n->uid = h->st.st_uid;
	n->gid = h->st.st_gid;
	n->atime.sec = h->st.st_atime;
	n->atime.nsec = h->st.st_atime_nsec;
	n->mtime.sec = h->st.st_mtime;
	n->mtime.nsec = h->st.st_mtime_nsec;
	if (S_ISLNK(n->mode))
		return fill_contents(c, number, h->link, str_len(h->link));
	if (!keep || !S_ISREG(n->mode))
		return 0;
	long err = host_open(h);
	return err ? err : fill_contents(c, number, h->data, h->size);
}

/* Who has the host's file open means the same file from now on. */
static void adopt_readers(u32 number, u64 key)
{
	for (u32 i = 0; i < vk->desc_limit; i++) {
		struct vk_desc *d = &vk->desc[i];
		if ((d->kind != VK_FILE && d->kind != VK_DIR) || d->object || d->host != key)
			continue;
		vk_declare(vk_desc_object(i, VK_DESC_POSITION), ACCESS_WRITE);
		d->object = number;
		vk_inode(number)->opens++;
	}
}

/* absolute: the name it has; NULL: none any more. The inode's number or -errno. */
static long copy_node(struct vk_call *c, struct host_node *h, const char *absolute, bool keep)
{
	vk_declare(VK_SHARED_MAPS, ACCESS_READ);
	if (vk_mapped_shared(h->key))
		vk_refuse(c, "change of a file that is mapped shared");
	u32 number = vk_inode_new(c, h->key, h->st.st_mode);
	if (!number)
		return -ENOSPC;
	long err = fill_copy(c, number, h, keep);
	if (!err && absolute)
		err = vk_name_set(c, absolute, number);
	if (err) {
		vk_inode_check(number);
		return err;
	}
	vk_inode(number)->origin = h->key;
	vk_declare(inode_object(number), ACCESS_WRITE); /* it is the host's file from now on */
	adopt_readers(number, h->key);
	return number;
}

long vk_copy_up(struct vk_call *c, struct vk_place *p, bool keep)
{
	if (p->inode)
		return 0;
	long number = copy_node(c, p->host, p->path, keep);
	if (number < 0)
		return number;
	p->inode = (u32)number;
	p->host = NULL;
	return 0;
}

long vk_copy_up_nameless(struct vk_call *c, u64 key)
{
	return HD_MIN(copy_node(c, host_by_key(key), NULL, true), 0L);
}
