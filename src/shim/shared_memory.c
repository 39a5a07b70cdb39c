/*
 * shared_memory.c: memory that fork shares (MAP_SHARED without a file). All copies of a peer have the same,
 * and one of them runs at a time: what is in it is copied when the peer is saved, and put back with it. So
 * it goes on being shared with what the peer forks.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "shim/rebuild_priv.h"

#define RANGES 64u
#define MOST (64ull << 20) /* bytes in all */

static struct range {
	u64 from, to, kept;
} range[RANGES];
static u32 ranges;

static u64 hex(const char **s)
{
	u64 n = 0;
	for (;; ++*s) {
		char c = **s;
		if (c >= '0' && c <= '9')
			n = n * 16 + (u64)(c - '0');
		else if (c >= 'a' && c <= 'f')
			n = n * 16 + (u64)(c - 'a') + 10;
		else
			return n;
	}
}

/* "7f00-7f01 rw-s 00000000 00:01 1024   /dev/zero (deleted)"; *fine: it can be kept. */
static void look_at(const char *line, bool *fine)
{
	const char *s = line;
	u64 from = hex(&s);
	s++;
	u64 to = hex(&s);
	if (s[0] != ' ' || s[2] != 'w' || s[4] != 's' || from == (u64)shim.page || files_own(from))
		return;
	for (; *s && !text_starts(s, "/dev/zero (deleted)"); s++)
		;
	*fine = *s && ranges < RANGES;
	if (*fine)
		range[ranges++] = (struct range){from, to, 0};
}

static bool list(void)
{
	char buffer[4096 + 1] = {0}, line[512];
	u32 len = 0;
	long fd = shim_call(SYS_openat, shim.proc, "self/maps", O_RDONLY | O_CLOEXEC, 0), n;
	bool fine = fd >= 0;
	ranges = 0;
	while (fd >= 0 && fine && (n = shim_call(SYS_read, fd, buffer, sizeof(buffer) - 1)) > 0)
		for (long i = 0; i < n && fine; i++) {
			if (len + 1 < sizeof(line))
				line[len++] = buffer[i];
			if (buffer[i] != '\n')
				continue;
			line[len] = 0;
			len = 0;
			look_at(line, &fine);
		}
	if (fd >= 0)
		shim_call(SYS_close, fd);
	return fine;
}

/* Pages that nobody has touched are not in the copy either. */
static bool keep(struct range *r)
{
	long copy = shim_call(SYS_mmap, 0, r->to - r->from, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (sys_failed(copy))
		return false;
	r->kept = (u64)copy;
	memcpy((void *)copy, (void *)r->from, r->to - r->from);
	return true;
}

void shared_memory_release(void)
{
	for (u32 i = 0; i < ranges; i++)
		if (range[i].kept)
			shim_call(SYS_munmap, range[i].kept, range[i].to - range[i].from);
	ranges = 0;
}

bool shared_memory_record(char *text, size_t cap)
{
	u64 bytes = 0;
	bool fine = list();
	for (u32 i = 0; i < ranges; i++)
		bytes += range[i].to - range[i].from;
	fine = fine && bytes <= MOST;
	for (u32 i = 0; i < ranges && fine; i++)
		fine = keep(&range[i]);
	if (fine)
		return true;
	shared_memory_release();
	text_add(text, cap,
		 "it shares memory with others for writing (mmap, MAP_SHARED) in a file, or more than 64 MB");
	return false;
}

void shared_memory_restore(void)
{
	for (u32 i = 0; i < ranges; i++)
		memcpy((void *)range[i].from, (void *)range[i].kept, range[i].to - range[i].from);
	shared_memory_release();
}
