/*
 * sut.h: one process of the program under test: start it held still, talk to it over the
 * wire, see it end. Whoever starts one must end it (sut_end), on every path: nothing
 * is left running.
 */
#ifndef HEDDLE_LAUNCH_SUT_H
#define HEDDLE_LAUNCH_SUT_H

#include <sys/resource.h>
#include <sys/types.h>

#include "launch/problem.h"
#include "launch/program.h"
#include "wire/wire.h"

/* What to start. Pointers are borrowed for the call. */
struct launch {
	const struct program *program;
	char *const *argv;                /* NULL-terminated; argv[0] as the user wrote it */
	char *const *extra;               /* K=V, NULL-terminated or NULL */
	const char *cwd;                  /* NULL: here */
	struct wire_config config;        /* mode, search … ; runtime_path is filled in by sut_start */
	const struct wire_learnt *learnt; /* replay: what the search learnt; else NULL */
	const u32 *path;                  /* replay: config.path_len actions */
	const void *trees;                /* recorded communication (iocache/tree.h), or NULL */
	u64 trees_len;
};

struct sut {
	pid_t pid; /* 0: none */
	int pidfd, log_fd;
	int bell; /* eventfd: the runtime has a request for the network (wire/net.h) */
	struct wire *wire;
	bool ended; /* reaped; status and usage are set */
	int status; /* as from wait4 */
	struct rusage usage;
	u32 seen;        /* number of the last event */
	u64 environment; /* environment_hash of what it was started with */
};

/* Checks kernel and runtime library, then starts. On failure nothing runs and *s needs no sut_end. */
int sut_start(struct sut *s, const struct launch *l, struct problem *p);

enum sut_news {
	SUT_NOTHING, /* the time is over, or a signal came */
	SUT_EVENT,   /* s->wire->event is filled; the process waits for sut_acknowledge */
	SUT_STOPPED, /* by SIGSTOP (replay for gdb) */
	SUT_REQUEST, /* s->wire->net asks for something; the process waits for sut_answer */
	SUT_ENDED,
};
enum sut_news sut_wait_event(struct sut *s, int milliseconds);
/* Only requests and the end (or a stop) count. */
enum sut_news sut_wait_end(struct sut *s, int milliseconds);
/* s->wire->net is filled in. */
void sut_answer(struct sut *s);
void sut_acknowledge(struct sut *s);
/* Ask for a clean end. */
void sut_ask_to_stop(struct sut *s);
/* Kill what runs, reap it, forget the wire. */
void sut_end(struct sut *s);

/* The path in the wire's arena, NULL when offset and length are not plausible. */
const u32 *sut_path(const struct sut *s, u64 offset, u64 len);
/* The last line that the process itself wrote to stdout or stderr: the runtime's last words. */
void sut_last_words(const struct sut *s, char *out, size_t cap);

/* Does this kernel have Syscall User Dispatch? */
bool sut_kernel_dispatches(void);

#endif
