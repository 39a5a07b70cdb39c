#include "runtime/sched/owner.h"

#include "runtime/sched/access.h"
#include "runtime/sched/fiber.h"

/* Bytes of a struct, from one field up to another. */
struct part {
	u64 from, to;
	const char *what;
};
#define PART(type, field, words) \
	{ \
		offsetof(type, field), offsetof(type, field) + sizeof(((type *)0)->field), words \
	}

/*
 * What others may look at of a fiber; it must declare changes. All else is its own business: others who
 * change it (a waker, who cancels) declare that, and each step depends on its own fiber anyway.
 */
static const struct part public_parts[] = {
	PART(struct fiber, life, "a thread's life"),
	PART(struct fiber, detached, "whether a thread is detached"),
	PART(struct fiber, name, "a thread's name"),
};

static bool fiber_owner(u64 offset, struct owner *o)
{
	u32 slot = (u32)(offset / sizeof(struct fiber));
	u64 at = offset % sizeof(struct fiber);
	bool waits = at - offsetof(struct fiber, op) < 2 * sizeof(struct op); /* op, suspended */
	*o = (struct owner){waits ? thread_wait_object(slot) : thread_object(slot), slot + 1,
			    "what a thread does next"};
	for (u32 i = 0; i < HD_ARRAY_LEN(public_parts); i++)
		if (at >= public_parts[i].from && at < public_parts[i].to) {
			o->what = public_parts[i].what;
			o->fiber = 0;
		}
	return true;
}

bool sched_owner(u64 address, struct owner *o)
{
	static const struct {
		struct part part;
		enum process_object object;
	} parts[] = {
		{PART(struct model, now, "the clock"), PROCESS_CLOCK},
		{PART(struct model, ever_detached, "whether a thread was ever detached"), PROCESS_THREADS},
		{PART(struct model, gone_window, "what detached threads accessed last"), PROCESS_THREADS},
		{PART(struct model, panic, "the text of a panic"), PROCESS_PANIC},
		{PART(struct model, refused, "whether a call was refused"), PROCESS_REFUSED},
		{PART(struct model, key, "the keys of thread-specific data"), PROCESS_KEYS},
	};
	u64 offset = address - LAYOUT_MODEL_BASE;
	if (offset < sizeof(((struct model *)0)->fiber))
		return fiber_owner(offset, o);
	for (u32 i = 0; i < HD_ARRAY_LEN(parts); i++)
		if (offset >= parts[i].part.from && offset < parts[i].part.to) {
			*o = (struct owner){process_object(parts[i].object), 0, parts[i].part.what};
			return true;
		}
	*o = (struct owner){object_id(OBJECT_WORLD, 0), 0, "the end of the process"};
	return offset < sizeof(struct model);
}

const char *object_class_name(u64 object)
{
	static const char *const names[OBJECT_CLASSES] = {
		[OBJECT_MEMORY] = "memory",    [OBJECT_WORLD] = "world",
		[OBJECT_THREAD] = "thread",    [OBJECT_PROCESS] = "process",
		[OBJECT_FD] = "descriptor",    [OBJECT_FD_TABLE] = "descriptor table",
		[OBJECT_DESC] = "description", [OBJECT_NAME] = "name",
		[OBJECT_LISTING] = "listing",  [OBJECT_FILE] = "file",
		[OBJECT_PIPE] = "pipe",        [OBJECT_SOCKET] = "socket",
		[OBJECT_HEAP] = "heap",        [OBJECT_PORT] = "port",
		[OBJECT_SIGNALS] = "signals",  [OBJECT_MAPPING] = "mapping",
		[OBJECT_WINDOW] = "window",
	};
	enum object_class of = object_class(object);
	return of < OBJECT_CLASSES && names[of] ? names[of] : "object";
}
