/*
 * written_files.c: files that the peer changes are part of its state. Before a file is first opened for
 * writing, truncated, renamed or removed, its name and what is in it go into a table that all copies of the
 * peer share. Each copy that is saved keeps the files of the table as they are then; who is thawed puts them
 * back. One that came into the table after the copy was made was untouched at that time: it gets what was in
 * it at first.
 *
 * Processes that the peer has forked share the table. Each keeps, and puts back, what it may: a worker that
 * has given up its rights leaves its master's files alone, and says so. The controller sees to it that each
 * file is kept, and put back, by somebody.
 *
 * What other processes write, and what was changed before the last exec, is not followed.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "shim/shim_priv.h"

#define FILES 64u /* one bit each in shim_message.files */
#define PATH_ROOM 240u
#define ARENA (16u << 20) /* of all files, as they were at first; untouched pages cost nothing */

struct contents {
	bool existed;
	bool others; /* of a copy: this process may not read it */
	u32 mode;
	u64 size;
	struct timespec changed;
	u8 *data; /* of a copy; those of the table lie at `at` */
	u64 at;
};

struct file_table {
	u32 count;
	u64 used;
	struct {
		char path[PATH_ROOM];
		struct contents first;
	} file[FILES];
	u8 arena[ARENA];
};

static struct file_table *table;
static struct contents saved[FILES];
static u32 saved_count;
static atomic_int busy;

bool files_own(u64 address)
{
	return address && address == (u64)table;
}

void files_start(void)
{
	long memory = shim_call(SYS_memfd_create, "heddle-peer-files", MFD_CLOEXEC);
	if (memory < 0)
		return;
	long at = shim_call(SYS_ftruncate, memory, sizeof(*table))
			  ? -1
			  : shim_call(SYS_mmap, 0, sizeof(*table), PROT_READ | PROT_WRITE, MAP_SHARED, memory,
				      0);
	shim_call(SYS_close, memory);
	table = sys_failed(at) ? NULL : (struct file_table *)at;
}

/* ---- names ---- */

static bool is_odd(const char *path)
{
	return text_starts(path, "/proc/") || text_starts(path, "/sys/") ||
	       (text_starts(path, "/dev/") && !text_starts(path, "/dev/shm/"));
}

/* The name from the root on. False: it has none, or it is too long. */
static bool full_path(int folder, const char *path, char *out)
{
	char link[48];
	out[0] = 0;
	if (!path || !path[0])
		return false;
	if (path[0] != '/') {
		long n;
		if (folder == AT_FDCWD) {
			n = shim_call(SYS_getcwd, out, PATH_ROOM);
		} else {
			text_proc(link, sizeof(link), "fd", folder);
			n = shim_call(SYS_readlinkat, shim.proc, link, out, PATH_ROOM - 1);
			out[n > 0 ? n : 0] = 0;
		}
		if (n <= 0 || out[0] != '/')
			return false;
		text_add(out, PATH_ROOM, "/");
	}
	text_add(out, PATH_ROOM, path);
	return text_length(out) + 1 < PATH_ROOM;
}

/* ---- contents ---- */

static bool read_all(const char *path, u8 *to, u64 size)
{
	long fd = shim_call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	u64 have = 0;
	for (long n = 1; fd >= 0 && n > 0 && have<size; have += n> 0 ? (u64)n : 0)
		n = shim_call(SYS_read, fd, to + have, size - have);
	if (fd >= 0)
		shim_call(SYS_close, fd);
	return fd >= 0 && have == size;
}

/* What kind of thing is there? False: nothing that could be put back. */
static bool look(const char *path, struct contents *c)
{
	struct stat st = {0};
	*c = (struct contents){0};
	long r = shim_call(SYS_newfstatat, AT_FDCWD, path, &st, 0);
	c->others = r == -EACCES;
	if (r)
		return r == -ENOENT || r == -EACCES;
	c->existed = true;
	c->mode = st.st_mode & 07777;
	c->size = (u64)st.st_size;
	c->changed = st.st_mtim;
	return S_ISREG(st.st_mode);
}

static void enter(const char *path)
{
	struct contents c;
	for (u32 i = 0; i < table->count; i++)
		if (!strcmp(table->file[i].path, path))
			return;
	if (!look(path, &c) || c.others) /* a device, a socket, a folder */
		return;
	if (table->count == FILES || c.size > ARENA - table->used) {
		shim.stops = "it changes more than 64 files, or 16 MB of files";
		return;
	}
	c.at = table->used;
	if (c.existed && !read_all(path, table->arena + c.at, c.size)) {
		shim.stops = "it changes a file that it may not read";
		return;
	}
	table->used += c.size;
	memcpy(table->file[table->count].path, path, text_length(path) + 1);
	table->file[table->count].first = c;
	__atomic_store_n(&table->count, table->count + 1, __ATOMIC_RELEASE);
}

