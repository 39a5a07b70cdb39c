/*
 * order_strength.h: what the memory orders of C11 (__ATOMIC_RELAXED …) say.
 */
#ifndef HEDDLE_RUNTIME_ORDER_STRENGTH_H
#define HEDDLE_RUNTIME_ORDER_STRENGTH_H

#include "runtime/memory/order.h"

static inline bool acquires(int order)
{
	return order == __ATOMIC_CONSUME || order == __ATOMIC_ACQUIRE || order == __ATOMIC_ACQ_REL ||
	       order == __ATOMIC_SEQ_CST;
}

static inline bool releases(int order)
{
	return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

static inline bool is_weak(enum order_what what, int order)
{
	return (what & ORDER_LOAD && !acquires(order)) || (what & ORDER_STORE && !releases(order));
}

#endif
