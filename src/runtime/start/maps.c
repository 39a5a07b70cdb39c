#include "runtime/start/maps.h"

#include <fcntl.h>
#include <sys/syscall.h>

#include "base/pages.h"
#include "base/sys.h"
#include "base/text.h"
#include "runtime/rt.h"
#include "state/track.h"
#include "wire/wire.h"

void *memset(void *to, int c, size_t n);

#define MAPS_BYTES (4u << 20)
#define MAX_EXCLUDED 8

static u64 excluded[MAX_EXCLUDED];
static u32 excluded_count;
static u64 stack_keep;

/* The runtime's own mappings, .bss included. */
extern char __ehdr_start[] __attribute__((visibility("hidden")));
extern char _end[] __attribute__((visibility("hidden")));

void maps_exclude(u64 address)
{
	hd_assert(excluded_count < MAX_EXCLUDED);
	excluded[excluded_count++] = address;
}

struct mapping {
	u64 start, end;
	bool write, private;
	const char *name;
};

static u64 parse_hex(const char **s)
{
	u64 v = 0;
	for (;; (*s)++) {
		char c = **s;
		if (c >= '0' && c <= '9')
			v = v * 16 + (u64)(c - '0');
		else if (c >= 'a' && c <= 'f')
			v = v * 16 + (u64)(c - 'a') + 10;
		else
			return v;
	}
}

static const char *skip_field(const char *s)
{
	while (*s == ' ')
		s++;
	while (*s && *s != ' ')
		s++;
	return s;
}

/* One line: start-end perms offset dev inode name */
static struct mapping parse_line(const char *line)
{
	struct mapping m;
	m.start = parse_hex(&line);
	line++;
	m.end = parse_hex(&line);
	m.write = line[2] == 'w';
	m.private = line[4] == 'p';
	for (int field = 0; field < 4; field++)
		line = skip_field(line);
	while (*line == ' ')
		line++;
	m.name = line;
	return m;
}

/* Ranges of layout.h and of the engine. */
static bool in_our_ranges(const struct mapping *m)
{
	return m->start >= LAYOUT_MODEL_BASE && m->start < WIRE_TEAM_BASE + WIRE_TEAM_SIZE + WIRE_TREES_SIZE;
}

static bool is_excluded(const struct mapping *m)
{
	for (u32 i = 0; i < excluded_count; i++)
		if (excluded[i] >= m->start && excluded[i] < m->end)
			return true;
	return false;
}

/* The kernel merges neighbours, so a mapping may begin with the end of our .bss. */
static u64 after_runtime(u64 start)
{
	u64 end = HD_ROUND_UP((u64)_end, HD_PAGE);
	return start >= (u64)__ehdr_start && start < end ? end : start;
}

static void track_one(const struct mapping *m)
{
	u64 start = after_runtime(m->start);
	if (!m->write || !m->private || in_our_ranges(m) || is_excluded(m) || start >= m->end)
		return;
	if (str_equal(m->name, "[stack]")) {
		start = stack_keep & ~HD_PAGE_MASK;
		memset((void *)start, 0, stack_keep - start);
	}
	if (track_add(start, m->end - start, TRACK_DENSE))
		rt_fail("the program has too many memory mappings", "", "");
}

static char *read_maps(void)
{
	char *buf = pages_map(MAPS_BYTES);
	long fd = sys_call3(SYS_open, (long)"/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
	if (!buf || sys_failed(fd))
		rt_fail("can't read /proc/self/maps; is /proc mounted?", "", "");
	size_t len = 0;
	for (;;) {
		long n = sys_call3(SYS_read, fd, (long)(buf + len), (long)(MAPS_BYTES - 1 - len));
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	sys_call3(SYS_close, fd, 0, 0);
	return buf;
}

/* Ends the line in place; the next one, or NULL at the end. */
static char *next_line(char *line)
{
	while (*line && *line != '\n')
		line++;
	if (!*line)
		return NULL;
	*line = 0;
	return line[1] ? line + 1 : NULL;
}

void maps_track(u64 stack_from)
{
	stack_keep = stack_from;
	char *maps = read_maps();
	for (char *line = maps; line;) {
		char *next = next_line(line);
		struct mapping m = parse_line(line);
		track_one(&m);
		line = next;
	}
	pages_unmap(maps, MAPS_BYTES);
}
