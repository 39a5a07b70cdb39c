/*
 * container.h: the outside of a script file: zstd frames ("chunks"), each to be read by itself, an index in
 * JSON that names them all, and a tail that says where the index is. Also of part files and of maps of
 * fingerprints. docs/SCRIPT-FORMAT.md describes it.
 *
 * A file comes from strangers: nothing is read without a bound, and a chunk that is not what the index says
 * is an error.
 */
#ifndef HEDDLE_SCRIPT_CONTAINER_H
#define HEDDLE_SCRIPT_CONTAINER_H

#include <jansson.h>
#include <stdio.h>

#include "launch/problem.h"

/* No chunk is longer, unpacked. */
#define CONTAINER_MAX_CHUNK (1ul << 30)
#define CONTAINER_MAX_INDEX (64ul << 20)

/* Bytes that grow. */
struct byte_buffer {
	u8 *data;
	size_t len, room;
	bool failed; /* out of memory */
};
void bytes_add(struct byte_buffer *b, const void *data, size_t n);
void bytes_varint(struct byte_buffer *b, u64 value);
static inline void bytes_put(struct byte_buffer *b, u8 byte)
{
	if (hd_likely(b->len < b->room))
		b->data[b->len++] = byte;
	else
		bytes_add(b, &byte, 1);
}
void bytes_free(struct byte_buffer *b);

/* Bytes that are read. False, or 0 with `bad` set: there are no more. */
struct byte_cursor {
	const u8 *at, *end;
	bool bad;
};
u64 cursor_long_varint(struct byte_cursor *c);
static inline u8 cursor_byte(struct byte_cursor *c)
{
	if (hd_likely(c->at < c->end))
		return *c->at++;
	c->bad = true;
	return 0;
}
static inline u64 cursor_varint(struct byte_cursor *c)
{
	if (hd_likely(c->at < c->end && *c->at < 128))
		return *c->at++;
	return cursor_long_varint(c);
}

struct container_id {
	u64 lo, hi;
};

/* Writing. */
struct container_out {
	FILE *file;
	u64 offset;
	char path[4096];
	int level; /* of compression */
	bool is_file;
};
int container_create(struct container_out *c, const char *path, struct problem *p);
/* What the index says of the chunk; NULL: p says why. Owned by the caller. */
json_t *container_add(struct container_out *c, const void *data, size_t len, struct problem *p);
/* The same, not packed, for what cannot be made shorter. */
json_t *container_add_raw(struct container_out *c, const void *data, size_t len, struct problem *p);
/* Takes the index. size: of the whole file. On failure, and from container_drop, no file is left. */
int container_end(struct container_out *c, json_t *index, u64 *size, struct problem *p);
void container_drop(struct container_out *c);

/* Reading. */
struct container_in {
	int fd;
	u64 size;
	json_t *index;
	struct container_id id; /* the same for the same file */
	char path[4096];
};
int container_open(struct container_in *c, const char *path, const char *magic, u64 version,
		   struct problem *p);
/* what: from the index. Unpacked in *out, whose room is used again. */
int container_read(const struct container_in *c, const json_t *what, struct byte_buffer *out,
		   struct problem *p);
/* All n bytes from there, of any file. */
bool container_read_at(int fd, void *to, u64 n, u64 offset);
/* What container_add_raw wrote. */
int container_read_raw(const struct container_in *c, const json_t *what, struct byte_buffer *out,
		       struct problem *p);
void container_close(struct container_in *c);

/* A number of the index, at most `most`. */
bool container_number(const json_t *object, const char *key, u64 most, u64 *out);

#endif
