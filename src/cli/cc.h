/*
 * cc.h: the compiler wrappers heddle cc and heddle c++. A command line is read once (cc_parse.c), then
 * turned into commands for the real compiler (cc_flags.c), which cc.c runs.
 */
#ifndef HEDDLE_CLI_CC_H
#define HEDDLE_CLI_CC_H

#include "launch/problem.h"

/* A growing, NULL-terminated list of strings, which it owns. */
struct words {
	char **list;
	size_t count;
};
/* Memory that runs out ends the program: a wrapper has nothing to save. */
void words_add(struct words *w, const char *text);
void words_addf(struct words *w, const char *format, ...) HD_PRINTF(2, 3);
void words_free(struct words *w);

enum cc_kind {
	CC_OPTION,      /* for the compiler, or for both */
	CC_LINK_OPTION, /* means nothing to a compiler that does not link */
	CC_DEPENDENCY,  /* -MD and its kin */
	CC_OUTPUT,
	CC_LANGUAGE, /* -x */
	CC_SOURCE,
	CC_INPUT, /* objects, libraries */
};

struct cc_word {
	enum cc_kind kind;
	const char *text;
	const char *value;    /* the next word, where the option takes one */
	const char *language; /* of a source: what -x said; NULL: by its name */
};

enum cc_stage {
	CC_ASK,     /* --version and the like, or nothing to do: the compiler answers itself */
	CC_COMPILE, /* -c, -S, -E …: one command */
	CC_LINK,    /* sources are compiled first, if there are any */
};

struct cc_command {
	struct words words; /* as given, response files read */
	struct cc_word *word;
	size_t count;
	enum cc_stage stage;
	bool debug;       /* a -g option is there */
	bool relocatable; /* -r */
	const char *output;
	const char *dependencies;                /* -MD or -MMD */
	bool dependency_file, dependency_target; /* -MF; -MT or -MQ */
};

/* argv without the verb. -1: what it asks for can't be checked by heddle. */
int cc_parse(struct cc_command *c, int argc, char **argv, struct problem *p);
void cc_command_free(struct cc_command *c);

/* What follows the last slash. */
const char *cc_base_name(const char *path);

/* How heddle was called: as itself, as heddle-cc, or through a link that has a compiler's name. */
enum cc_name { CC_NAME_NONE, CC_NAME_C, CC_NAME_CXX, CC_NAME_AS_C, CC_NAME_AS_CXX };
enum cc_name cc_called_as(const char *command);
/* The first program of this name in PATH that is not heddle: the compiler that a link hides. */
bool cc_behind_us(const char *command, char *out, size_t cap);

/* The compiler and what must be added for it. */
struct cc_tools {
	struct words compiler; /* its command, perhaps of several words (ccache gcc) */
	bool is_clang;
	char hooks[4096];  /* libheddle-hooks.a */
	char header[4096]; /* heddle-builtins.h */
	char plugin[4096]; /* heddle-gcc-plugin.so; "": none for this compiler */
};

/* hidden: the compiler whose name we bear; NULL: we bear our own. HEDDLE_CC and HEDDLE_CXX count more. */
int cc_tools_find(struct cc_tools *t, bool cxx, const char *hidden, struct problem *p);
void cc_tools_free(struct cc_tools *t);

/* The compiler's command for … */
void cc_ask(struct words *out, const struct cc_tools *t, const struct cc_command *c);
void cc_compile(struct words *out, const struct cc_tools *t, const struct cc_command *c);
void cc_compile_one(struct words *out, const struct cc_tools *t, const struct cc_command *c,
		    const struct cc_word *source, const char *object);
/*
 * object[i]: what word i was compiled to, NULL for words that are no sources; object[c->count]: one more to
 * be linked, or NULL. own: functions of the program
 * that only have the name of one of the C library's; calls of them stay as they are.
 */
void cc_link(struct words *out, const struct cc_tools *t, const struct cc_command *c, char *const *object,
	     const struct words *own);
/* Which functions that cc_link redirects does this file define itself? */
void cc_find_own(const char *path, struct words *own);

/* Can something be linked that heddle cc has not compiled just now? */
bool cc_may_link_plain(const struct cc_command *c);
/* The code that is linked without having been instrumented: names of files and of members of archives. */
void cc_find_plain(const struct cc_tools *t, const struct cc_command *c, char *const *object,
		   const struct words *own, struct words *plain);
/* An assembler file that puts these names into a program. */
int cc_write_plain(const struct words *plain, const char *path, struct problem *p);

/*
 * Runs a command and returns its exit status, 128 + n when signal n ended it, 127 when it can't be started.
 */
int cc_run(const struct words *command);
/* The same, reading its output; quiet: its messages are dropped. A negative number when it can't be done. */
int cc_read(const struct words *command, bool quiet, char *out, size_t cap);

#endif
