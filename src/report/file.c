#include "report/file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A device or a pipe: to put a file in its place would be the end of it. */
static bool is_special(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

int file_create(struct file *f, const char *path, struct problem *p)
{
	snprintf(f->path, sizeof(f->path), "%s", path);
	snprintf(f->temporary, sizeof(f->temporary), "%s.%d.tmp", f->path, (int)getpid());
	f->in_place = is_special(path);
	f->stream = fopen(f->in_place ? f->path : f->temporary, "we");
	if (!f->stream)
		return problem_set(p, "%s cannot be written: %s; is the folder there, and yours?", path,
				   strerror(errno));
	return 0;
}

int file_commit(struct file *f, struct problem *p)
{
	bool failed = ferror(f->stream) || fflush(f->stream);
	int error = errno;

	if (fclose(f->stream) && !failed) {
		failed = true;
		error = errno;
	}
	if (!failed && !f->in_place && rename(f->temporary, f->path)) {
		failed = true;
		error = errno;
	}
	if (!failed)
		return 0;
	if (!f->in_place)
		unlink(f->temporary);
	return problem_set(p, "%s cannot be written: %s%s", f->path, strerror(error),
			   error == ENOSPC ? "; make room there, or choose another place" : "");
}

static int write_bytes(const char *bytes, size_t n, void *stream)
{
	return fwrite(bytes, 1, n, stream) == n ? 0 : -1;
}

int file_write_json(const char *path, json_t *json, struct problem *p)
{
	struct file f;

	if (!json)
		return problem_set(p, "out of memory while %s was written", path);
	if (file_create(&f, path, p)) {
		json_decref(json);
		return -1;
	}
	/* A failed write stays on the stream: file_commit sees it. */
	json_dump_callback(json, write_bytes, f.stream, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
	json_decref(json);
	putc('\n', f.stream);
	return file_commit(&f, p);
}
