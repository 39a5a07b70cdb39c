/*
 * symbols.h: from addresses in the SUT to words: source lines, backtraces, names of variables. One session
 * looks at one process that stands still (at an event of a replay); DWARF is read with libdwfl.
 */
#ifndef HEDDLE_REPORT_SYMBOLS_H
#define HEDDLE_REPORT_SYMBOLS_H

#include <sys/types.h>

#include "launch/problem.h"
#include "wire/regs.h"

struct symbols;

struct frame {
	u64 pc;
	char function[192]; /* "" unknown */
	char file[256];     /* absolute where it is there, else as the compiler wrote it; "": unknown */
	int line;
	char module[96]; /* file name of the program or library */
	u64 offset;      /* of pc in the module */
};
#define FRAMES_MAX 48

/* runtime_path: the library whose frames are left out of backtraces. */
struct symbols *symbols_open(pid_t pid, const char *runtime_path, struct problem *p);
void symbols_close(struct symbols *s);

/* Where a call or a fault is: as a backtrace of one address, without stack (inlined functions count). */
size_t symbols_locate(struct symbols *s, u64 pc, bool is_return_address, struct frame *out, size_t max);
/* The stack that `regs` stand on, innermost first, without the runtime's frames and those below main or the
 * thread's function. */
size_t symbols_unwind(struct symbols *s, const struct wire_regs *regs, struct frame *out, size_t max);
/* From now on these bytes stand for the process's memory at `at`: a stack saved earlier. NULL ends it. */
void symbols_use_stack(struct symbols *s, u64 at, const void *bytes, size_t n);
/*
 * A name for an address of data: variable, array element, member; else which thread's heap or stack. Of code:
 * what a call that returns there is in, "worker (queue.c:31)".
 */
void symbols_name(struct symbols *s, u64 address, char *out, size_t cap);
/* Bytes of the process's memory; false: there are none. */
bool symbols_read(struct symbols *s, u64 address, void *to, size_t n);
/* Where the variable at this address is declared, "queue.c:7"; false: not known, or there is none. */
bool symbols_declared(struct symbols *s, u64 address, char *out, size_t cap);
/* A mangled name for people; short: without the types of parameters. */
void symbols_demangle(const char *name, char *out, size_t cap);
void symbols_demangle_short(const char *name, char *out, size_t cap);
/* Who knows names for what lies on stacks and on the heap; they may change from event to event. */
struct symbols_namer {
	void *self;
	bool (*name)(void *self, u64 address, char *out, size_t cap);
};
void symbols_set_namer(struct symbols *s, const struct symbols_namer *namer);
/* `text` with each {0x…} replaced by its name. */
void symbols_expand(struct symbols *s, const char *text, char *out, size_t cap);

/* "worker (queue.c:31)", "abort (libc.so.6+0x1f)". */
void frame_text(const struct frame *f, char *out, size_t cap);
/* "queue.c:31" of the innermost frame of the user's code with debug information; the first frame's when there
 * is none; "" for no frames. */
void frames_where(const struct frame *f, size_t n, char *out, size_t cap);
/* Of the C, C++ or Rust library, its templates included: the user looks for his own. */
bool frame_is_library(const struct frame *f);
/* The frame that frames_where means, NULL for none. */
const struct frame *frames_source(const struct frame *f, size_t n);

#endif
