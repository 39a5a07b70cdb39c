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
#include "launch/shared_part.h"
#include "wire/wire.h"

/* What to start: a run (config, learnt, trees), and one process of it. Pointers are borrowed for the call. */
struct launch {
	const struct program *program;
	char *const *argv;                        /* NULL-terminated; argv[0] as the user wrote it */
	char *const *extra;                       /* K=V, NULL-terminated or NULL */
	const char *cwd;                          /* NULL: here */
	struct wire_task task;                    /* mode …; path_offset is filled in by sut_start */
	const u32 *path;                          /* replay: task.path_len actions */
	struct wire_config config;                /* runtime_path is filled in by shared_part_create */
	const struct wire_properties *properties; /* compiled; or NULL */
	const struct wire_learnt *learnt;         /* replay: what the search learnt; else NULL */
	bool save;                                /* the search can be saved: it has the memory of a team */
	int tape, prints;                         /* task.script: descriptors for it, above 2; 0: none */
	const void *trees;                        /* recorded communication (iocache/tree.h), or NULL */
	u64 trees_len;
};

struct sut {
	pid_t pid; /* 0: none */
	int pidfd, log_fd;
	int bell;               /* eventfd: the runtime has a request for the network (wire/wire_net.h) */
	struct shared_part own; /* if it is alone in its run */
	struct wire_shared *shared;
	struct wire_worker *worker;
	bool ended; /* reaped; status and usage are set */
	int status; /* as from wait4 */
	struct rusage usage;
	u32 seen;        /* number of the last event */
	u64 environment; /* environment_hash of what it was started with */
};

/*
 * Checks the kernel, then starts worker `number` of the run whose shared part this is; the part stays the
 * caller's. Without one (NULL), the process gets a part of its own. On failure nothing runs and *s needs no
 * sut_end.
 */
int sut_start(struct sut *s, const struct launch *l, const struct shared_part *part, u32 number,
	      struct problem *p);

enum sut_news {
	SUT_NOTHING, /* the time is over, or a signal came */
	SUT_EVENT,   /* s->worker->event is filled; the process waits for sut_acknowledge */
	SUT_STOPPED, /* by SIGSTOP (replay for gdb) */
	SUT_REQUEST, /* s->worker->net asks for something; the process waits for sut_answer */
	SUT_ENDED,
};
enum sut_news sut_wait_event(struct sut *s, int milliseconds);
/* Only requests and the end (or a stop) count. */
enum sut_news sut_wait_end(struct sut *s, int milliseconds);
/*
 * The same without waiting. Something may be there when one of the two descriptors is readable: pidfd,
 * bell.
 */
enum sut_news sut_look(struct sut *s);
/* s->worker->net is filled in. */
void sut_answer(struct sut *s);
void sut_acknowledge(struct sut *s);
/* Ask all workers of the run for a clean end. */
void sut_ask_to_stop(struct sut *s);
/* Kill what runs, reap it, forget the worker's part. */
void sut_end(struct sut *s);

/* Where the trees begin (iocache/tree.h: trees_attach, trees_stats). */
void *sut_trees(const struct sut *s);
/* The path in the worker's arena, NULL when offset and length are not plausible. */
const u32 *sut_path(const struct sut *s, u64 offset, u64 len);
/* The last line that the process itself wrote to stdout or stderr: the runtime's last words. */
void sut_last_words(const struct sut *s, char *out, size_t cap);
/* "it was killed by signal 11 (…)", with the process's last words. */
void sut_describe_death(const struct sut *s, char *out, size_t cap);

/* Does this kernel have Syscall User Dispatch? */
bool sut_kernel_dispatches(void);

#endif
