/*
 * keys.h: keys of thread-specific data, for pthread_key_* and tss_*. Which number a new key gets depends on
 * those that are in use; whether a value can be set, on nobody having deleted the key.
 */
#ifndef HEDDLE_RUNTIME_KEYS_H
#define HEDDLE_RUNTIME_KEYS_H

#include "runtime/sched/access.h"
#include "runtime/sched/thread.h"
#include "runtime/vkernel/core/objects.h"
#include "runtime/vkernel/vk.h"

static inline int keys_create(u32 *key, u64 destructor)
{
	vk_use_outside(process_object(PROCESS_KEYS), ACCESS_WRITE);
	return key_create(key, destructor);
}

static inline int keys_delete(u32 key)
{
	vk_use_outside(process_object(PROCESS_KEYS), ACCESS_WRITE);
	vk_use_outside(process_key_object(key), ACCESS_WRITE);
	return key_delete(key);
}

static inline int keys_set(u32 key, u64 value)
{
	vk_use_outside(process_key_object(key), ACCESS_READ);
	if (!key_exists(key))
		vk_use_outside(process_object(PROCESS_KEYS), ACCESS_READ);
	return key_set(key, value);
}

#endif
