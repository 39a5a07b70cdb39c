#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "peer/peer_priv.h"

static void log_path(const struct peers *s, const struct peer *e, char *out, size_t cap)
{
	snprintf(out, cap, "%s/%s-%u.log", s->options.out, e->client ? "client" : "server",
		 e->client ? e->client : e->server);
}

int peer_log_open(const struct peers *s, const struct peer *e, u32 start, u64 *from, struct problem *p)
{
	char path[4096];
	struct stat st;
	log_path(s, e, path, sizeof(path));
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (start == 1 ? O_TRUNC : 0), 0666);
	if (fd < 0)
		return problem_set(p, "%s: %s; choose another folder with --out", path, strerror(errno));
	if (start > 1)
		dprintf(fd, "--- heddle: started again (%u)\n", start);
	*from = fstat(fd, &st) ? 0 : (u64)st.st_size;
	return fd;
}

/* Cuts the text down to its last line that is not empty. */
static void keep_last_line(char *text)
{
	size_t n = strlen(text);
	while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == ' ' || text[n - 1] == '\r'))
		text[--n] = 0;
	char *line = strrchr(text, '\n');
	if (line)
		memmove(text, line + 1, strlen(line));
}

void peer_log_last_words(const struct peers *s, const struct peer *e, char *out, size_t cap)
{
	char path[4096];
	off_t size, from;
	ssize_t n = 0;
	hd_assert(cap > 0);
	log_path(s, e, path, sizeof(path));
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		size = lseek(fd, 0, SEEK_END);
		from = HD_MAX((off_t)e->log_from, size - (off_t)cap + 1);
		n = size > from ? pread(fd, out, cap - 1, from) : 0;
		close(fd);
	}
	out[n > 0 ? n : 0] = 0;
	keep_last_line(out);
}
