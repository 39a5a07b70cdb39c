/*
 * host.c: see host.h. Nodes hang in a hash table by key and are never freed. Small files are copied whole;
 * large ones are mapped read-only, so that data is always a plain pointer and
 * no call has to read while another fiber's step may come in between.
 *
 * What changes while a program runs, or tells one start from another, is replaced
 * by constants (host_constant.c).
 */
#include "runtime/vkernel/files/host.h"

#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/stat.h>
#include <asm/unistd.h>
#include <string.h>

#include "base/pages.h"
#include "base/sys.h"
#include "base/text.h"
#include "runtime/vkernel/core/abi.h"
#include "runtime/vkernel/files/host_constant.h"
#include "runtime/vkernel/files/host_maps.h"

#define BUCKETS 4096u
#define COPY_MAX (16u << 20)
#define PATH_ROOM 4096u

static struct host_node *bucket[BUCKETS];
static char start[PATH_ROOM];
static size_t start_len;

/* ---- memory that is never given back ---- */

static char *slab;
static size_t slab_left;

static void *keep(size_t n)
{
	n = HD_ROUND_UP(n, 16);
	if (n > slab_left) {
		slab_left = HD_MAX(HD_ROUND_UP(n, HD_PAGE), (size_t)1 << 20);
		slab = pages_map(slab_left);
		if (!slab)
			hd_panic(__FILE__, __LINE__, "no memory for the file system snapshot");
	}
	void *at = slab;
	slab += n;
	slab_left -= n;
	return at;
}

static const char *keep_string(const char *s, size_t n)
{
	char *copy = keep(n + 1);
	memcpy(copy, s, n);
	return copy;
}

/* ---- names ---- */

u64 host_hash(const char *s, size_t n)
{
	u64 h = 0xcbf29ce484222325u;
	for (size_t i = 0; i < n; i++)
		h = (h ^ (u8)s[i]) * 0x100000001b3u;
	h ^= h >> 32;
	h *= 0x9e3779b97f4a7c15u;
	h ^= h >> 29;
	return h ? h : 1;
}

void host_setup(void)
{
	static char now[PATH_ROOM];
	long n = sys_call3(__NR_getcwd, (long)now, sizeof(now), 0);
	if (n <= 1 || now[0] != '/')
		str_copy(now, sizeof(now), "/");
	if (!str_equal(now, start)) /* keys mean other paths from here on */
		memset(bucket, 0, sizeof(bucket));
	str_copy(start, sizeof(start), now);
	start_len = str_len(start);
	host_maps_take();
}

const char *host_start(void)
{
	return start;
}

const char *host_absolute(const char *path)
{
	static char buf[2 * PATH_ROOM];
	struct text t;
	text_init(&t, buf, sizeof(buf));
	if (path[0] != '/') {
		text_str(&t, start);
		text_str(&t, "/");
	}
	text_str(&t, path);
	return buf;
}

const char *host_stored(const char *absolute)
{
	if (str_equal(absolute, start))
		return ".";
	if (start_len > 1 && str_starts(absolute, start) && absolute[start_len] == '/')
		return absolute + start_len + 1;
	return absolute;
}

u64 host_key(const char *absolute)
{
	const char *s = host_stored(absolute);
	return host_hash(s, str_len(s));
}

/* ---- nodes ---- */

static void read_link(struct host_node *n)
{
	static char target[PATH_ROOM];
	long len = sys_call3(__NR_readlink, (long)n->path, (long)target, sizeof(target) - 1);
	if (len < 0)
		n->error = (int)len;
	else
		n->link = keep_string(target, (size_t)len);
}

/* What looking itself changes, and in /proc and /sys what differs from start to start. */
static void steady_stat(struct host_node *n)
{
	struct stat *st = &n->st;
	if (str_starts(n->path, "/proc/") || str_starts(n->path, "/sys/")) {
		st->st_ino = n->key >> 1;
		st->st_mtime = st->st_ctime = 0;
		st->st_mtime_nsec = st->st_ctime_nsec = 0;
	}
	st->st_atime = st->st_mtime;
	st->st_atime_nsec = st->st_mtime_nsec;
}

static struct host_node *node_new(u64 key, const char *path)
{
	struct host_node *n = keep(sizeof(*n));
	n->key = key;
	n->path = keep_string(path, str_len(path));
	n->error = (int)sys_call3(__NR_lstat, (long)n->path, (long)&n->st, 0);
	if (!n->error)
		steady_stat(n);
	if (!n->error && S_ISLNK(n->st.st_mode))
		read_link(n);
	n->next = bucket[key % BUCKETS];
	bucket[key % BUCKETS] = n;
	return n;
}

