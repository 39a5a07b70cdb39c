/*
 * held_locks.c: locks of files. Those of fcntl belong to a process, and a copy has none of them: they are
 * read from /proc/locks, and taken again by who is thawed. Those of flock belong to an open file, which all
 * copies have: who closes it gives the lock up, and who is thawed sets it as it was.
 */
#include <fcntl.h>
#include <sys/file.h>

#include "shim/shim_priv.h"

#define LOCKS 32u

struct file_lock {
	int fd;
	short type;
	u64 from, len; /* len 0: to the end */
};

static struct file_lock locks[LOCKS];
static u32 lock_count;
static bool any;            /* one of fcntl was ever taken */
static u8 flocks[SHIM_FDS]; /* LOCK_SH, LOCK_EX or 0 */

void locks_taken(void)
{
	any = true;
}

void locks_flock(int fd, long operation)
{
	if (fd >= 0 && fd < SHIM_FDS)
		flocks[fd] = operation & LOCK_UN ? 0 : (u8)(operation & (LOCK_SH | LOCK_EX));
}

void locks_closed(int fd)
{
	if (fd < 0 || fd >= SHIM_FDS || !flocks[fd])
		return;
	flocks[fd] = 0;
	shim_call(SYS_flock, fd, LOCK_UN);
}

static const char *skip(const char *s, u32 words)
{
	for (; words; words--) {
		while (*s && *s != ' ')
			s++;
		while (*s == ' ')
			s++;
	}
	return s;
}

static u64 number(const char *s)
{
	u64 n = 0;
	for (; *s >= '0' && *s <= '9'; s++)
		n = n * 10 + (u64)(*s - '0');
	return n;
}

/* "7: POSIX  ADVISORY  WRITE 4711 fe:00:81234 0 EOF" */
static bool take_line(const char *line)
{
	const char *kind = skip(line, 1), *type = skip(kind, 2), *pid = skip(type, 1), *file = skip(pid, 1),
		   *from = skip(file, 1), *to = skip(from, 1);
	if (!text_starts(kind, "POSIX") || number(pid) != (u64)shim.pid)
		return true;
	const char *inode = file;
	for (; *file && *file != ' '; file++)
		if (*file == ':')
			inode = file + 1;
	int fd = rebuild_file_of(number(inode));
	if (fd < 0 || lock_count == LOCKS)
		return false;
	u64 start = number(from);
	locks[lock_count++] = (struct file_lock){fd, text_starts(type, "WRITE") ? F_WRLCK : F_RDLCK, start,
						 text_starts(to, "EOF") ? 0 : number(to) - start + 1};
	return true;
}

bool locks_record(void)
{
	char buffer[2048] = {0}, line[256];
	u32 len = 0;
	bool fine = true;
	lock_count = 0;
	if (!any)
		return true;
	long fd = shim_call(SYS_openat, shim.proc, "locks", O_RDONLY | O_CLOEXEC, 0), n;
	if (fd < 0)
		return false;
	while (fine && (n = shim_call(SYS_read, fd, buffer, sizeof(buffer))) > 0)
		for (long i = 0; i < n && fine; i++) {
			if (len + 1 < sizeof(line))
				line[len++] = buffer[i];
			if (buffer[i] != '\n')
				continue;
			line[len] = 0;
			len = 0;
			fine = take_line(line);
		}
	shim_call(SYS_close, fd);
	return fine;
}

/* The process that held them has been killed: they are free when it is gone. */
void locks_restore(void)
{
	for (u32 i = 0; i < lock_count; i++) {
		struct flock l = {.l_type = locks[i].type,
				  .l_start = (off_t)locks[i].from,
				  .l_len = (off_t)locks[i].len};
		if (shim_call(SYS_fcntl, locks[i].fd, F_SETLKW, &l))
			shim_exit(125);
	}
	for (int fd = 0; fd < SHIM_FDS; fd++)
		if (flocks[fd])
			shim_call(SYS_flock, fd, flocks[fd]);
}
