#include "script/container.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

/* Skippable frames of zstd: its own tools pass over them. */
#define HEAD_MAGIC 0x184d2a53u
#define TAIL_MAGIC 0x184d2a54u
#define RAW_MAGIC 0x184d2a55u
static const char head_text[16] = "heddle script\n";

struct tail {
	u32 magic, len;
	u64 offset, packed, content;
	u64 lo, hi; /* XXH3, 128 bits, of the packed index */
};
_Static_assert(sizeof(struct tail) == 48, "the tail of a file");

/* ---- bytes ---- */

void bytes_add(struct byte_buffer *b, const void *data, size_t n)
{
	if (b->len + n > b->room) {
		size_t room = b->room ? b->room : 4096;
		while (room < b->len + n)
			room *= 2;
		u8 *grown = realloc(b->data, room);
		if (!grown) {
			b->failed = true;
			return;
		}
		b->data = grown;
		b->room = room;
	}
	memcpy(b->data + b->len, data, n);
	b->len += n;
}

void bytes_varint(struct byte_buffer *b, u64 value)
{
	for (; value >= 128; value >>= 7)
		bytes_put(b, (u8)(value | 128));
	bytes_put(b, (u8)value);
}

void bytes_free(struct byte_buffer *b)
{
	free(b->data);
	memset(b, 0, sizeof(*b));
}

u64 cursor_long_varint(struct byte_cursor *c)
{
	u64 value = 0;

	for (u32 shift = 0; shift < 63; shift += 7) {
		u8 byte = cursor_byte(c);
		value |= (u64)(byte & 127) << shift;
		if (byte < 128)
			return value;
	}
	c->bad = true;
	return 0;
}

/* ---- writing ---- */

static int write_failed(struct container_out *c, struct problem *p)
{
	return problem_set(p, "%s cannot be written: %s", c->path, strerror(errno));
}

static int put(struct container_out *c, const void *data, size_t len, struct problem *p)
{
	if (fwrite(data, 1, len, c->file) != len)
		return write_failed(c, p);
	c->offset += len;
	return 0;
}

/* What was begun is taken away, but no device or pipe that the words went to. */
static void take_away(const struct container_out *c)
{
	if (c->is_file)
		unlink(c->path);
}

int container_create(struct container_out *c, const char *path, struct problem *p)
{
	u32 head[2] = {HEAD_MAGIC, sizeof(head_text)};
	struct stat st;

	memset(c, 0, sizeof(*c));
	c->level = 3; /* 9: 5 % smaller, and half as long again to record */
	if (snprintf(c->path, sizeof(c->path), "%s", path) >= (int)sizeof(c->path))
		return problem_set(p, "the name %.60s… is too long", path);
	c->file = fopen(path, "wbe");
	if (!c->file)
		return write_failed(c, p);
	c->is_file = fstat(fileno(c->file), &st) == 0 && S_ISREG(st.st_mode);
	if (put(c, head, sizeof(head), p) || put(c, head_text, sizeof(head_text), p)) {
		container_drop(c);
		return -1;
	}
	return 0;
}

/* A frame with a checksum. */
static u8 *pack(const void *data, size_t len, int level, size_t *packed)
{
	size_t room = ZSTD_compressBound(len);
	u8 *out = malloc(room);
	ZSTD_CCtx *z = ZSTD_createCCtx();

	if (out && z) {
		ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, level);
		ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
		*packed = ZSTD_compress2(z, out, room, data, len);
	}
	if (!out || !z || ZSTD_isError(*packed)) {
		free(out);
		out = NULL;
	}
	ZSTD_freeCCtx(z);
	return out;
}

json_t *container_add(struct container_out *c, const void *data, size_t len, struct problem *p)
{
	size_t packed = 0;
	u8 *frame = pack(data, len, c->level, &packed);
	u64 at = c->offset;
	char hash[24];

	if (!frame) {
		problem_set(p, "out of memory");
		return NULL;
	}
	snprintf(hash, sizeof(hash), "%016lx", (u64)XXH3_64bits(frame, packed));
	int failed = put(c, frame, packed, p);
	free(frame);
	return failed ? NULL
		      : json_pack("[I, I, I, s]", (json_int_t)at, (json_int_t)packed, (json_int_t)len, hash);
}

