/*
 * regs.h: registers of a fiber, as they travel over the wire.
 */
#ifndef HEDDLE_WIRE_REGS_H
#define HEDDLE_WIRE_REGS_H

#include "base/base.h"

struct wire_regs { /* enough for a DWARF unwinder */
	u64 rip, rsp, rbp, rbx, r12, r13, r14, r15;
};

#endif
