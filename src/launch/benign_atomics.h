/*
 * benign_atomics.h: variables inside a program's statically linked language library at which threads need
 * not switch.
 */
#ifndef HEDDLE_LAUNCH_BENIGN_ATOMICS_H
#define HEDDLE_LAUNCH_BENIGN_ATOMICS_H

#include "launch/elf_image.h"
#include "wire/wire.h"

/* Adds those of one module to out->benign. */
void benign_atomics_find(const struct elf_image *im, u64 bias, struct wire_atomics *out);

#endif
