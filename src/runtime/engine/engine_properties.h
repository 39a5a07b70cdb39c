/*
 * engine_properties.h: the user's invariants and step invariants (wire/wire_property.h), looked at in every
 * state and on every step.
 *
 * A property is like one more thread that reads its variables whenever somebody has changed them. So a step
 * that changed some of them wrote to an object that stands for the property (OBJECT_PROPERTY), and the
 * reduction keeps all orders of such steps: what is reachable in terms of these variables stays reachable.
 * docs/design/properties.md has the argument, and that for what is read through pointers, which is learnt.
 */
#ifndef HEDDLE_RUNTIME_ENGINE_PROPERTIES_H
#define HEDDLE_RUNTIME_ENGINE_PROPERTIES_H

#include "search/target.h"

/* Are there any? */
bool properties_on(void);
/*
 * In the initial state. True: some properties don't hold there; the first of them is the last violation,
 * and none of them is looked at again.
 */
bool properties_begin(void);
/* Before a step, ... */
void properties_step_begins(void);
/*
 * ... and after it, which this fiber took. STEP_VIOLATION: a property does not hold; it is the last
 * violation. STEP_STOP: a limit was reached, which is told.
 */
enum step_result properties_step_ends(u32 slot);
/* At a restart: what other workers have learnt since. */
void properties_load_lessons(void);

#endif
