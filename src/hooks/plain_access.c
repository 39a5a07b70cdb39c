/* plain_access.c: plain and volatile reads and writes, of one object or a range. */
#include "hooks/hooks.h"

#define ACCESS(name, size, how) \
	HOOK void __tsan_##name(void *address); \
	HOOK void __tsan_##name(void *address) \
	{ \
		TELL(address, size, how); \
	}

/* One call, two accesses (clang's compound instrumentation): others may come between them. */
#define ACCESS_TWICE(name, size) \
	HOOK void __tsan_##name(void *address); \
	HOOK void __tsan_##name(void *address) \
	{ \
		TELL(address, size, HOW_READ); \
		TELL(address, size, HOW_WRITE); \
	}

/* The caller's caller did it: its address comes along. */
#define ACCESS_PC(name, size, how) \
	HOOK void __tsan_##name##_pc(void *address, void *pc); \
	HOOK void __tsan_##name##_pc(void *address, void *pc) \
	{ \
		if (heddle_rt_access) \
			heddle_rt_access(address, size, how, pc); \
	}

#define ACCESSES(size) \
	ACCESS(read##size, size, HOW_READ) \
	ACCESS(write##size, size, HOW_WRITE) \
	ACCESS(unaligned_read##size, size, HOW_READ) \
	ACCESS(unaligned_write##size, size, HOW_WRITE) \
	ACCESS(volatile_read##size, size, HOW_READ | HOW_VOLATILE) \
	ACCESS(volatile_write##size, size, HOW_WRITE | HOW_VOLATILE) \
	ACCESS(unaligned_volatile_read##size, size, HOW_READ | HOW_VOLATILE) \
	ACCESS(unaligned_volatile_write##size, size, HOW_WRITE | HOW_VOLATILE) \
	ACCESS_TWICE(read_write##size, size) \
	ACCESS_TWICE(unaligned_read_write##size, size) \
	ACCESS_PC(read##size, size, HOW_READ) \
	ACCESS_PC(write##size, size, HOW_WRITE)

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

#define RANGE(name, how) \
	HOOK void __tsan_##name##_range(void *address, usize size); \
	HOOK void __tsan_##name##_range(void *address, usize size) \
	{ \
		if (size) \
			TELL(address, size, how); \
	} \
	HOOK void __tsan_##name##_range_pc(void *address, usize size, void *pc); \
	HOOK void __tsan_##name##_range_pc(void *address, usize size, void *pc) \
	{ \
		if (size && heddle_rt_access) \
			heddle_rt_access(address, size, how, pc); \
	}

RANGE(read, HOW_READ)
RANGE(write, HOW_WRITE)

HOOK void __tsan_vptr_read(void **vptr);
HOOK void __tsan_vptr_read(void **vptr)
{
	TELL(vptr, sizeof(*vptr), HOW_READ);
}

/*
 * Constructors and destructors set the pointer to the virtual table, often to what it is already; that is no
 * change anyone could see, as in ThreadSanitizer. Looking first is allowed here: while an object is built or
 * torn down, a thread that changes its vptr meanwhile races with this one in either reading.
 */
HOOK void __tsan_vptr_update(void **vptr, void *value);
HOOK void __tsan_vptr_update(void **vptr, void *value)
{
	TELL(vptr, sizeof(*vptr), *vptr == value ? HOW_READ : HOW_WRITE);
}
