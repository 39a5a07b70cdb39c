/* version.c: the mark by which heddle knows a program that was built with its hooks,
   and where they lie; exported. */
#include "hooks/hooks.h"

extern const int heddle_hooks_version;
__attribute__((visibility("default"))) const int heddle_hooks_version = 1;

/* What the linker is asked for: a library that has the mark as well does not have this one for others. */
extern const int heddle_hooks_mark;
__attribute__((visibility("hidden"))) const int heddle_hooks_mark = 1;

/* The linker's, for a section with such a name. */
extern const char __start_heddle_hooks[] __attribute__((visibility("hidden")));
extern const char __stop_heddle_hooks[] __attribute__((visibility("hidden")));
extern const char *const heddle_hooks_range[2];
__attribute__((visibility("default")))
const char *const heddle_hooks_range[2] = {__start_heddle_hooks, __stop_heddle_hooks};