json_t *container_add_raw(struct container_out *c, const void *data, size_t len, struct problem *p)
{
	u32 head[2] = {RAW_MAGIC, (u32)len};
	char hash[24];

	if (len > CONTAINER_MAX_CHUNK) {
		problem_set(p, "%s: a chunk is too long", c->path);
		return NULL;
	}
	snprintf(hash, sizeof(hash), "%016lx", (u64)XXH3_64bits(data, len));
	if (put(c, head, sizeof(head), p) || (len && put(c, data, len, p)))
		return NULL;
	return json_pack("[I, I, s]", (json_int_t)(c->offset - len), (json_int_t)len, hash);
}

int container_end(struct container_out *c, json_t *index, u64 *size, struct problem *p)
{
	char *text = json_dumps(index, JSON_COMPACT);
	struct tail t = {.magic = TAIL_MAGIC, .len = sizeof(t) - 8, .offset = c->offset};
	size_t packed = 0;
	u8 *frame = text ? pack(text, strlen(text), c->level, &packed) : NULL;
	int ret = frame ? 0 : problem_set(p, "out of memory");

	json_decref(index);
	if (frame) {
		XXH128_hash_t hash = XXH3_128bits(frame, packed);
		t.packed = packed;
		t.content = strlen(text);
		t.lo = hash.low64;
		t.hi = hash.high64;
		ret = put(c, frame, packed, p) || put(c, &t, sizeof(t), p) ? -1 : 0;
	}
	free(text);
	free(frame);
	if (ret == 0 && fclose(c->file))
		ret = write_failed(c, p);
	else if (ret)
		fclose(c->file);
	c->file = NULL;
	if (ret)
		take_away(c);
	*size = c->offset;
	return ret;
}

void container_drop(struct container_out *c)
{
	if (!c->file)
		return;
	fclose(c->file);
	take_away(c);
	c->file = NULL;
}

/* ---- reading ---- */

