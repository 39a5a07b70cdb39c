/*
 * dir.c: directories: reading them, and the current one.
 *
 * Names are given out in the order of their hashes, and the position is the hash of the
 * last one: so it stays right whatever is created or removed meanwhile, and the host's
 * names and the overlay's merge without a list to keep.
 */
#include "runtime/vkernel/files/overlay.h"
#include "runtime/vkernel/files/touch.h"

static long dir_read(struct vk_call *c, struct vk_desc *d, struct vk_uio *u, u64 *pos)
{
	(void)c;
	(void)d;
	(void)u;
	(void)pos;
	return -EISDIR;
}

const struct vk_ops vk_dir_ops = {.read = dir_read, .stat = vk_file_stat, .release = vk_file_release};

enum { POS_DOT = 1, POS_DOTDOT = 2 };

struct dir_entry {
	u64 order, ino;
	u32 type;
	const char *name;
};

/* Positions of names: above the two dots, and a positive off_t. */
static u64 order_of(const char *name)
{
	return (host_hash(name, str_len(name)) >> 2) + POS_DOTDOT + 1;
}

static void better(struct dir_entry *best, struct dir_entry e, u64 after)
{
	if (e.order > after && (!best->name || e.order < best->order))
		*best = e;
}

/* The last component; the start directory, stored as ".", has one, too. */
static const char *last_name(const struct vk_name *n)
{
	const char *path = n->path + n->base;
	if (!str_equal(n->path, "."))
		return path;
	path = host_start();
	for (const char *p = path; *p; p++)
		if (*p == '/')
			path = p + 1;
	return path;
}

static void next_in_overlay(u64 dir, u64 after, struct dir_entry *best)
{
	for (u32 i = 0; vk->names && i < VK_MAX_NAMES; i++) {
		const struct vk_name *n = &vk->name[i];
		if (!vk->name_key[i] || n->parent != dir || !n->inode)
			continue;
		const struct vk_inode *inode = vk_inode(n->inode);
		const char *name = last_name(n);
		better(best, (struct dir_entry){order_of(name), inode->id, inode->mode >> 12, name}, after);
	}
}

static bool host_name_hidden(const char *dir, const char *name)
{
	static char path[2 * VK_PATH_MAX];
	struct text t;
	if (!vk->names)
		return false;
	text_init(&t, path, sizeof(path));
	text_str(&t, dir);
	text_str(&t, dir[1] ? "/" : "");
	text_str(&t, name);
	return vk_name_find(host_key(path));
}

/* The host's entries are sorted by hash, hence by order: find the first behind `after`. */
static void next_on_host(const struct host_node *h, u64 after, struct dir_entry *best)
{
	u32 low = 0, high = h->entries;
	while (low < high) {
		u32 mid = low + (high - low) / 2;
		if (order_of(h->entry[mid].name) > after)
			high = mid;
		else
			low = mid + 1;
	}
	for (; low < h->entries; low++) {
		const struct host_entry *e = &h->entry[low];
		if (host_name_hidden(h->path, e->name))
			continue;
		better(best, (struct dir_entry){order_of(e->name), e->ino, e->type, e->name}, after);
		return;
	}
}

/* The directory behind d, seen from both sides. host: NULL if the SUT made it. */
struct dir_view {
	struct host_node *host;
	u64 key;
};

static long dir_open_view(const struct vk_desc *d, struct dir_view *v)
{
	const char *path = vk_dir_path(d);
	if (!path)
		return -ENOENT;
	v->key = host_key(path);
	u64 host = d->object ? vk_inode(d->object)->origin : d->host;
	v->host = host ? host_by_key(host) : NULL;
	return v->host ? host_list(v->host) : 0;
}

static void next_entry(const struct dir_view *v, u64 after, struct dir_entry *e)
{
	const u32 directory = 4;
	*e = (struct dir_entry){0};
	if (after < POS_DOTDOT) {
		*e = (struct dir_entry){after + 1, v->key >> 1, directory, after ? ".." : "."};
		return;
	}
	next_in_overlay(v->key, after, e);
	if (v->host)
		next_on_host(v->host, after, e);
}

bool vk_dir_is_empty(const struct vk_place *p)
{
	struct dir_view v = {.host = p->host, .key = p->key};
	struct dir_entry e;
	if (p->inode && vk_inode(p->inode)->origin)
		v.host = host_by_key(vk_inode(p->inode)->origin);
	if (v.host)
		host_list(v.host);
	next_entry(&v, POS_DOTDOT, &e);
	return !e.name;
}

struct linux_dirent64 {
	u64 d_ino;
	u64 d_off;
	u16 d_reclen;
	u8 d_type;
	char d_name[];
};

