#include "play_file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define PLAY(f) void f(kernel *k, const struct step *s, struct answer *out)

/* ---- locks ---- */

PLAY(play_flock)
{
	static const int how[] = {LOCK_SH, LOCK_EX, LOCK_UN, LOCK_SH | LOCK_NB, LOCK_EX | LOCK_NB, 0, 3};
	out->ret = k(SYS_flock, s->fd, how[s->n % 7], 0, 0, 0, 0);
}

/* Of descriptions only: those of the process never keep its own threads out, and the two kinds don't mix. */
PLAY(play_record_lock)
{
	static const int commands[] = {F_OFD_SETLK, F_OFD_SETLK, F_OFD_SETLKW, F_OFD_GETLK};
	struct flock l = {.l_type = (short)(s->flags % 16 ? s->flags % 3 : 7),
			  .l_whence = (short)(s->n % 8 ? s->n % 3 : 5),
			  .l_start = s->offset % 40,
			  .l_len = (long)(s->path % 30) - 6};
	int command = commands[s->path2 % 4];
	struct stat st;
	if (!k(SYS_fstat, s->fd, (long)&st, 0, 0, 0, 0) && S_ISDIR(st.st_mode))
		l.l_whence = SEEK_SET; /* how large one is is the file system's affair */
	out->ret = k(SYS_fcntl, s->fd, command, (long)&l, 0, 0, 0);
	if (command != F_OFD_GETLK || out->ret)
		return;
	answer_add_long(out, l.l_type);
	if (l.l_type == F_UNLCK)
		return;
	/* Of several locks in the way, Linux tells the one that was set first; here it is any. */
	answer_add_long(out, l.l_pid);
}

/* ---- positions ---- */

/* Where data and holes are is the file system's own affair; only what lies outside is not. */
PLAY(play_hole)
{
	struct stat st = {0};
	long at = k(SYS_lseek, s->fd, 0, SEEK_CUR, 0, 0, 0);
	long here = k(SYS_fstat, s->fd, (long)&st, 0, 0, 0, 0);
	out->ret = k(SYS_lseek, s->fd, s->offset, s->n % 2 ? SEEK_DATA : SEEK_HOLE, 0, 0, 0);
	if (!here && (!S_ISREG(st.st_mode) || s->offset < 0 || s->offset >= st.st_size))
		return;
	k(SYS_lseek, s->fd, at, SEEK_SET, 0, 0, 0);
	out->ret = here;
}

PLAY(play_preadv)
{
	char buf[600] = {0};
	struct iovec v[3] = {{buf, s->n % 200}, {buf + 200, s->flags % 2 ? 0 : 100}, {buf + 400, 200}};
	if (s->path % 2)
		out->ret = k(SYS_preadv, s->fd, (long)v, s->n % 4, s->offset, 0, 0);
	else
		out->ret = k(SYS_preadv2, s->fd, (long)v, s->n % 4, s->offset, 0, 0);
	answer_add(out, buf, sizeof(buf));
}

PLAY(play_pwritev)
{
	char buf[300];
	answer_pattern(buf, sizeof(buf), s->n);
	struct iovec v[3] = {{buf, s->n % 100}, {buf + 100, s->flags % 2 ? 0 : 100}, {buf + 200, 100}};
	if (s->path % 2)
		out->ret = k(SYS_pwritev, s->fd, (long)v, s->n % 4, s->offset, 0, 0);
	else
		out->ret = k(SYS_pwritev2, s->fd, (long)v, s->n % 4, s->offset, 0, 0);
}

/* Plain and FALLOC_FL_KEEP_SIZE: the other modes are some file systems' only. */
PLAY(play_fallocate)
{
	out->ret = k(SYS_fallocate, s->fd, s->n % 2, s->offset, (long)(s->n % 300) - 3, 0, 0);
}

PLAY(play_copy_range)
{
	long from = s->offset, to = s->path * 3;
	out->ret = k(SYS_copy_file_range, s->fd, s->n % 3 ? (long)&from : 0, s->fd2, s->n % 5 ? (long)&to : 0,
		     s->n % 200, s->n % 20 ? 0 : 1);
	answer_add_long(out, from);
	answer_add_long(out, to);
}

/* ---- pipes ---- */

/*
 * A pipe of fewer pages than usual is full earlier than in bytes (pipe.c, "Given up"), so it is made so small
 * only if it is empty, and the usual size comes back at once.
 */
PLAY(play_pipe_size)
{
	static const long sizes[] = {65536, 65537, 131072, 1 << 20, 100000,  0,
				     1,     4096,  5000,   16384,   1l << 31};
	long want = sizes[s->n % (sizeof(sizes) / sizeof(sizes[0]))];
	int bytes = 0;
	if (!k(SYS_ioctl, s->fd, FIONREAD, (long)&bytes, 0, 0, 0) && bytes && want < 65536)
		want = 65536;
	out->ret = k(SYS_fcntl, s->fd, F_SETPIPE_SZ, want, 0, 0, 0);
	answer_add_long(out, k(SYS_fcntl, s->fd, F_GETPIPE_SZ, 0, 0, 0, 0));
	if (want && want < 65536)
		answer_add_long(out, k(SYS_fcntl, s->fd, F_SETPIPE_SZ, 65536, 0, 0, 0));
}

/* ---- the rest ---- */

PLAY(play_sync)
{
	out->ret = k(s->n % 2 ? SYS_fsync : SYS_fdatasync, s->fd, 0, 0, 0, 0, 0);
}

PLAY(play_close_range)
{
	long first = s->fd, last = s->fd2;
	if (first < 3) /* never those of the test itself */
		first = 3;
	out->ret = k(SYS_close_range, first, last, s->n % 3 ? 0 : 1u << s->n % 4, 0, 0, 0);
}

PLAY(play_times)
{
	struct timespec t[2] = {{s->n, s->flags % 1000}, {s->n / 2, UTIME_OMIT}};
	struct stat st = {0};
	if (s->n % 16 == 0)
		t[0].tv_nsec = 1000000000;
	out->ret = k(SYS_utimensat, s->fd, 0, (long)t, 0, 0, 0);
	if (!out->ret && !k(SYS_fstat, s->fd, (long)&st, 0, 0, 0, 0) && S_ISREG(st.st_mode))
		answer_add_long(out, st.st_atim.tv_sec + st.st_atim.tv_nsec);
}
