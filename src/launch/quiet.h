/*
 * quiet.h: variables inside a program's statically linked language library at which threads need not switch.
 */
#ifndef HEDDLE_LAUNCH_QUIET_H
#define HEDDLE_LAUNCH_QUIET_H

#include "launch/elf_image.h"
#include "wire/wire.h"

/* Adds those of one module to out->quiet. */
void quiet_find(const struct elf_image *im, u64 bias, struct wire_atomics *out);

#endif
