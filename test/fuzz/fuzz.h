/*
 * fuzz.h: what a fuzz target uses. A target is one function, as libFuzzer wants it; driver.c calls it with a
 * corpus and with mutations of it, the same ones in every run.
 */
#ifndef HEDDLE_TEST_FUZZ_H
#define HEDDLE_TEST_FUZZ_H

#include "base/base.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* A file with these bytes; valid until the next call. */
const char *fuzz_file(const u8 *data, size_t size);
/* Another name for a file, which may be written. */
const char *fuzz_second_file(void);
/* The bytes as a string, cut at the first zero byte; to be freed. */
char *fuzz_string(const u8 *data, size_t size);

/* A target adds one for each input that its reader accepts: a corpus that is only refused tests little. */
extern size_t fuzz_accepted;

/* What must hold whatever the input is. */
#define fuzz_expect(cond) hd_assert(cond)

#endif
