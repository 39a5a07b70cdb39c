/*
 * host_constant.h: files of /proc and /sys that would differ from start to start.
 */
#ifndef HEDDLE_RUNTIME_VK_HOST_CONSTANT_H
#define HEDDLE_RUNTIME_VK_HOST_CONSTANT_H

/* The text a file shall have, or NULL. */
const char *host_constant(const char *absolute);

/* May the SUT read this file below /proc/self? `rest`: behind "/proc/self/". */
int host_proc_self_allowed(const char *rest);

#endif
