/* values.h: numbers, sizes and times as people write them. All return false for anything else. */
#ifndef HEDDLE_CLI_VALUES_H
#define HEDDLE_CLI_VALUES_H

#include "base/base.h"

bool value_number(const char *text, u64 *out);
/* 512k, 64M, 2G: powers of 1024; plain numbers are bytes. */
bool value_size(const char *text, u64 *out);
/* 90, 90s, 1.5m, 2h: plain numbers are seconds; also 250ms. */
bool value_time_ms(const char *text, u64 *out);
/* yes, no, true, false, on, off */
bool value_bool(const char *text, bool *out);

#endif
