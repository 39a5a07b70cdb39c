/*
 * trace_json.h: the parts of a trace that other files have, too (search scripts): settings that shape what a
 * program can do, and what a search learnt.
 */
#ifndef HEDDLE_REPORT_TRACE_JSON_H
#define HEDDLE_REPORT_TRACE_JSON_H

#include <jansson.h>

#include "wire/wire.h"

json_t *trace_config_json(const struct wire_config *c);
json_t *trace_learnt_json(const struct wire_learnt *l);
/* Foreign input: false if it is not what was written. What it does not name stays as it is. */
bool trace_config_load(const json_t *j, struct wire_config *c);
bool trace_learnt_load(const json_t *j, struct wire_learnt *l);

#endif
