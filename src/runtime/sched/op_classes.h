/*
 * op_classes.h: for those who use kinds of operations, or define their classes. OP_X has the class op_x: wire/op_kinds.h
 * is the only list; the families define the classes; engine/op_table.c makes the table.
 */
#ifndef HEDDLE_RUNTIME_OP_CLASSES_H
#define HEDDLE_RUNTIME_OP_CLASSES_H

#include "runtime/sched/sched.h"
#include "wire/op_kinds.h"

#define OP_CLASS_DECLARE(kind, class_name) extern const struct op_class op_##class_name;
OP_KINDS_LIST(OP_CLASS_DECLARE)
#undef OP_CLASS_DECLARE

#endif
