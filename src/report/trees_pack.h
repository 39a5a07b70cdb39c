/* trees_pack.h: bytes made small, and fit for text. What is owned by the caller is freed with free(). */
#ifndef HEDDLE_REPORT_TREES_PACK_H
#define HEDDLE_REPORT_TREES_PACK_H

#include "base/base.h"

/* NULL: no memory. */
u8 *trees_pack(const void *bytes, u64 len, size_t *packed);
/* Exactly `len` bytes, or NULL: damaged, or no memory. */
void *trees_unpack(const u8 *packed, size_t n, u64 len);

char *base64_text(const u8 *bytes, size_t n);
u8 *base64_parse(const char *text, size_t *n);

#endif
