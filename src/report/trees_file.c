#include "report/trees_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "report/file.h"
#include "report/trees_pack.h"

static const char magic[8] = "hdtrees\n";

struct head {
	char magic[sizeof(magic)];
	u32 version, zero;
	u64 size;
};

struct trees *trees_blob_trees(const struct trees_blob *b)
{
	return b->memory ? trees_attach(b->memory, b->len) : NULL;
}

void trees_blob_free(struct trees_blob *b)
{
	free(b->memory);
	*b = (struct trees_blob){0};
}

int trees_blob_copy(void *memory, u64 size, struct trees_blob *out)
{
	const struct trees *t = trees_attach(memory, size);
	struct trees_blob b = {.len = t ? trees_bytes(t) : 0};

	if (!b.len || b.len > size || !(b.memory = malloc(b.len)))
		return -1;
	memcpy(b.memory, memory, b.len);
	if (!trees_blob_trees(&b)) {
		trees_blob_free(&b);
		return -1;
	}
	*out = b;
	return 0;
}

int trees_blob_copy_used(const struct trees *t, struct trees_blob *out)
{
	/* A part may need an index of its own, or end its pieces elsewhere: hardly more than the whole. */
	u64 room = 2 * trees_bytes(t) + (64u << 10);
	struct trees_blob b = {calloc(1, room), 0};

	if (b.memory)
		b.len = trees_copy(t, b.memory, room, true);
	if (!b.len || !trees_blob_trees(&b)) {
		trees_blob_free(&b);
		return -1;
	}
	*out = b;
	return 0;
}

/*
 * A size, then packed bytes: the trees, and `behind` more bytes that are copied to `rest`. Checked from the
 * first byte to the last.
 */
static int unpack(const u8 *bytes, size_t n, struct trees_blob *out, void *rest, size_t behind)
{
	struct trees_blob b;
	u64 len;

	if (n < sizeof(len))
		return -1;
	memcpy(&len, bytes, sizeof(len));
	if (len <= behind || len > TREES_SIZE + behind)
		return -1;
	b = (struct trees_blob){trees_unpack(bytes + sizeof(len), n - sizeof(len), len), len - behind};
	if (!trees_blob_trees(&b)) {
		trees_blob_free(&b);
		return -1;
	}
	if (behind)
		memcpy(rest, (u8 *)b.memory + b.len, behind);
	*out = b;
	return 0;
}

char *trees_blob_text(const struct trees_blob *b)
{
	size_t n;
	u8 *packed = trees_pack(b->memory, b->len, &n), *whole = packed ? malloc(sizeof(b->len) + n) : NULL;
	char *text = NULL;

	if (whole) {
		memcpy(whole, &b->len, sizeof(b->len));
		memcpy(whole + sizeof(b->len), packed, n);
		text = base64_text(whole, sizeof(b->len) + n);
	}
	free(whole);
	free(packed);
	return text;
}

int trees_blob_parse(const char *text, struct trees_blob *out)
{
	size_t n;
	u8 *bytes = base64_parse(text, &n);
	int ret = bytes ? unpack(bytes, n, out, NULL, 0) : -1;

	free(bytes);
	return ret;
}

/* Trees and config in one piece, packed; owned by the caller. */
static u8 *pack(const struct trees *t, const struct net_config *config, u64 *len, size_t *n)
{
	struct net_config c = *config;
	u64 bytes = trees_bytes(t);
	u8 *whole = malloc(bytes + sizeof(c)), *packed = NULL;

	c.live = 0;
	*len = bytes + sizeof(c);
	if (whole) {
		memcpy(whole, t, bytes);
		memcpy(whole + bytes, &c, sizeof(c));
		packed = trees_pack(whole, *len, n);
	}
	free(whole);
	return packed;
}

int trees_file_save(const struct trees *t, const struct net_config *config, const char *path,
		    struct problem *p)
{
	struct head h = {.version = TREES_VERSION};
	struct file f;
	size_t n;
	u8 *packed = pack(t, config, &h.size, &n);
	int ret;

	if (!packed)
		return problem_set(p, "out of memory while %s was written", path);
	memcpy(h.magic, magic, sizeof(magic));
	ret = file_create(&f, path, p);
	if (ret == 0) {
		/* A failed write stays on the stream: file_commit sees it. */
		fwrite(&h, sizeof(h), 1, f.stream);
		fwrite(packed, n, 1, f.stream);
		ret = file_commit(&f, p);
	}
	free(packed);
	return ret;
}

/* The whole file, owned by the caller. */
static u8 *read_all(const char *path, size_t *n, struct problem *p)
{
	FILE *f = fopen(path, "re");
	struct stat st;
	u8 *bytes = NULL;

	if (!f || fstat(fileno(f), &st)) {
		problem_set(p, "%s cannot be read: %s", path, strerror(errno));
	} else if (!S_ISREG(st.st_mode)) {
		problem_set(p, "%s is no file with trees", path);
	} else if (!(bytes = malloc((size_t)st.st_size + 1))) {
		problem_set(p, "out of memory while %s was read", path);
	} else {
		*n = fread(bytes, 1, (size_t)st.st_size, f);
	}
	if (f)
		fclose(f);
	return bytes;
}

static bool config_makes_sense(const struct net_config *c)
{
	return c->mode <= CACHE_NONE && !c->live && c->clients <= NET_MAX_CLIENTS;
}

static int parse(const u8 *bytes, size_t n, const char *path, struct trees_blob *out,
		 struct net_config *config, struct problem *p)
{
	struct head h;

	if (n < sizeof(magic) || memcmp(bytes, magic, sizeof(magic)))
		return problem_set(p, "%s is no file with communication trees", path);
	if (n < sizeof(h))
		return problem_set(p, "%s is cut off; check the program again to get a new one", path);
	memcpy(&h, bytes, sizeof(h));
	if (h.version != TREES_VERSION)
		return problem_set(
			p,
			"%s holds trees of version %u; this heddle reads version %u: check the program again",
			path, h.version, TREES_VERSION);
	if (h.zero || unpack(bytes + offsetof(struct head, size), n - offsetof(struct head, size), out,
			     config, sizeof(*config)))
		return problem_set(p, "%s is damaged or cut off; check the program again to get a new one",
				   path);
	if (!config_makes_sense(config)) {
		trees_blob_free(out);
		return problem_set(p, "%s is damaged; check the program again to get a new one", path);
	}
	return 0;
}

int trees_file_load(const char *path, struct trees_blob *out, struct net_config *config, struct problem *p)
{
	size_t n = 0;
	u8 *bytes = read_all(path, &n, p);
	int ret = bytes ? parse(bytes, n, path, out, config, p) : -1;

	free(bytes);
	return ret;
}
