/*
 * writer.h: a search that is recorded becomes a script file. Takes the words of a tape (search/tape.h) as
 * they come; keeps one block of them in memory, packed. A search that starts again begins a new file in the
 * place of the old one.
 */
#ifndef HEDDLE_SCRIPT_WRITER_H
#define HEDDLE_SCRIPT_WRITER_H

#include <jansson.h>
#include <sys/types.h>

#include "launch/problem.h"
#include "script/script_model.h"

struct script_writer;

/* NULL: p says why. */
struct script_writer *script_writer_new(const char *path, bool trustful, struct problem *p);
/* Where the process that is recorded can be seen, for its modules; 0: no longer. */
void script_writer_process(struct script_writer *w, pid_t pid);
/* False: it can't be written, or makes no sense; script_writer_end says why. */
bool script_writer_take(struct script_writer *w, const u32 *word, u32 n);

/* What was written. */
struct script_sizes {
	u64 states, transitions, bytes;
	u64 script_bytes, subgraph_bytes; /* of these */
};
/*
 * All words were taken. about: what else the index has to say (owned); trees: communication, or NULL. On
 * failure, and with about NULL, no file is left.
 */
int script_writer_end(struct script_writer *w, json_t *about, const void *trees, size_t trees_len,
		      struct script_sizes *out, struct problem *p);

#endif
