/*
 * trees_file.h: communication trees as a file (DIR/trees.bin, --save-trees, --load-trees) and as text
 * inside a trace. Both hold the trees' memory as it is (iocache/tree.h), compressed by zstd with a
 * checksum; in a file, struct net_config stands behind it. What is read is foreign input: everything is
 * checked, and one sentence says what is wrong.
 *
 * A file starts with "hdtrees\n", then in the machine's byte order a u32 version (TREES_VERSION), a u32
 * zero and a u64, the size of what follows when it is unpacked.
 */
#ifndef HEDDLE_REPORT_TREES_FILE_H
#define HEDDLE_REPORT_TREES_FILE_H

#include "iocache/tree.h"
#include "launch/problem.h"

/* The trees' memory; trees_attach has accepted it. */
struct trees_blob {
	void *memory; /* NULL: none. To be freed */
	u64 len;
};

/*
 * config: of the run that recorded them. Loaded again, it says what a run without peers must know of them:
 * live is 0.
 */
int trees_file_save(const struct trees *t, const struct net_config *config, const char *path,
		    struct problem *p);
int trees_file_load(const char *path, struct trees_blob *out, struct net_config *config, struct problem *p);

/*
 * A copy of what is in use, however much memory there is around it; checked like a file. -1: no memory, or
 * no trees.
 */
int trees_blob_copy(void *memory, u64 size, struct trees_blob *out);
/* Only what was used (tree_use). */
int trees_blob_copy_used(const struct trees *t, struct trees_blob *out);
struct trees *trees_blob_trees(const struct trees_blob *b);
void trees_blob_free(struct trees_blob *b);

/* As text (base64), and back. NULL, -1: no memory, or not such a text. */
char *trees_blob_text(const struct trees_blob *b);
int trees_blob_parse(const char *text, struct trees_blob *out);

#endif
