/*
 * host.h: a snapshot of the real file system, taken bit by bit as the SUT looks at
 * it, and constant from then on. Never rolled back, never written to disk.
 *
 * A path's stored form is relative to where the SUT was started if it lies below, else absolute: so
 * that states don't depend on where a project is checked out. Keys hash the stored form.
 */
#ifndef HEDDLE_RUNTIME_VK_HOST_H
#define HEDDLE_RUNTIME_VK_HOST_H

#include <asm/stat.h>

#include "base/base.h"

struct host_entry {
	u64 order; /* hash of the name; entries are sorted by it */
	u64 ino;
	u32 type; /* DT_* */
	const char *name;
};

struct host_node {
	u64 key;
	const char *path; /* absolute */
	int error;        /* of lstat: 0 or -errno */
	struct stat st;
	const char *link; /* of a symbolic link: where it leads */
	/* the rest once host_open or host_list has been called */
	bool opened, listed;
	int open_error, list_error;
	const u8 *data;
	u64 size;
	const struct host_entry *entry;
	u32 entries;
	struct host_node *next;
};

void host_setup(void);
/* What lies at an absolute, normalised path. Never NULL. */
struct host_node *host_lookup(const char *absolute);
/* A node seen before. */
struct host_node *host_by_key(u64 key);
/* The same from its low bits, for messages. */
struct host_node *host_by_part(u64 part, u64 mask);
/* Contents of a regular file: 0 or -errno, then data and size are valid. */
int host_open(struct host_node *n);
/* Names in a directory, without . and .. */
int host_list(struct host_node *n);
/* May the SUT's user do this (R_OK …)? 0 or -errno. */
int host_access(const struct host_node *n, int how);

/* Where the SUT was started. */
const char *host_start(void);
/* An absolute path from one that may be relative to the start; in a static buffer. */
const char *host_absolute(const char *path);
const char *host_stored(const char *absolute);
u64 host_key(const char *absolute);
u64 host_hash(const char *s, size_t n);

#endif
