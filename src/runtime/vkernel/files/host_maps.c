#include "runtime/vkernel/files/host_maps.h"

#include <asm/unistd.h>
#include <linux/fcntl.h>
#include <string.h>

#include "base/sys.h"
#include "base/text.h"

#define ROOM (256u << 10)

static char text[ROOM];

static bool wanted(const char *line, const char *end)
{
	const char *name = line;
	while (name < end && *name != '/' && *name != '[')
		name++;
	if (name == end || str_starts(name, "/memfd:"))
		return false;
	return *name == '/' || str_starts(name, "[stack]");
}

static size_t read_all(void)
{
	size_t len = 0;
	int fd = (int)sys_call3(__NR_open, (long)"/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return 0;
	for (long got; (got = sys_call3(__NR_read, fd, (long)(text + len), (long)(ROOM - 1 - len))) > 0;)
		len += (size_t)got;
	sys_call3(__NR_close, fd, 0, 0);
	return len;
}

/* Keeps the wanted lines, in place. */
static size_t filter(size_t len)
{
	size_t kept = 0;
	for (size_t at = 0; at < len;) {
		size_t end = at;
		while (end < len && text[end] != '\n')
			end++;
		if (end == len)
			break;
		if (wanted(text + at, text + end)) {
			memmove(text + kept, text + at, end + 1 - at);
			kept += end + 1 - at;
		}
		at = end + 1;
	}
	return kept;
}

void host_maps_take(void)
{
	size_t len = read_all(), kept = filter(len);
	memset(text + kept, 0, len - kept);
}

const char *host_maps_text(void)
{
	return text;
}