struct host_node *host_by_key(u64 key)
{
	struct host_node *n = bucket[key % BUCKETS];
	while (n && n->key != key)
		n = n->next;
	return n;
}

struct host_node *host_by_part(u64 part, u64 mask)
{
	struct host_node *n = bucket[part % BUCKETS];
	while (n && (n->key & mask) != part)
		n = n->next;
	return n;
}

struct host_node *host_lookup(const char *absolute)
{
	u64 key = host_key(absolute);
	struct host_node *n = host_by_key(key);
	if (!n)
		return node_new(key, absolute);
	hd_assert(str_equal(n->path, absolute)); /* 64 bits: two names with one key are not expected */
	return n;
}

int host_access(const struct host_node *n, int how)
{
	return (int)sys_call3(__NR_access, (long)n->path, how, 0);
}

/* ---- contents ---- */

static int copy_contents(struct host_node *n, int fd)
{
	struct pages_vec v = {0};
	for (;;) {
		const size_t chunk = 65536;
		char *at = pages_vec_push(&v, chunk);
		if (!at)
			return -ENOMEM;
		long got = sys_call3(__NR_read, fd, (long)at, (long)chunk);
		v.len -= chunk - (size_t)HD_MAX(got, 0L);
		if (got < 0) {
			pages_vec_free(&v);
			return (int)got;
		}
		if (!got)
			break;
	}
	n->data = (const u8 *)v.data;
	n->size = v.len;
	return 0;
}

static int map_contents(struct host_node *n, int fd)
{
	long p = sys_call6(__NR_mmap, 0, (long)n->st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (sys_failed(p))
		return (int)p;
	n->data = (const u8 *)p;
	n->size = (u64)n->st.st_size;
	return 0;
}

static int load(struct host_node *n)
{
	const char *constant = host_constant(n->path);
	if (constant) {
		n->data = (const u8 *)constant;
		n->size = str_len(constant);
		return 0;
	}
	int fd = (int)sys_call3(__NR_open, (long)n->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0);
	if (fd < 0)
		return fd;
	int err = n->st.st_size > COPY_MAX ? map_contents(n, fd) : copy_contents(n, fd);
	sys_call3(__NR_close, fd, 0, 0);
	return err;
}

int host_open(struct host_node *n)
{
	if (!n->opened && !n->error) {
		n->opened = true;
		n->open_error = load(n);
	}
	return n->error ? n->error : n->open_error;
}

/* ---- directories ---- */

struct dirent64 {
	u64 ino, off;
	u16 reclen;
	u8 type;
	char name[];
};

static bool is_dots(const char *s)
{
	return str_equal(s, ".") || str_equal(s, "..");
}

static bool collect(struct pages_vec *v, const char *buf, long n)
{
	for (long at = 0; at < n;) {
		const struct dirent64 *e = (const struct dirent64 *)(buf + at);
		at += e->reclen;
		if (is_dots(e->name))
			continue;
		struct host_entry *out = pages_vec_push(v, sizeof(*out));
		if (!out)
			return false;
		size_t len = str_len(e->name);
		*out = (struct host_entry){host_hash(e->name, len), e->ino, e->type,
					   keep_string(e->name, len)};
	}
	return true;
}

static void sift(struct host_entry *e, u32 at, u32 n)
{
	for (u32 child; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && e[child + 1].order > e[child].order)
			child++;
		if (e[at].order >= e[child].order)
			return;
		struct host_entry t = e[at];
		e[at] = e[child];
		e[child] = t;
	}
}

static void heap_sort(struct host_entry *e, u32 n)
{
	for (u32 i = n / 2; i-- > 0;)
		sift(e, i, n);
	while (n > 1) {
		struct host_entry t = e[0];
		e[0] = e[--n];
		e[n] = t;
		sift(e, 0, n);
	}
}

static int list(struct host_node *n)
{
	static char buf[32768] __attribute__((aligned(8)));
	struct pages_vec v = {0};
	int fd = (int)sys_call3(__NR_open, (long)n->path, O_RDONLY | O_CLOEXEC | O_DIRECTORY, 0);
	if (fd < 0)
		return fd;
	long got;
	while ((got = sys_call3(__NR_getdents64, fd, (long)buf, sizeof(buf))) > 0)
		if (!collect(&v, buf, got))
			got = -ENOMEM;
	sys_call3(__NR_close, fd, 0, 0);
	n->entry = (const struct host_entry *)v.data;
	n->entries = (u32)(v.len / sizeof(struct host_entry));
	heap_sort((struct host_entry *)v.data, n->entries);
	return (int)got;
}

int host_list(struct host_node *n)
{
	if (!n->listed) {
		n->listed = true;
		n->list_error = list(n);
	}
	return n->list_error;
}
