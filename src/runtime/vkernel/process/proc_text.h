/*
 * proc_text.h: what stands in the files below /proc/self that tell of settings of the program.
 */
#ifndef HEDDLE_VKERNEL_PROC_TEXT_H
#define HEDDLE_VKERNEL_PROC_TEXT_H

#include "runtime/vkernel/vk.h"

/* NULL: none of them. May be a step; the text stays until the next call. */
const char *vk_proc_text(struct vk_call *c, const char *path);

#endif