void files_touch(int folder, const char *path)
{
	char full[PATH_ROOM];
	int none = 0;
	if (!table) {
		shim.stops = "it changes files, and there is no memory to keep them";
		return;
	}
	if (!full_path(folder, path, full)) {
		shim.stops = "it changes a file whose name is too long, or that has none";
		return;
	}
	if (is_odd(full))
		return;
	while (!atomic_compare_exchange_weak(&busy, &none, 1))
		none = 0;
	enter(full);
	atomic_store(&busy, 0);
}

/* ---- saving ---- */

static bool keep(u32 i)
{
	struct contents *c = &saved[i];
	if (!look(table->file[i].path, c) || c->size > ARENA)
		return false;
	if (!c->size || c->others)
		return true;
	long at = shim_call(SYS_mmap, 0, c->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (sys_failed(at))
		return false;
	c->data = (u8 *)at;
	c->others = !read_all(table->file[i].path, c->data, c->size);
	return true;
}

bool files_record(u64 *others)
{
	u32 n = table ? table->count : 0;
	saved_count = 0;
	*others = 0;
	for (u32 i = 0; i < n; i++) {
		bool fine = keep(i);
		saved_count = i + 1;
		*others |= saved[i].others ? 1ull << i : 0;
		if (!fine) {
			files_release();
			return false;
		}
	}
	return true;
}

void files_release(void)
{
	for (u32 i = 0; i < saved_count; i++)
		if (saved[i].data)
			shim_call(SYS_munmap, saved[i].data, saved[i].size);
	saved_count = 0;
}

/* ---- putting back ---- */

/* In place, so that descriptors of it still lead to it; also where it looks the same: times are coarse. */
static bool write_all(const char *path, const struct contents *c, const u8 *data)
{
	const struct timespec times[2] = {{0, UTIME_OMIT}, c->changed};
	long fd = shim_call(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_CLOEXEC, c->mode);
	u64 done = 0;
	for (long n = 1; fd >= 0 && n > 0 && done<c->size; done += n> 0 ? (u64)n : 0)
		n = shim_call(SYS_pwrite64, fd, data + done, c->size - done, done);
	bool fine = fd >= 0 && done == c->size && !shim_call(SYS_ftruncate, fd, c->size);
	if (fd >= 0) {
		shim_call(SYS_fchmod, fd, c->mode);
		shim_call(SYS_utimensat, fd, NULL, times, 0);
		shim_call(SYS_close, fd);
	}
	return fine;
}

static bool is_gone(const char *path)
{
	long r = shim_call(SYS_unlinkat, AT_FDCWD, path, 0);
	return !r || r == -ENOENT;
}

u64 files_restore(void)
{
	u64 left = 0;
	for (u32 i = 0; table && i < table->count; i++) {
		const char *path = table->file[i].path;
		bool mine = i < saved_count;
		const struct contents *c = mine ? &saved[i] : &table->file[i].first;
		bool fine = !c->others &&
			    (c->existed ? write_all(path, c, mine ? c->data : table->arena + c->at)
					: is_gone(path));
		left |= fine ? 0 : 1ull << i;
	}
	files_release();
	return left;
}

void files_call(const struct call *c)
{
	switch (c->nr) {
	case SYS_open:
		if ((c->arg[1] & O_ACCMODE) != O_RDONLY || (c->arg[1] & (O_CREAT | O_TRUNC)))
			files_touch(AT_FDCWD, (const char *)c->arg[0]);
		break;
	case SYS_openat:
		if ((c->arg[2] & O_ACCMODE) != O_RDONLY || (c->arg[2] & (O_CREAT | O_TRUNC)))
			files_touch((int)c->arg[0], (const char *)c->arg[1]);
		break;
	case SYS_creat:
	case SYS_truncate:
	case SYS_unlink:
	case SYS_mknod:
		files_touch(AT_FDCWD, (const char *)c->arg[0]);
		break;
	case SYS_unlinkat:
		if (!(c->arg[2] & AT_REMOVEDIR))
			files_touch((int)c->arg[0], (const char *)c->arg[1]);
		else if (shim.started)
			shim.stops = "it removes folders";
		break;
	case SYS_rename:
		files_touch(AT_FDCWD, (const char *)c->arg[0]);
		files_touch(AT_FDCWD, (const char *)c->arg[1]);
		break;
	case SYS_renameat:
	case SYS_renameat2:
		files_touch((int)c->arg[0], (const char *)c->arg[1]);
		files_touch((int)c->arg[2], (const char *)c->arg[3]);
		break;
	case SYS_mkdir:
	case SYS_mkdirat:
	case SYS_rmdir:
	case SYS_link:
	case SYS_linkat:
	case SYS_symlink:
	case SYS_symlinkat:
		if (shim.started)
			shim.stops = "it makes or removes folders or links";
		break;
	default:
		break;
	}
}
