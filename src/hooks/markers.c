/*
 * markers.c: entry points that say something else than "memory is accessed": functions entered and left
 * (heddle unwinds stacks from debug information instead), and the calls by which programs tell
 * ThreadSanitizer about locks of their own. heddle sees what such locks are made of, hence needs no telling.
 * All of it does nothing.
 */
#include "hooks/hooks.h"

#define NOTHING(name, ...) \
	HOOK_WEAK void name(__VA_ARGS__); \
	HOOK_WEAK void name(__VA_ARGS__) \
	{ \
	}
#define NULL_POINTER(name, ...) \
	HOOK_WEAK void *name(__VA_ARGS__); \
	HOOK_WEAK void *name(__VA_ARGS__) \
	{ \
		return (void *)0; \
	}

#pragma GCC diagnostic ignored "-Wunused-parameter"

NOTHING(__tsan_init, void)
NOTHING(__tsan_func_entry, void *caller)
NOTHING(__tsan_func_exit, void)
NOTHING(__tsan_ignore_thread_begin, void)
NOTHING(__tsan_ignore_thread_end, void)

NOTHING(__tsan_acquire, void *address)
NOTHING(__tsan_release, void *address)
NOTHING(__tsan_flush_memory, void)

NOTHING(__tsan_mutex_create, void *mutex, unsigned flags)
NOTHING(__tsan_mutex_destroy, void *mutex, unsigned flags)
NOTHING(__tsan_mutex_pre_lock, void *mutex, unsigned flags)
NOTHING(__tsan_mutex_post_lock, void *mutex, unsigned flags, int recursion)
NOTHING(__tsan_mutex_post_unlock, void *mutex, unsigned flags)
NOTHING(__tsan_mutex_pre_signal, void *mutex, unsigned flags)
NOTHING(__tsan_mutex_post_signal, void *mutex, unsigned flags)
NOTHING(__tsan_mutex_pre_divert, void *mutex, unsigned flags)
NOTHING(__tsan_mutex_post_divert, void *mutex, unsigned flags)
HOOK_WEAK int __tsan_mutex_pre_unlock(void *mutex, unsigned flags);
HOOK_WEAK int __tsan_mutex_pre_unlock(void *mutex, unsigned flags)
{
	return 0;
}

NULL_POINTER(__tsan_get_current_fiber, void)
NULL_POINTER(__tsan_create_fiber, unsigned flags)
NOTHING(__tsan_destroy_fiber, void *fiber)
NOTHING(__tsan_switch_to_fiber, void *fiber, unsigned flags)
NOTHING(__tsan_set_fiber_name, void *fiber, const char *name)

NULL_POINTER(__tsan_external_register_tag, const char *object_type)
NOTHING(__tsan_external_register_header, void *tag, const char *header)
NOTHING(__tsan_external_assign_tag, void *address, void *tag)

/* A library's object that stands for what it hides: the first byte stands for it here. */
HOOK_WEAK void __tsan_external_read(void *address, void *pc, void *tag);
HOOK_WEAK void __tsan_external_read(void *address, void *pc, void *tag)
{
	TELL(address, 1, HOW_READ);
}

HOOK_WEAK void __tsan_external_write(void *address, void *pc, void *tag);
HOOK_WEAK void __tsan_external_write(void *address, void *pc, void *tag)
{
	TELL(address, 1, HOW_WRITE);
}

/* Dynamic annotations, an older way to say the same. */
#define PLACE const char *file, int line
NOTHING(AnnotateHappensBefore, PLACE, const volatile void *address)
NOTHING(AnnotateHappensAfter, PLACE, const volatile void *address)
NOTHING(AnnotateIgnoreReadsBegin, PLACE)
NOTHING(AnnotateIgnoreReadsEnd, PLACE)
NOTHING(AnnotateIgnoreWritesBegin, PLACE)
NOTHING(AnnotateIgnoreWritesEnd, PLACE)
NOTHING(AnnotateIgnoreSyncBegin, PLACE)
NOTHING(AnnotateIgnoreSyncEnd, PLACE)
NOTHING(AnnotateBenignRace, PLACE, const volatile void *address, const char *why)
NOTHING(AnnotateBenignRaceSized, PLACE, const volatile void *address, usize size, const char *why)
NOTHING(AnnotateRWLockCreate, PLACE, const volatile void *lock)
NOTHING(AnnotateRWLockCreateStatic, PLACE, const volatile void *lock)
NOTHING(AnnotateRWLockDestroy, PLACE, const volatile void *lock)
NOTHING(AnnotateRWLockAcquired, PLACE, const volatile void *lock, usize is_write)
NOTHING(AnnotateRWLockReleased, PLACE, const volatile void *lock, usize is_write)
NOTHING(AnnotateNewMemory, PLACE, const volatile void *memory, usize size)
NOTHING(AnnotateThreadName, PLACE, const char *name)