bool container_read_at(int fd, void *to, u64 n, u64 offset)
{
	for (u64 done = 0; done < n;) {
		ssize_t got = pread(fd, (char *)to + done, n - done, (off_t)(offset + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		done += (u64)got;
	}
	return true;
}

static bool unpack(const void *frame, size_t packed, void *out, size_t content)
{
	unsigned long long told = ZSTD_getFrameContentSize(frame, packed);

	return told == content && ZSTD_findFrameCompressedSize(frame, packed) == packed &&
	       ZSTD_decompress(out, content, frame, packed) == content;
}

static int damaged(const struct container_in *c, const char *what, struct problem *p)
{
	return problem_set(p, "%s is damaged (%s); get it once more from where it was made", c->path, what);
}

static int load_index(struct container_in *c, const struct tail *t, struct problem *p)
{
	u8 *frame = malloc(t->packed);
	char *text = malloc(t->content + 1);
	json_error_t error;
	int ret = -1;

	if (!frame || !text)
		problem_set(p, "out of memory");
	else if (!container_read_at(c->fd, frame, t->packed, t->offset))
		damaged(c, "it ends too early", p);
	else {
		XXH128_hash_t hash = XXH3_128bits(frame, t->packed);
		if (hash.low64 != t->lo || hash.high64 != t->hi ||
		    !unpack(frame, t->packed, text, t->content))
			damaged(c, "its index is not what was written", p);
		else if (!(c->index = json_loadb(text, t->content, JSON_REJECT_DUPLICATES, &error)) ||
			 !json_is_object(c->index))
			damaged(c, "its index cannot be read", p);
		else
			ret = 0;
		c->id = (struct container_id){hash.low64, hash.high64};
	}
	free(frame);
	free(text);
	return ret;
}

static int open_file(struct container_in *c, struct tail *t, struct problem *p)
{
	u32 head[2 + sizeof(head_text) / 4];
	struct stat st;

	c->fd = open(c->path, O_RDONLY | O_CLOEXEC);
	if (c->fd < 0 || fstat(c->fd, &st))
		return problem_set(p, "%s: %s", c->path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return problem_set(p, "%s is no file", c->path);
	c->size = (u64)st.st_size;
	if (!container_read_at(c->fd, head, sizeof(head), 0) || head[0] != HEAD_MAGIC ||
	    head[1] != sizeof(head_text) || memcmp(head + 2, head_text, sizeof(head_text)))
		return problem_set(p, "%s is no search script (heddle check --script FILE writes one)",
				   c->path);
	if (c->size < sizeof(head) + sizeof(*t) ||
	    !container_read_at(c->fd, t, sizeof(*t), c->size - sizeof(*t)) || t->magic != TAIL_MAGIC ||
	    t->len != sizeof(*t) - 8)
		return damaged(c, "its end is missing", p);
	if (!t->packed || t->packed > c->size || t->offset != c->size - sizeof(*t) - t->packed ||
	    t->content > CONTAINER_MAX_INDEX)
		return damaged(c, "its index is elsewhere", p);
	return 0;
}

int container_open(struct container_in *c, const char *path, const char *magic, u64 version,
		   struct problem *p)
{
	struct tail t;
	u64 found;

	memset(c, 0, sizeof(*c));
	c->fd = -1;
	if (snprintf(c->path, sizeof(c->path), "%s", path) >= (int)sizeof(c->path))
		return problem_set(p, "the name %.60s… is too long", path);
	if (open_file(c, &t, p) || load_index(c, &t, p)) {
		container_close(c);
		return -1;
	}
	if (!container_number(c->index, magic, UINT32_MAX, &found)) {
		problem_set(p, "%s is not of the kind that is needed here (%s)", path, magic);
		container_close(c);
		return -1;
	}
	if (found == version)
		return 0;
	problem_set(p, "%s is of version %lu of the format, and this heddle reads version %lu", path, found,
		    version);
	container_close(c);
	return -1;
}

static bool has_hash(const void *data, u64 len, const char *told)
{
	char found[24];

	snprintf(found, sizeof(found), "%016lx", (u64)XXH3_64bits(data, len));
	return !strcmp(found, told);
}

static bool bytes_room(struct byte_buffer *b, u64 len)
{
	u8 *grown = len < b->room ? b->data : realloc(b->data, len + 1);

	if (!grown)
		return false;
	b->data = grown;
	b->room = HD_MAX(b->room, len + 1);
	return true;
}

int container_read(const struct container_in *c, const json_t *what, struct byte_buffer *out,
		   struct problem *p)
{
	json_int_t at, packed, content;
	const char *hash;

	out->len = 0;
	if (json_unpack((json_t *)what, "[I, I, I, s]", &at, &packed, &content, &hash) || at < 0 ||
	    packed <= 0 || content < 0 || (u64)content > CONTAINER_MAX_CHUNK || (u64)packed > c->size ||
	    (u64)at > c->size - (u64)packed)
		return damaged(c, "its index names what is not there", p);
	u8 *frame = malloc((size_t)packed);
	if (!frame || !bytes_room(out, (u64)content)) {
		free(frame);
		return problem_set(p, "out of memory");
	}
	bool good = container_read_at(c->fd, frame, (u64)packed, (u64)at) &&
		    has_hash(frame, (u64)packed, hash) &&
		    unpack(frame, (size_t)packed, out->data, (size_t)content);
	free(frame);
	if (!good)
		return damaged(c, "a part of it is not what was written", p);
	out->len = (size_t)content;
	return 0;
}

int container_read_raw(const struct container_in *c, const json_t *what, struct byte_buffer *out,
		       struct problem *p)
{
	json_int_t at, len;
	const char *hash;

	out->len = 0;
	if (json_array_size(what) != 3 || json_unpack((json_t *)what, "[I, I, s]", &at, &len, &hash) ||
	    at < 0 || len < 0 || (u64)len > CONTAINER_MAX_CHUNK || (u64)len > c->size ||
	    (u64)at > c->size - (u64)len)
		return damaged(c, "its index names what is not there", p);
	if (!bytes_room(out, (u64)len))
		return problem_set(p, "out of memory");
	if (!container_read_at(c->fd, out->data, (u64)len, (u64)at) || !has_hash(out->data, (u64)len, hash))
		return damaged(c, "a part of it is not what was written", p);
	out->len = (size_t)len;
	return 0;
}

void container_close(struct container_in *c)
{
	if (c->fd >= 0)
		close(c->fd);
	json_decref(c->index);
	c->index = NULL;
	c->fd = -1;
}

bool container_number(const json_t *object, const char *key, u64 most, u64 *out)
{
	const json_t *j = json_object_get(object, key);

	if (!json_is_integer(j) || json_integer_value(j) < 0 || (u64)json_integer_value(j) > most)
		return false;
	*out = (u64)json_integer_value(j);
	return true;
}
