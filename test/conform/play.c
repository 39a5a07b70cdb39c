#include "play.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "play_file.h"

static const char *const names[] = {
	"a",      "b",       "new",      "d",    "d/x",       "d/y",  "d/sub",    "d/sub/z", "to-a",
	"to-d",   "to-d/x",  "dangling", "loop", "a/",        "d/",   "new/",     ".",       "..",
	"d/..",   "d/../a",  "./b",      "a/x",  "none/x",    "",     "e",        "e/f",     "to-d/",
	"to-d/y", "./d/./x", "d/.",      "e/..", "dangling/", "new2", "d/sub/..",
};

uint64_t random_next(uint64_t *rng)
{
	uint64_t x = *rng += 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

uint32_t pick(uint64_t *rng, uint32_t n)
{
	return (uint32_t)(random_next(rng) % n);
}

uint8_t pick_bad(uint64_t *rng)
{
	return pick(rng, 25) ? 0 : (uint8_t)(1 + pick(rng, 6));
}

/* ---- answers ---- */

void answer_add(struct answer *out, const void *p, size_t n)
{
	if (out->len + n > sizeof(out->data))
		abort();
	memcpy(out->data + out->len, p, n);
	out->len += n;
}

void answer_add_long(struct answer *out, long value)
{
	answer_add(out, &value, sizeof(value));
}

/* What both kernels should agree on; numbers and times of a file system are its own. */
static void add_stat(struct answer *out, const struct stat *st)
{
	answer_add_long(out, st->st_mode);
	if (S_ISDIR(st->st_mode))
		return;
	if (S_ISREG(st->st_mode) || S_ISLNK(st->st_mode)) {
		answer_add_long(out, (long)st->st_nlink);
		answer_add_long(out, st->st_size);
	}
}

static const char *name(uint8_t i)
{
	return names[i];
}

/* ---- plays ---- */

#define PLAY(f) static void f(kernel *k, const struct step *s, struct answer *out)

PLAY(play_open)
{
	out->ret = k(SYS_open, (long)name(s->path), s->flags, s->n & 0777, 0, 0, 0);
}

PLAY(play_openat)
{
	out->ret = k(SYS_openat, s->fd, (long)name(s->path), s->flags, s->n & 0777, 0, 0);
}

PLAY(play_close)
{
	out->ret = k(SYS_close, s->fd, 0, 0, 0, 0, 0);
}

PLAY(play_read)
{
	char buf[4096] = {0};
	out->ret = k(SYS_read, s->fd, (long)buf, s->n % sizeof(buf), 0, 0, 0);
	answer_add(out, buf, sizeof(buf));
}

PLAY(play_pread)
{
	char buf[4096] = {0};
	out->ret = k(SYS_pread64, s->fd, (long)buf, s->n % sizeof(buf), s->offset, 0, 0);
	answer_add(out, buf, sizeof(buf));
}

void answer_pattern(char *buf, size_t n, uint32_t seed)
{
	for (size_t i = 0; i < n; i++)
		buf[i] = (char)(seed + i * 7);
}

PLAY(play_write)
{
	char buf[300];
	answer_pattern(buf, sizeof(buf), s->n);
	out->ret = k(SYS_write, s->fd, (long)buf, s->n % sizeof(buf), 0, 0, 0);
}

PLAY(play_write8)
{
	uint64_t value = s->flags % 3 ? s->n : s->n % 2 ? ~0ul : ~0ul - 1;
	out->ret = k(SYS_write, s->fd, (long)&value, 8, 0, 0, 0);
}

PLAY(play_pwrite)
{
	char buf[300];
	answer_pattern(buf, sizeof(buf), s->n);
	out->ret = k(SYS_pwrite64, s->fd, (long)buf, s->n % sizeof(buf), s->offset, 0, 0);
}

PLAY(play_readv)
{
	char buf[600] = {0};
	struct iovec v[3] = {{buf, s->n % 200}, {buf + 200, s->flags % 2 ? 0 : 100}, {buf + 400, 200}};
	out->ret = k(SYS_readv, s->fd, (long)v, s->n % 4, 0, 0, 0);
	answer_add(out, buf, sizeof(buf));
}

PLAY(play_writev)
{
	char buf[300];
	answer_pattern(buf, sizeof(buf), s->n);
	struct iovec v[3] = {{buf, s->n % 100}, {buf + 100, s->flags % 2 ? 0 : 100}, {buf + 200, 100}};
	out->ret = k(SYS_writev, s->fd, (long)v, s->n % 4, 0, 0, 0);
}

PLAY(play_lseek)
{
	out->ret = k(SYS_lseek, s->fd, s->offset, s->n % 3, 0, 0, 0); /* holes are the file system's own */
}

PLAY(play_dup)
{
	out->ret = k(SYS_dup, s->fd, 0, 0, 0, 0, 0);
}

PLAY(play_dup2)
{
	out->ret = k(SYS_dup2, s->fd, s->fd2, 0, 0, 0, 0);
}

PLAY(play_dup3)
{
	out->ret = k(SYS_dup3, s->fd, s->fd2, s->n % 3 ? O_CLOEXEC : 0, 0, 0, 0);
}

PLAY(play_fcntl)
{
	static const int commands[] = {F_GETFD, F_SETFD,         F_GETFL,      F_SETFL,
				       F_DUPFD, F_DUPFD_CLOEXEC, F_GETPIPE_SZ, 77777};
	int command = commands[s->n % 8];
	long arg = s->fd2;
	if (command == F_SETFL)
		arg = s->flags & (O_NONBLOCK | O_APPEND);
	else if (command == F_SETFD)
		arg = s->flags & 1;
	out->ret = k(SYS_fcntl, s->fd, command, arg, 0, 0, 0);
}

PLAY(play_pipe)
{
	int fds[2] = {-1, -1};
	out->ret = k(SYS_pipe2, (long)fds, s->flags & (O_NONBLOCK | O_CLOEXEC), 0, 0, 0, 0);
	answer_add(out, fds, sizeof(fds));
}

PLAY(play_eventfd)
{
	out->ret = k(SYS_eventfd2, s->n % 5, (s->flags & (O_NONBLOCK | O_CLOEXEC)) | (s->n >> 8 & 1), 0, 0, 0,
		     0);
}

PLAY(play_stat)
{
	struct stat st = {0};
	out->ret = k(s->n % 2 ? SYS_stat : SYS_lstat, (long)name(s->path), (long)&st, 0, 0, 0, 0);
	add_stat(out, &st);
}

PLAY(play_fstat)
{
	struct stat st = {0};
	out->ret = k(SYS_fstat, s->fd, (long)&st, 0, 0, 0, 0);
	add_stat(out, &st);
}

PLAY(play_fstatat)
{
	struct stat st = {0};
	long flags = (s->n % 2 ? AT_SYMLINK_NOFOLLOW : 0) | (s->n % 4 > 1 ? AT_EMPTY_PATH : 0);
	out->ret = k(SYS_newfstatat, s->fd, (long)name(s->path), (long)&st, flags, 0, 0);
	add_stat(out, &st);
}

PLAY(play_statx)
{
	struct statx x = {0};
	out->ret = k(SYS_statx, AT_FDCWD, (long)name(s->path), 0, STATX_BASIC_STATS, (long)&x, 0);
	answer_add_long(out, x.stx_mode);
	if (S_ISREG(x.stx_mode))
		answer_add_long(out, (long)x.stx_size);
}

PLAY(play_access)
{
	out->ret = k(SYS_access, (long)name(s->path), s->n % 9, 0, 0, 0, 0);
}

PLAY(play_readlink)
{
	char buf[64] = {0};
	out->ret = k(SYS_readlink, (long)name(s->path), (long)buf, s->n % sizeof(buf), 0, 0, 0);
	answer_add(out, buf, sizeof(buf));
}

PLAY(play_unlink)
{
	out->ret = k(SYS_unlink, (long)name(s->path), 0, 0, 0, 0, 0);
}

PLAY(play_unlinkat)
{
	out->ret = k(SYS_unlinkat, s->fd, (long)name(s->path), s->n % 2 ? AT_REMOVEDIR : 0, 0, 0, 0);
}

PLAY(play_rename)
{
	out->ret = k(SYS_renameat2, AT_FDCWD, (long)name(s->path), AT_FDCWD, (long)name(s->path2),
		     s->n % 4 == 0, 0);
}

PLAY(play_mkdir)
{
	out->ret = k(SYS_mkdir, (long)name(s->path), s->n & 01777, 0, 0, 0, 0);
}

PLAY(play_rmdir)
{
	out->ret = k(SYS_rmdir, (long)name(s->path), 0, 0, 0, 0, 0);
}

PLAY(play_link)
{
	out->ret = k(SYS_linkat, AT_FDCWD, (long)name(s->path), AT_FDCWD, (long)name(s->path2),
		     s->n % 2 ? AT_SYMLINK_FOLLOW : 0, 0);
}

PLAY(play_symlink)
{
	out->ret = k(SYS_symlink, (long)name(s->path), (long)name(s->path2), 0, 0, 0, 0);
}

PLAY(play_truncate)
{
	out->ret = k(SYS_truncate, (long)name(s->path), s->offset, 0, 0, 0, 0);
}

PLAY(play_ftruncate)
{
	out->ret = k(SYS_ftruncate, s->fd, s->offset, 0, 0, 0, 0);
}

PLAY(play_chmod)
{
	out->ret = k(SYS_chmod, (long)name(s->path), s->n & 07777, 0, 0, 0, 0);
}

PLAY(play_fchmod)
{
	out->ret = k(SYS_fchmod, s->fd, s->n & 0777, 0, 0, 0, 0);
}

PLAY(play_umask)
{
	out->ret = k(SYS_umask, s->n & 077, 0, 0, 0, 0, 0);
}

/* The two worlds differ in one letter of the path (r, v), which is where the names start. */
PLAY(play_getcwd)
{
	char buf[1024] = {0};
	(void)s;
	out->ret = k(SYS_getcwd, (long)buf, sizeof(buf), 0, 0, 0, 0);
	char *world = strstr(buf, "/world-");
	if (world)
		world[7] = '?';
	answer_add(out, buf, sizeof(buf));
}

/* Never out of the world: .. is asked for from inside only. */
PLAY(play_chdir)
{
	static const char *const to[] = {"d", "e", "to-d", "a", "none", "d/sub"};
	out->ret = k(SYS_chdir, (long)to[s->n % 6], 0, 0, 0, 0, 0);
}

PLAY(play_poll)
{
	struct pollfd p[2] = {{s->fd, (short)(s->n & 0x145), 0}, {s->fd2, (short)(s->flags & 0x145), 0}};
	out->ret = k(SYS_poll, (long)p, 2, 0, 0, 0, 0);
	answer_add(out, p, sizeof(p));
}

PLAY(play_select)
{
	fd_set set[3];
	struct timeval now = {0, 0};
	memset(set, 0, sizeof(set));
	FD_SET(s->fd < 0 ? 0 : s->fd, &set[s->n % 3]);
	FD_SET(s->fd2 < 0 ? 0 : s->fd2, &set[s->flags % 3]);
	FD_CLR(0, &set[0]);
	FD_CLR(0, &set[1]);
	FD_CLR(0, &set[2]);
	out->ret = k(SYS_select, 20, (long)&set[0], (long)&set[1], s->n % 7 ? (long)&set[2] : 0, (long)&now,
		     0);
	if (out->ret >= 0)
		answer_add(out, set, sizeof(set));
}

PLAY(play_ioctl)
{
	int value = (int)(s->n >> 4 & 1);
	out->ret = k(SYS_ioctl, s->fd, s->n % 2 ? FIONREAD : FIONBIO, (long)&value, 0, 0, 0);
	answer_add_long(out, value);
}

PLAY(play_sendfile)
{
	long at = s->offset & 255;
	out->ret = k(SYS_sendfile, s->fd, s->fd2, s->n % 2 ? (long)&at : 0, s->n % 300, 0, 0);
	answer_add_long(out, at);
}

/* Without waiting: the world of these sequences has one thread. */
PLAY(play_splice)
{
	long from = s->offset & 255, to = s->path * 7;
	out->ret = k(SYS_splice, s->fd2, s->n % 5 == 1 ? (long)&from : 0, s->fd,
		     s->n % 7 == 1 ? (long)&to : 0, s->n % 300, 2);
	answer_add_long(out, from);
	answer_add_long(out, to);
}

PLAY(play_tee)
{
	out->ret = k(SYS_tee, s->fd2, s->fd, s->n % 300, 2, 0, 0);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

struct linux_dirent64 {
	uint64_t ino, off;
	uint16_t reclen;
	uint8_t type;
	char name[];
};

/* All names in a directory, sorted, with their types. */
PLAY(play_list)
{
	char buf[4096] __attribute__((aligned(8)));
	char *found[128];
	size_t count = 0;
	long fd = k(SYS_open, (long)name(s->path), O_RDONLY | O_DIRECTORY, 0, 0, 0, 0), got;
	out->ret = fd;
	if (fd < 0)
		return;
	while ((got = k(SYS_getdents64, fd, (long)buf, 128 + s->n % 2048, 0, 0, 0)) > 0)
		for (long at = 0; at < got && count < 128;) {
			struct linux_dirent64 *e = (struct linux_dirent64 *)(buf + at);
			if (asprintf(&found[count++], "%s %d\n", e->name, e->type) < 0)
				abort();
			at += e->reclen;
		}
	qsort(found, count, sizeof(*found), compare_names);
	for (size_t i = 0; i < count; i++) {
		answer_add(out, found[i], strlen(found[i]));
		free(found[i]);
	}
	answer_add_long(out, got);
	k(SYS_close, fd, 0, 0, 0, 0, 0);
}

/* ---- the list ---- */

static const struct play plays[] = {
	{"open", play_open, 10},        {"openat", play_openat, 2},
	{"close", play_close, 6},       {"read", play_read, 8},
	{"pread", play_pread, 3},       {"write", play_write, 8},
	{"write8", play_write8, 3},     {"pwrite", play_pwrite, 3},
	{"readv", play_readv, 2},       {"writev", play_writev, 2},
	{"lseek", play_lseek, 4},       {"dup", play_dup, 2},
	{"dup2", play_dup2, 2},         {"dup3", play_dup3, 1},
	{"fcntl", play_fcntl, 4},       {"pipe", play_pipe, 3},
	{"eventfd", play_eventfd, 2},   {"stat", play_stat, 4},
	{"fstat", play_fstat, 3},       {"fstatat", play_fstatat, 2},
	{"statx", play_statx, 1},       {"access", play_access, 2},
	{"readlink", play_readlink, 2}, {"unlink", play_unlink, 4},
	{"unlinkat", play_unlinkat, 2}, {"rename", play_rename, 5},
	{"mkdir", play_mkdir, 3},       {"rmdir", play_rmdir, 3},
	{"link", play_link, 3},         {"symlink", play_symlink, 2},
	{"truncate", play_truncate, 2}, {"ftruncate", play_ftruncate, 2},
	{"chmod", play_chmod, 1},       {"fchmod", play_fchmod, 1},
	{"umask", play_umask, 1},       {"getcwd", play_getcwd, 1},
	{"chdir", play_chdir, 1},       {"poll", play_poll, 4},
	{"select", play_select, 2},     {"ioctl", play_ioctl, 2},
	{"sendfile", play_sendfile, 2}, {"list", play_list, 3},
	{"splice", play_splice, 3},     {"tee", play_tee, 1},
	{"flock", play_flock, 2},       {"record", play_record_lock, 4},
	{"hole", play_hole, 2},         {"preadv", play_preadv, 1},
	{"pwritev", play_pwritev, 1},   {"fallocate", play_fallocate, 1},
	{"copy", play_copy_range, 1},   {"pipesize", play_pipe_size, 2},
	{"sync", play_sync, 1},         {"closerange", play_close_range, 1},
	{"times", play_times, 1},
};
#define PLAYS (sizeof(plays) / sizeof(plays[0]))

uint8_t pick_play(uint64_t *rng, const struct play *list, size_t count)
{
	unsigned total = 0;
	for (size_t i = 0; i < count; i++)
		total += list[i].weight;
	unsigned at = pick(rng, total);
	uint8_t i = 0;
	while (at >= list[i].weight)
		at -= list[i++].weight;
	return i;
}

static uint32_t pick_flags(uint64_t *rng)
{
	static const uint32_t extra[] = {O_CREAT, O_EXCL | O_CREAT, O_TRUNC,   O_APPEND,
					 O_CREAT, O_NONBLOCK,       O_CLOEXEC, O_NOFOLLOW};
	uint32_t flags = pick(rng, 3);
	for (int i = 0; i < 8; i++)
		if (pick(rng, 4) == 0)
			flags |= extra[i];
	return pick(rng, 12) ? flags : flags | O_DIRECTORY;
}

struct step random_step(uint64_t *rng)
{
	struct step s = {
		.op = pick_play(rng, plays, PLAYS),
		.path = (uint8_t)pick(rng, sizeof(names) / sizeof(names[0])),
		.path2 = (uint8_t)pick(rng, sizeof(names) / sizeof(names[0])),
		.fd = (int8_t)(3 + pick(rng, 7)),
		.fd2 = (int8_t)(3 + pick(rng, 7)),
		.n = (uint32_t)random_next(rng) & 0xffff,
		.flags = pick_flags(rng),
		.offset = (long)pick(rng, 400) - 20,
		.bad = pick_bad(rng),
	};
	if (pick(rng, 30) == 0)
		s.fd = (int8_t)(pick(rng, 2) ? -1 : 100);
	return s;
}

void play_step(kernel *k, const struct step *s, struct answer *out)
{
	out->ret = 0;
	out->len = 0;
	plays[s->op].play(k, s, out);
}

int step_is(const struct step *s, const char *call)
{
	return !strcmp(plays[s->op].call, call);
}

int step_is_unusual(const struct step *s)
{
	static const char *const calls[] = {"lseek",    "pread", "pwrite", "fchmod", "ftruncate",
					    "sendfile", "write", "hole",   "preadv", "pwritev",
					    "times",    "flock", "record"};
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (step_is(s, calls[i]))
			return 1;
	return 0;
}

void print_step(FILE *to, const struct step *s)
{
	fprintf(to, "%-9s \"%s\" \"%s\" fd %d fd2 %d n %u flags 0%o offset %ld bad %u\n", plays[s->op].call,
		name(s->path), name(s->path2), s->fd, s->fd2, s->n, s->flags, s->offset, s->bad);
}
