/*
 * property.h: invariants and step invariants in words, over the variables of the program: the texts that
 * the user gave, and what the runtime evaluates (wire/wire_property.h).
 *
 * The language is C's expressions without side effects; docs/howto/state-invariants.md describes it. Names
 * and types come from the debug information (DWARF) of a process of the program that has been loaded:
 * addresses are the same in every process of it.
 *
 *   program_names.c  which variables and enumerators there are
 *   types.c    what DWARF says about a type
 *   lexer.c    from characters to words
 *   parser.c   from words to a tree in which every node has its type
 *   convert.c  C's conversions
 *   code.c     from the tree to byte code, and which bytes are read
 */
#ifndef HEDDLE_PROPERTY_PROPERTY_H
#define HEDDLE_PROPERTY_PROPERTY_H

#include <sys/types.h>

#include "launch/problem.h"
#include "wire/wire_property.h"

/* One more text; it is not looked at yet. */
int property_add(struct wire_properties *all, bool step, const char *text, struct problem *p);
/*
 * Compiles all texts for the process, which must stand still and has loaded its libraries. runtime_path:
 * our own library, whose variables are not the program's. The problem names the text, the place in it, and
 * what is wrong.
 */
int property_compile(struct wire_properties *all, pid_t pid, const char *runtime_path, struct problem *p);

#endif
