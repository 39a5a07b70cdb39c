/*
 * path.c: walking a path, component by component, through the overlay and the host's
 * snapshot; see path.h. Symbolic links are followed here, never by the host: it does
 * not know what the overlay put in their way.
 */
#include "runtime/vkernel/files/path.h"

#include "runtime/vkernel/files/host_constant.h"
#include "runtime/vkernel/files/overlay.h"
#include "runtime/vkernel/files/touch.h"

#define LINKS_MAX 40
#define REST_MAX 8192
#define NAME_MAX_ 255

/* ---- one name ---- */

static size_t parent_len(const char *absolute)
{
	size_t n = str_len(absolute);
	while (n > 1 && absolute[n - 1] != '/')
		n--;
	return n > 1 ? n - 1 : n;
}

static void copy_parent(const char *absolute, char *out)
{
	str_copy(out, HD_MIN(parent_len(absolute) + 1, (size_t)VK_PATH_MAX), absolute);
}

u64 vk_parent_key(const char *absolute)
{
	static char parent[VK_PATH_MAX];
	copy_parent(absolute, parent);
	return host_key(parent);
}

void vk_place_parent(const struct vk_place *p, struct vk_place *out)
{
	static char parent[VK_PATH_MAX];
	copy_parent(p->path, parent);
	vk_place_at(parent, out);
}

/* A directory made by the SUT has nothing of the host below it. */
static bool parent_is_ours(const char *absolute)
{
	if (!vk->names)
		return false;
	struct vk_name *n = vk_name_find(vk_parent_key(absolute));
	return n && n->inode && !vk_inode(n->inode)->origin;
}

static int parse_fd(const char *s)
{
	int fd = 0;
	if (!*s)
		return -1;
	for (; *s; s++) {
		if (*s < '0' || *s > '9' || fd >= VK_MAX_FDS)
			return -1;
		fd = fd * 10 + (*s - '0');
	}
	return fd;
}

/* What /proc says about the SUT itself is partly ours, partly forbidden. True: done. */
static bool place_in_proc(const char *path, struct vk_place *out)
{
	static const char self[] = "/proc/self", fds[] = "/proc/self/fd/", net[] = "/proc/self/net";
	if (str_equal(path, self) || str_equal(path, VK_FD_FOLDER) || str_equal(path, net)) {
		out->host = host_lookup("/proc");
		out->mode = S_IFDIR | 0555;
		return true;
	}
	if (!str_starts(path, "/proc/self/"))
		return false;
	if (str_starts(path, fds)) {
		int fd = parse_fd(path + sizeof(fds) - 1);
		struct stat st = {0};
		if (vk_fd_peek(fd)) {
			vk_desc_stat(vk_fd_peek(fd), &st);
			out->fd = fd + 1;
			out->mode = st.st_mode;
		}
		return true;
	}
	if (host_proc_self_allowed(path + sizeof(self)))
		return false;
	out->forbidden = true;
	return true;
}

void vk_place_at(const char *absolute, struct vk_place *out)
{
	if (out->path != absolute)
		str_copy(out->path, sizeof(out->path), absolute);
	out->key = host_key(absolute);
	out->inode = out->mode = 0;
	out->host = NULL;
	out->error = out->fd = 0;
	out->forbidden = false;
	struct vk_name *n = vk_name_find(out->key);
	if (n) {
		out->inode = n->inode;
		out->mode = n->inode ? vk_inode(n->inode)->mode : 0;
		return;
	}
	if (place_in_proc(absolute, out) || parent_is_ours(absolute))
		return;
	struct host_node *h = host_lookup(absolute);
	if (!h->error) {
		out->host = h;
		out->mode = h->st.st_mode;
	} else if (h->error != -ENOENT && h->error != -ENOTDIR) {
		out->error = h->error;
	}
}

long vk_place_link(const struct vk_place *p, char *buf, size_t cap)
{
	if (!S_ISLNK(p->mode))
		return -EINVAL;
	hd_assert(p->inode || p->host);
	const char *target = p->inode ? (const char *)vk_inode_data(p->inode) : p->host->link;
	size_t n = p->inode ? vk_inode(p->inode)->size : str_len(target);
	n = HD_MIN(n, cap);
	memcpy(buf, target, n);
	return (long)n;
}

void vk_place_stat(const struct vk_place *p, struct stat *st)
{
	if (p->fd)
		vk_desc_stat(vk_fd_peek(p->fd - 1), st);
	else if (p->inode)
		vk_inode_stat(p->inode, st);
	else
		*st = p->host->st;
}