static u16 put_entry(u8 *at, size_t room, const struct dir_entry *e)
{
	size_t len = str_len(e->name) + 1;
	size_t size = HD_ROUND_UP(offsetof(struct linux_dirent64, d_name) + len, 8);
	struct linux_dirent64 *out = (struct linux_dirent64 *)at;
	if (size > room)
		return 0;
	memset(at, 0, size);
	*out = (struct linux_dirent64){e->ino, e->order, (u16)size, (u8)e->type};
	memcpy(out->d_name, e->name, len);
	return (u16)size;
}

/* /proc/self/fd: the numbers that are open, in ascending order. */
static void next_number(u64 after, struct dir_entry *e)
{
	const u32 link = 10;
	static char name[16];
	struct text t;
	for (u64 fd = after - POS_DOTDOT; fd < vk->fd_limit; fd++) {
		if (!vk->fd[fd].desc)
			continue;
		text_init(&t, name, sizeof(name));
		text_dec(&t, (long)fd);
		*e = (struct dir_entry){fd + POS_DOTDOT + 1, fd + 1, link, name};
		return;
	}
}

static long fill(struct vk_desc *d, u8 *buf, size_t room)
{
	struct dir_view v;
	struct dir_entry e;
	size_t done = 0;
	long err = dir_open_view(d, &v);
	if (err)
		return err;
	for (;;) {
		if (d->sub && d->pos >= POS_DOTDOT) {
			e = (struct dir_entry){0};
			next_number(d->pos, &e);
		} else {
			next_entry(&v, d->pos, &e);
		}
		u16 size = e.name ? put_entry(buf + done, room - done, &e) : 0;
		if (!size)
			return e.name && !done ? -EINVAL : (long)done;
		done += size;
		d->pos = e.order;
	}
}

/* Others make and remove names here, rename the directory, or share the position. */
static HD_NOINLINE bool touch_listed(struct vk_call *c, const struct vk_desc *d)
{
	const char *path = vk_dir_path(d);
	bool seen = touch_position(c, d);
	if (d->sub)
		return seen | vk_touch(c, VK_FD_TABLE, ACCESS_READ);
	if (!path)
		return seen;
	seen |= touch_name(c, host_key(path), ACCESS_READ);
	seen |= touch_listing(c, host_key(path), ACCESS_READ);
	return seen;
}

static void use_listing(struct vk_call *c, struct vk_desc *d)
{
	if (!touch_listed(c, d))
		return;
	vk_order(c, file_object(d), ACCESS_READ);
	touch_listed(c, d);
}

long vk_sys_getdents64(struct vk_call *c)
{
	struct vk_desc *d = vk_fd_use(c, (int)c->a[0]);
	if (!d || (d->flags & O_PATH))
		return -EBADF;
	if (d->kind != VK_DIR)
		return -ENOTDIR;
	if (!vk_user_out_ok((u64)c->a[1], (u32)c->a[2]))
		return -EFAULT;
	use_listing(c, d);
	return fill(d, vk_user(c->a[1]), (u32)c->a[2]);
}

long vk_dir_seek(struct vk_call *c, struct vk_desc *d, long offset, int whence)
{
	const int set = 0, current = 1;
	use_listing(c, d);
	if (whence == current && !offset)
		return (long)d->pos;
	if (whence != set || offset < 0)
		return -EINVAL;
	d->pos = (u64)offset;
	return offset;
}

/* ---- the current directory ---- */

static void enter(const char *absolute)
{
	const char *stored = host_stored(absolute);
	memset(vk->cwd, 0, sizeof(vk->cwd));
	if (!str_equal(stored, "."))
		str_copy(vk->cwd, sizeof(vk->cwd), stored);
}

long vk_sys_chdir(struct vk_call *c)
{
	static struct vk_place p;
	vk_use(c, VK_CWD, ACCESS_WRITE);
	long err = vk_path(c, AT_FDCWD, vk_user(c->a[0]), PATH_FOLLOW, &p);
	if (err)
		return err;
	if (!S_ISDIR(p.mode))
		return p.mode ? -ENOTDIR : -ENOENT;
	err = vk_place_may(&p, 1);
	if (!err)
		enter(p.path);
	return err;
}

long vk_sys_fchdir(struct vk_call *c)
{
	struct vk_desc *d = vk_fd_use(c, (int)c->a[0]);
	if (!d)
		return -EBADF;
	vk_use(c, VK_CWD, ACCESS_WRITE);
	if (d->kind != VK_DIR)
		return -ENOTDIR;
	const char *name = vk_dir_path(d);
	if (!name)
		return -ENOENT;
	enter(name);
	return 0;
}

long vk_sys_getcwd(struct vk_call *c)
{
	vk_use(c, VK_CWD, ACCESS_READ);
	const char *cwd = vk_cwd();
	size_t n = str_len(cwd) + 1;
	if ((u64)c->a[1] < n)
		return -ERANGE;
	if (!vk_user_out_ok((u64)c->a[0], n))
		return -EFAULT;
	memcpy(vk_user(c->a[0]), cwd, n);
	return (long)n;
}
