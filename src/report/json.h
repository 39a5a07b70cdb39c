/* json.h: the little that jansson lacks. */
#ifndef HEDDLE_REPORT_JSON_H
#define HEDDLE_REPORT_JSON_H

#include <jansson.h>

#include "base/base.h"

/* Of the UTF-8 sequence at s, 0 when it is not one (overlong forms and surrogates included). */
size_t utf8_length(const char *s);
/* Any bytes: what is not UTF-8 becomes U+FFFD. NULL text counts as "". */
json_t *json_text(const char *text);
/* A NULL-terminated list of strings. */
json_t *json_texts(char *const *list);
/* Addresses and hashes: "0x…" (JSON numbers are too small for some). */
json_t *json_hex(u64 value);
bool json_hex_value(const json_t *j, u64 *out);

#endif