long vk_place_may(const struct vk_place *p, u32 how)
{
	if (p->host)
		return host_access(p->host, (int)how);
	long uid = sys_call3(__NR_geteuid, 0, 0, 0);
	if (uid == 0)
		return (how & 1) && !S_ISDIR(p->mode) && !(p->mode & 0111) ? -EACCES : 0;
	u32 granted = !p->inode || vk_inode(p->inode)->uid == (u32)uid ? p->mode >> 6 : p->mode;
	return (how & ~granted & 7) ? -EACCES : 0;
}

/* ---- directories to start from ---- */

const char *vk_cwd(void)
{
	return vk->cwd[0] ? host_absolute(vk->cwd) : host_start();
}

const char *vk_dir_path(const struct vk_desc *d)
{
	if (d->sub)
		return VK_FD_FOLDER;
	if (!d->object)
		return host_by_key(d->host)->path;
	const char *stored = vk_name_of(d->object);
	if (!stored)
		return NULL;
	return str_equal(stored, ".") ? host_start() : host_absolute(stored);
}

/* ---- walking ---- */

struct path_walk {
	struct vk_call *c;   /* says what it looks at; NULL: a look without a call */
	char rest[REST_MAX]; /* still to go */
	char *at;
	u32 links;
	bool follow, name, create;
	bool seen;                 /* something on the way must make this a step */
	const struct vk_desc *dir; /* where a relative path starts; NULL: in the current directory */
	struct vk_place *out;
};

/* V1: this fiber looks at the name, and at what lies there. */
static void walk_look(struct path_walk *w)
{
	if (!w->c)
		return;
	w->seen |= touch_name(w->c, w->out->key, ACCESS_READ);
	w->seen |= touch_place(w->c, w->out, ACCESS_READ);
}

static long walk_start(struct path_walk *w, const char *path)
{
	const char *from = "/";
	if (path[0] != '/')
		from = w->dir ? vk_dir_path(w->dir) : vk_cwd();
	if (!from)
		return -ENOENT;
	if (str_len(path) >= REST_MAX / 2 || str_len(from) >= VK_PATH_MAX)
		return -ENAMETOOLONG;
	str_copy(w->rest, sizeof(w->rest), path);
	w->at = w->rest;
	w->out->slash = false;
	w->out->dots = 0;
	vk_place_at(from, w->out);
	walk_look(w);
	return 0;
}

/* The next component, or NULL. */
static const char *next_name(struct path_walk *w, size_t *len)
{
	while (*w->at == '/')
		w->at++;
	const char *name = w->at;
	while (*w->at && *w->at != '/')
		w->at++;
	*len = (size_t)(w->at - name);
	w->out->slash = *w->at == '/';
	return *len ? name : NULL;
}

static bool more_names(const struct path_walk *w)
{
	const char *p = w->at;
	while (*p == '/')
		p++;
	return *p;
}

static long append(const struct path_walk *w, const char *name, size_t len)
{
	char *path = w->out->path;
	size_t n = str_len(path);
	if (len > NAME_MAX_)
		return -ENAMETOOLONG;
	if (n + len + 2 > VK_PATH_MAX) {
		if (w->c)
			vk_refuse(w->c, "limit: a path of more than 1023 bytes");
		return -ENAMETOOLONG;
	}
	if (n > 1)
		path[n++] = '/';
	memcpy(path + n, name, len);
	path[n + len] = 0;
	return 0;
}

/* Put the link's target in front of the rest. */
static long follow_link(struct path_walk *w)
{
	static char text[REST_MAX];
	if (++w->links > LINKS_MAX)
		return -ELOOP;
	long n = vk_place_link(w->out, text, REST_MAX / 2);
	size_t rest = str_len(w->at);
	if (n < 0 || (size_t)n + rest + 1 > REST_MAX)
		return n < 0 ? n : -ENAMETOOLONG;
	if (!n)
		return -ENOENT;
	memcpy(text + n, w->at, rest + 1);
	bool absolute = text[0] == '/';
	str_copy(w->rest, sizeof(w->rest), text);
	w->at = w->rest;
	if (absolute)
		vk_place_at("/", w->out);
	else
		vk_place_parent(w->out, w->out);
	return 0;
}

/* "/proc/<our number>" is another name for /proc/self. */
static void normalise_proc(char *path)
{
	if (str_equal(path, "/proc/1000") || str_equal(path, "/proc/thread-self"))
		str_copy(path, VK_PATH_MAX, "/proc/self");
}

