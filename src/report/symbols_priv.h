/* symbols_priv.h: the session, shared by the files symbols*.c. */
#ifndef HEDDLE_REPORT_SYMBOLS_PRIV_H
#define HEDDLE_REPORT_SYMBOLS_PRIV_H

#include <elfutils/libdwfl.h>

#include "report/symbols.h"

struct symbols_module {
	Dwfl_Module *dwfl;
	u64 low, high; /* of all its segments, .bss included */
	u64 code_low, code_high;
	u64 hooks_low, hooks_high; /* its copy of libheddle-hooks.a: no code of the program; empty: none */
	bool is_runtime;
};
#define SYMBOLS_MODULES 256

/* Steps name the same few objects again and again, and finding a variable walks all debug information. */
struct symbols_known {
	u64 address;
	char name[160];
};
#define SYMBOLS_KNOWN 512

/* The same for places in the code. */
struct symbols_place {
	u64 pc;
	struct frame *frame; /* owned; NULL: nothing here */
	size_t frames;
};
#define SYMBOLS_PLACES 1024

struct symbols {
	Dwfl *dwfl;
	pid_t pid;
	char runtime_path[512];
	u64 maps_hash;
	struct wire_regs regs; /* where the unwinder begins */
	const u8 *saved;       /* symbols_use_stack */
	u64 saved_at, saved_len;
	struct symbols_module module[SYMBOLS_MODULES];
	size_t modules;
	struct symbols_known
		known[SYMBOLS_KNOWN]; /* by hash of the address; a newer one displaces an older */
	struct symbols_place place[SYMBOLS_PLACES];
	struct symbols_namer namer; /* name NULL: nobody */
};

const struct symbols_module *symbols_module_of(struct symbols *s, u64 address);
/* In a hook of libheddle-hooks.a, which stands between the program's access and the runtime. */
bool symbols_is_hook(struct symbols *s, u64 pc);
/* Looks again at what is mapped (dlopen); true when something changed. */
bool symbols_refresh(struct symbols *s);
/* Reads the SUT's memory. */
bool symbols_peek(struct symbols *s, u64 at, void *to, size_t n);
/* All frames of the stack that `regs` stand on, the runtime's included. */
void symbols_walk(struct symbols *s, const struct wire_regs *regs, int (*frame)(Dwfl_Frame *, void *),
		  void *arg);
/* Forgets all places: modules have changed. */
void symbols_forget(struct symbols *s);
/* The variable at an address, with member and index; false: no such. */
bool symbols_variable(struct symbols *s, const struct symbols_module *m, u64 address, char *out, size_t cap);

#endif
