/* verb_options.h: what heddle replay, shrink and tree were told; filled in by option_parse_verb. */
#ifndef HEDDLE_CLI_VERB_OPTIONS_H
#define HEDDLE_CLI_VERB_OPTIONS_H

#include "base/base.h"

#include "base/base.h"

struct replay_options {
	const char *gdb_args; /* NULL: none */
	u64 at;               /* REPLAY_NO_PAUSE (session/replay_run.h): the end */
	bool gdb, quiet;
};

struct shrink_options {
	const char *output; /* NULL: the trace itself */
};

struct tree_options {
	const char *format; /* NULL: text */
	const char *output; /* NULL: standard output */
};

struct partition_options {
	u64 parts;
	const char *output; /* a folder; NULL: nothing is written */
	bool subgraphs, quick, quiet;
};

#endif