static long walk_name(struct path_walk *w, const char *name, size_t len)
{
	struct vk_place *p = w->out;
	if (!S_ISDIR(p->mode))
		return p->mode ? -ENOTDIR : p->error ? p->error : -ENOENT;
	bool dots = name[0] == '.' && (len == 1 || (len == 2 && name[1] == '.'));
	p->dots = dots ? (u8)len : 0;
	if (p->dots == 2)
		vk_place_parent(p, p);
	if (p->dots)
		return 0;
	if (w->create && p->slash && !more_names(w))
		return -EISDIR;
	long err = append(w, name, len);
	if (err)
		return err;
	normalise_proc(p->path);
	vk_place_at(p->path, p);
	if (p->forbidden && w->c)
		vk_refuse(w->c, p->path);
	walk_look(w);
	if (S_ISLNK(p->mode) && (w->follow || more_names(w) || (p->slash && !w->name)))
		return follow_link(w);
	return p->mode ? 0 : p->error;
}

/* What the call is going to do at the end of the path. */
static bool announce(struct vk_call *c, const struct vk_place *p, u32 how)
{
	bool goes = p->mode && (how & PATH_REMOVE);
	bool name = goes || (!p->mode && (how & PATH_MAKE));
	bool seen = touch_name(c, p->key, name ? ACCESS_WRITE : ACCESS_READ);
	seen |= touch_place(c, p, goes || (how & PATH_CHANGE) ? ACCESS_WRITE : ACCESS_READ);
	if (name)
		seen |= touch_listing(c, vk_parent_key(p->path), ACCESS_ADD);
	if (goes && S_ISDIR(p->mode)) /* only if it is empty */
		seen |= touch_listing(c, p->key, ACCESS_READ);
	return seen;
}

static HD_NOINLINE long walk(struct vk_call *c, const struct vk_desc *dir, const char *path, u32 how,
			     struct vk_place *out, bool *seen)
{
	static struct path_walk w;
	w.c = c;
	w.links = 0;
	w.seen = false;
	w.follow = how & PATH_FOLLOW;
	w.name = how & PATH_NAME;
	w.create = how & PATH_CREATE;
	w.dir = dir;
	w.out = out;
	long err = walk_start(&w, path);
	while (!err && more_names(&w)) {
		size_t len;
		const char *name = next_name(&w, &len);
		err = walk_name(&w, name, len);
	}
	*seen |= w.seen;
	if (err)
		return err;
	if (c)
		*seen |= announce(c, out, how);
	out->slash |= *w.at == '/';
	return out->slash && !w.name && out->mode && !S_ISDIR(out->mode) ? -ENOTDIR : 0;
}

/* The directory where a relative path starts; NULL: the current one. */
static long start_from(struct vk_call *c, int dirfd, const char *path, struct vk_desc **dir, bool *seen)
{
	*dir = NULL;
	if (path[0] == '/')
		return 0;
	if (dirfd == AT_FDCWD) {
		*seen = vk_touch(c, VK_CWD, ACCESS_READ);
		return 0;
	}
	*dir = c->from ? c->from : vk_fd_use(c, dirfd);
	if (!*dir)
		return -EBADF;
	return (*dir)->kind == VK_DIR ? 0 : -ENOTDIR;
}

void vk_path_start(struct vk_call *c, int dirfd, const char *path)
{
	if (dirfd != AT_FDCWD && vk_user_ok((u64)path, 1) && path[0] != '/')
		c->from = vk_fd_use(c, dirfd);
}

long vk_path(struct vk_call *c, int dirfd, const char *path, u32 how, struct vk_place *out)
{
	struct vk_desc *dir;
	bool seen = false;
	if (!vk_user_ok((u64)path, 1))
		return -EFAULT;
	if (!path[0])
		return -ENOENT;
	long err = start_from(c, dirfd, path, &dir, &seen);
	if (err)
		return err;
	err = walk(c, dir, path, how, out, &seen);
	if (!seen || (how & PATH_QUIET))
		return err;
	vk_order(c, object_id(OBJECT_NAME, out->key), ACCESS_READ);
	if (!dir)
		vk_touch(c, VK_CWD, ACCESS_READ);
	return walk(c, dir, path, how, out, &seen); /* V2 */
}

long vk_path_look(const char *path, u32 how, struct vk_place *out)
{
	bool seen = false;
	return path[0] ? walk(NULL, NULL, path, how, out, &seen) : -ENOENT;
}
