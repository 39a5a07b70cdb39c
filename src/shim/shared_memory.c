/*
 * shared_memory.c: memory that fork shares (MAP_SHARED without a file) is made private before the first
 * copy: its bytes move into memory of the process's own, at the same address. The peer has no children
 * then, so nobody else sees it.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "shim/rebuild_priv.h"

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

static bool move(u64 from, u64 to)
{
	if (!from)
		return false;
	long copy = shim_call(SYS_mmap, 0, to - from, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			      0);
	if (sys_failed(copy))
		return false;
	memcpy((void *)copy, (void *)from, to - from);
	return !sys_failed(
		shim_call(SYS_mremap, copy, to - from, to - from, MREMAP_MAYMOVE | MREMAP_FIXED, from));
}

/* "7f00-7f01 rw-s 00000000 00:01 1024   /dev/zero (deleted)" */
static bool line_fine(const char *line, bool *again)
{
	const char *s = line;
	u64 from = hex(&s);
	s++;
	u64 to = hex(&s);
	if (s[0] != ' ' || s[2] != 'w' || s[4] != 's' || from == (u64)shim.page || files_own(from))
		return true;
	for (; *s && !text_starts(s, "/dev/zero (deleted)"); s++)
		;
	*again = *s != 0;
	return *s && move(from, to);
}

bool shared_memory_private(char *text, size_t cap)
{
	char buffer[4096 + 1] = {0}, line[512];
	u32 len = 0;
	bool fine = true, moved = false;
	long fd = shim_call(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0), n;
	if (fd < 0)
		return true;
	while (fine && !moved && (n = shim_call(SYS_read, fd, buffer, sizeof(buffer) - 1)) > 0)
		for (long i = 0; i < n && fine && !moved; i++) {
			if (len + 1 < sizeof(line))
				line[len++] = buffer[i];
			if (buffer[i] != '\n')
				continue;
			line[len] = 0;
			len = 0;
			fine = line_fine(line, &moved);
		}
	shim_call(SYS_close, fd);
	if (!fine)
		text_add(text, cap,
			 "it has memory that it shares with others for writing (mmap, MAP_SHARED)");
	return fine && (!moved || shared_memory_private(text, cap)); /* the list has changed: once more */
}
