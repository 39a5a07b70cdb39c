/*
 * op_classes.h: for those who use kinds of operations, or define their classes. OP_X has the class op_x:
 * wire/op_kinds.h is the only list; the families define the classes; engine/op_table.c makes the table.
 */
#ifndef HEDDLE_RUNTIME_OP_CLASSES_H
#define HEDDLE_RUNTIME_OP_CLASSES_H

#include "runtime/sched/sched.h"
#include "wire/op_kinds.h"

#define OP_CLASS_DECLARE(kind, class_name) extern const struct op_class op_##class_name;
OP_KINDS_LIST(OP_CLASS_DECLARE)
#undef OP_CLASS_DECLARE

/* op_class.accesses of operations that use op.object alone, in one mode. */
void op_acquires(const struct fiber *f, const struct op *o, u32 alt);
void op_releases(const struct fiber *f, const struct op *o, u32 alt);
void op_tries(const struct fiber *f, const struct op *o, u32 alt);
void op_reads(const struct fiber *f, const struct op *o, u32 alt);
void op_writes(const struct fiber *f, const struct op *o, u32 alt);
void op_adds(const struct fiber *f, const struct op *o, u32 alt);
/* … and of those that everything depends on. */
void op_touches_world(const struct fiber *f, const struct op *o, u32 alt);

#endif
