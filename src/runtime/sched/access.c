/*
 * Footprints, and lessons about objects.
 *
 * Why it is sound to start coarse: the first search merges uses into longer steps. If in any execution it
 * explores two fibers use one object in modes that don't merge (footprint.c), the object becomes observed
 * and the search starts again. Every execution of the fine-grained program that differs needs such a pair,
 * and the coarse search reaches both uses: before the one the other's critical section is either over or
 * not begun, and in both cases its use of the object is recorded when it comes.
 *
 * All memory here is persistent.
 */
#include "runtime/sched/access.h"

#include "base/pages.h"
#include "runtime/kstack/kstack.h"
#include "runtime/rt.h"
#include "runtime/libc/streams.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/op_classes.h"
#include "runtime/sched/run.h"
#include "wire/wire.h"

#define FIRST_SLOTS (1u << 12)

/*
 * Who used an object, and how: the modes (as bits) of the first two fibers, and of all others together.
 * Among the others a fiber is not told from itself; that could only make too many objects observed.
 */
struct lesson {
	u64 object; /* 0: a free slot */
	u64 wait_mutex;
	u16 first, second; /* fiber slot + 1 */
	u8 first_modes, second_modes, other_modes;
	u8 observed : 1, signalled_early : 1;
};

static struct {
	struct lesson *slot;
	u32 slots, used;
	u8 clashes[ACCESS_MODES]; /* for each mode those that it can't be merged with */
	u32 loaded;               /* of wire_learnt.observed_addr */
	u32 facts;                /* observed objects, and perhaps some of them twice */
	void (*news)(u64 object, u64 mutex, u32 slot, u32 how); /* NULL: nobody wants to know */
} lessons;
/*
 * Which words of the heap hold objects with lessons, so that free() finds those in its block: a bit for each
 * 4 bytes, a word for each 256. Regions that share a word may lend each other bits: the table of lessons
 * knows better.
 */
#define REGION_BYTES 256
#define REGIONS (1u << 14)
static u64 heap_objects[REGIONS];
static struct footprint touched;              /* of the step that runs, or ran last */
static struct footprint *declares = &touched; /* where access_declare() puts it */

#define WROTE_MAX 64
/* For the audit, also of that step. */
static struct {
	u32 merged, split_at, wrotes;
	u32 points, pause_at, pause_slot;
	bool listens, paused;
	bool (*may_pause)(u64 pc);
	struct access wrote[WROTE_MAX];
} audit;

static bool returns; /* access_returns() was called in this step */
static bool (*is_library)(u64 pc);

/* In handlers it would make states without number: those that interrupt each other go to any depth. */
static bool handler_comes_between(void)
{
	return access_handler_may_run() && !sched_self()->handlers && !sched_all_joined();
}

/* Not where libc goes on, or the runtime itself does: what that does then belongs to the step. */
static void return_here(u64 pc)
{
	kstack_pause = NULL;
	returns = false;
	if (handler_comes_between() && !(is_library && is_library(pc)))
		sched_pause(OP_RETURN);
}

/* The end of a door is where the operation is done, or the release. */
static void pause_here(u64 pc)
{
	bool due = returns;
	if (!audit.may_pause || audit.may_pause(pc)) {
		kstack_pause = NULL;
		audit.paused = true;
		sched_pause(OP_NONE);
	}
	if (hd_unlikely(due))
		return_here(pc);
}

void access_look_at_errno(void)
{
	if (handler_comes_between())
		sched_pause(OP_RETURN);
}

void access_libraries(bool (*contain)(u64 pc))
{
	is_library = contain;
}

void access_returns(void)
{
	returns = true;
	kstack_pause = kstack_pause ? kstack_pause : return_here;
}

static void point(u32 slot)
{
	if (hd_unlikely(audit.pause_at) && slot == audit.pause_slot && ++audit.points == audit.pause_at)
		kstack_pause = pause_here;
}

static bool holds; /* access_hold() was called in this step */

void access_hold(void)
{
	holds = true;
}

bool access_holds(void)
{
	return holds;
}

/* A use could be merged; false: it is to be a step all the same, for once. */
static bool merge(enum access_mode mode)
{
	if (hd_unlikely(holds) && mode != ACCESS_READ)
		return false;
	if (mode == ACCESS_RELEASE)
		point(sched_self_slot());
	return hd_likely(++audit.merged != audit.split_at);
}

/*
 * Others can't tell where in its step a use is merged, but a handler of the fiber itself can, if a signal may
 * come any time: between the unlock of one lock and that of the next one, say. So can who finds the fiber
 * cancelled there.
 */
bool access_handler_may_run(void)
{
	return hd_unlikely(rt_lessons.signals_used) && sched_kernel->signals_open(sched_self_slot());
}

static bool interruptible(void)
{
	if (access_handler_may_run())
		return true;
	const struct fiber *f = sched_self();
	return hd_unlikely(f->cancel_async) && !f->cancel_off && rt_lessons.cancel_used;
}

static inline struct lesson *slot_of(u64 object)
{
	u64 h = (object * 0x9e3779b97f4a7c15u) >> 32;
	for (;; h++) {
		struct lesson *l = &lessons.slot[h & (lessons.slots - 1)];
		if (hd_likely(l->object == object) || !l->object)
			return l;
	}
}

static void resize(u32 slots)
{
	struct lesson *old = lessons.slot;
	u32 old_slots = lessons.slots;
	struct lesson *fresh = pages_map(slots * sizeof(*fresh));
	if (!fresh)
		sched_limit("no memory for what is known about the program's objects");
	lessons.slot = fresh;
	lessons.slots = slots;
	for (u32 i = 0; i < old_slots; i++)
		if (old[i].object)
			*slot_of(old[i].object) = old[i];
	if (old)
		pages_unmap(old, old_slots * sizeof(*old));
}

static u64 *region_of(u64 address)
{
	return &heap_objects[(address / REGION_BYTES * 0x9e3779b97f4a7c15u) >> 40 & (REGIONS - 1)];
}

static HD_NOINLINE struct lesson *new_lesson(u64 object)
{
	if (lessons.used >= lessons.slots / 2)
		resize(lessons.slots * 2);
	struct lesson *l = slot_of(object);
	lessons.used++;
	l->object = object;
	if (object - LAYOUT_HEAP_BASE < LAYOUT_MAX_FIBERS * LAYOUT_HEAP_STRIDE)
		*region_of(object) |= 1UL << object % REGION_BYTES / 4;
	return l;
}

static inline struct lesson *lesson_of(u64 object)
{
	struct lesson *l = slot_of(object);
	return hd_likely(l->object) ? l : new_lesson(object);
}

void access_setup(void)
{
	for (u32 a = 0; a < ACCESS_MODES; a++)
		for (u32 b = 0; b < ACCESS_MODES; b++)
			lessons.clashes[a] |= (u8)(!access_merges(a, b) << b);
	access_listen(false);
	resize(FIRST_SLOTS);
	access_load_lessons();
}

void access_load_lessons(void)
{
	u32 known = __atomic_load_n(&rt_wire->learnt.observed, __ATOMIC_ACQUIRE);
	for (; lessons.loaded < known; lessons.loaded++, lessons.facts++)
		lesson_of(rt_wire->learnt.observed_addr[lessons.loaded])->observed = 1;
}

static HD_NOINLINE void become_observed(struct lesson *l)
{
	if (l->observed)
		return;
	l->observed = 1;
	lessons.facts++;
	if (!learnt_observe(&rt_wire->learnt, l->object)) {
		static const char what[] = "more than 65536 objects whose uses have to be steps of their own";
		if (sched_in_fiber())
			sched_limit(what);
		run_limit(what); /* heard of from another worker: there is no step to end */
	}
	sched_want_restart_soon();
}

static HD_NOINLINE void tell(const struct lesson *l, u64 mutex, u32 slot, u32 how)
{
	if (lessons.news)
		lessons.news(l->object, mutex, slot, how);
}

static inline void note_mode(const struct lesson *l, u8 *modes, u32 slot, u8 mode)
{
	if (hd_likely(*modes & mode))
		return;
	*modes |= mode;
	tell(l, 0, slot, mode);
}

/* Notes that the fiber uses it so; returns how others do. */
static inline u8 note_user(struct lesson *l, u32 slot, u8 mode)
{
	u16 who = (u16)(slot + 1);
	if (!l->first)
		l->first = who;
	if (hd_likely(l->first == who)) {
		note_mode(l, &l->first_modes, slot, mode);
		return l->second_modes | l->other_modes;
	}
	if (!l->second)
		l->second = who;
	if (l->second == who) {
		note_mode(l, &l->second_modes, slot, mode);
		return l->first_modes | l->other_modes;
	}
	u8 others = l->first_modes | l->second_modes | l->other_modes;
	note_mode(l, &l->other_modes, slot, mode);
	return others;
}

static inline bool learn_of(struct lesson *l, u32 slot, enum access_mode mode)
{
	u8 others = note_user(l, slot, (u8)(1u << mode));
	if (hd_unlikely(others & lessons.clashes[mode]))
		become_observed(l);
	return l->observed;
}

static inline bool learn(struct lesson *l, enum access_mode mode)
{
	return learn_of(l, sched_self_slot(), mode);
}

bool access_learn(u64 object, enum access_mode mode)
{
	return learn(lesson_of(object), mode);
}

void access_observe(u64 object)
{
	become_observed(lesson_of(object));
}

bool access_is_observed(u64 object)
{
	return slot_of(object)->observed;
}

u32 access_facts(void)
{
	return lessons.facts;
}

bool access_use_lesson(u64 object, enum access_mode mode)
{
	return learn(lesson_of(object), mode) || interruptible() || !merge(mode);
}

bool access_use(u64 object, enum access_mode mode)
{
	if (access_use_lesson(object, mode))
		return true;
	footprint_add(&touched, object, 1, mode);
	return false;
}

void access_declare(u64 object, u32 bytes, enum access_mode mode)
{
	footprint_add(declares, object, bytes, mode);
}

void access_pending(u32 slot, struct footprint *out)
{
	const struct fiber *f = &model->fiber[slot];
	footprint_clear(out);
	declares = out;
	if (slot == ACCESS_TIMERS) {
		sched_kernel->timers_access();
		declares = &touched;
		return;
	}
	access_declare(thread_object(slot), 1, ACCESS_READ);
	sched_declare_step(f, 0);
	if (f->op.deadline)
		sched_declare_step(f, ALT_TIMEOUT);
	if (f->op.watch)
		sched_declare_step(f, ALT_FD_CHANGED);
	declares = &touched;
}

bool access_release_shared(u64 object)
{
	if (hd_likely(!rt_lessons.weak))
		return access_use(object, ACCESS_RELEASE);
	access_learn(object, ACCESS_RELEASE);
	return true;
}

void access_streams(void)
{
	if (libc_streams_order_shows())
		access_learn(process_object(PROCESS_STREAMS), ACCESS_READ);
}

bool access_destroy(u64 object)
{
	return access_use(object, sched_all_joined() ? ACCESS_RELEASE : ACCESS_WRITE);
}

/* The first object with a lesson in this part of the heap; `end`: there is none. */
static u64 next_object(u64 at, u64 end)
{
	while (at < end) {
		u64 mask = *region_of(at) >> at % REGION_BYTES / 4;
		if (!mask) {
			at = (at / REGION_BYTES + 1) * REGION_BYTES;
			continue;
		}
		at += (u64)__builtin_ctzl(mask) * 4;
		if (at < end && slot_of(at)->object)
			return at;
		at += 4;
	}
	return end;
}

bool access_free(u64 block, u64 bytes)
{
	enum access_mode mode = sched_all_joined() ? ACCESS_RELEASE : ACCESS_WRITE;
	u64 end = block + bytes, first = next_object(block, end);
	bool observed = false;
	for (u64 at = first; at < end; at = next_object(at + 4, end))
		observed |= learn(slot_of(at), mode);
	if (first == end)
		return false;
	if (observed || !merge(mode))
		return true;
	for (u64 at = first; at < end; at = next_object(at + 4, end))
		footprint_add(&touched, at, 1, mode);
	return false;
}

static void learn_wait(struct lesson *l, u64 mutex)
{
	if (!l->wait_mutex) {
		l->wait_mutex = mutex;
		tell(l, mutex, 0, ACCESS_WAITED);
		if (l->signalled_early)
			sched_want_restart_soon(); /* now it can be said whether those signals held it */
	} else if (l->wait_mutex != mutex) {
		become_observed(l);
	}
}

static void learn_early_signal(struct lesson *l)
{
	if (l->signalled_early)
		return;
	l->signalled_early = 1;
	tell(l, 0, 0, ACCESS_SIGNALLED_EARLY);
}

bool access_cond_wait(u64 cond, u64 mutex)
{
	struct lesson *l = lesson_of(cond);
	learn_wait(l, mutex);
	if (learn(l, ACCESS_ACQUIRE) || interruptible() || !merge(ACCESS_ACQUIRE))
		return true;
	footprint_add(&touched, cond, 1, ACCESS_ADD);
	return false;
}

bool access_cond_signal(u64 cond, bool (*held)(u64 mutex))
{
	struct lesson *l = lesson_of(cond);
	if (!l->wait_mutex)
		learn_early_signal(l);
	else if (!l->observed && !held(l->wait_mutex))
		become_observed(l);
	if (learn(l, ACCESS_RELEASE) || interruptible() || !merge(ACCESS_RELEASE))
		return true;
	footprint_add(&touched, cond, 1, ACCESS_WRITE);
	return false;
}

/* ---- with several workers ---- */

void access_share(void (*news)(u64 object, u64 mutex, u32 slot, u32 how))
{
	lessons.news = news;
}

void access_hear(u64 object, u64 mutex, u32 slot, u32 how)
{
	struct lesson *l = lesson_of(object);
	void (*news)(u64, u64, u32, u32) = lessons.news;
	lessons.news = NULL; /* the others have heard it, too */
	for (u32 mode = 0; mode < ACCESS_MODES; mode++)
		if (how >> mode & 1)
			learn_of(l, slot, mode);
	if (how & ACCESS_WAITED)
		learn_wait(l, mutex);
	if (how & ACCESS_SIGNALLED_EARLY && !l->signalled_early) {
		learn_early_signal(l);
		if (l->wait_mutex)
			sched_want_restart();
	}
	lessons.news = news;
}

#define ALL_ARENAS 0xffff
static void touch_heap(u64 object, enum access_mode mode)
{
	run_moment++;
	footprint_add(&touched, object, 1, mode);
	if (hd_unlikely(rt_wire->config.heap_limit))
		footprint_add(&touched, object_id(OBJECT_HEAP, ALL_ARENAS), 1, ACCESS_WRITE);
}

void access_heap_take(void)
{
	touch_heap(heap_object(sched_self_slot()), ACCESS_WRITE);
}

static u64 heap_object_of(const void *block)
{
	u64 arena = ((u64)block - LAYOUT_HEAP_BASE) / LAYOUT_HEAP_STRIDE;
	bool retires = arena != sched_self_slot() && !rt_lessons.heap_reused;
	return retires ? heap_retired_object(arena) : heap_object(arena);
}

void access_heap_give(const void *block)
{
	touch_heap(heap_object_of(block), ACCESS_ADD);
}

void access_heap_resize(const void *block)
{
	touch_heap(heap_object_of(block), ACCESS_WRITE);
}

/* The fiber's own list changes as well, and the oldest on it may become free. */
void access_heap_aside(u64 arena, enum access_mode mode)
{
	u64 self = sched_self_slot();
	touch_heap(heap_retired_object(arena), mode);
	touch_heap(heap_object(arena), ACCESS_ADD);
	touch_heap(heap_retired_object(self), ACCESS_WRITE);
	touch_heap(heap_object(self), ACCESS_ADD);
}

enum heap_status access_heap_done(enum heap_status status)
{
	if (hd_likely(status != HEAP_REUSED))
		return status;
	__atomic_store_n(&rt_wire->learnt.heap_reused, 1, __ATOMIC_RELEASE); /* from the restart on */
	sched_want_restart();
	return HEAP_OK;
}

void access_step_begins(u32 slot)
{
	audit.merged = audit.wrotes = audit.points = 0;
	kstack_pause = NULL;
	returns = false;
	point(slot);
	holds = false;
	touched.count = 1;
	touched.world = 0;
	touched.access[0] = (struct access){thread_object(slot), 1, ACCESS_READ};
}

const struct footprint *access_footprint(void)
{
	return &touched;
}

/* ---- for the audit ---- */

static HD_NOINLINE void note_wrote(u64 address, u32 bytes)
{
	if (audit.wrotes < WROTE_MAX)
		audit.wrote[audit.wrotes++] = (struct access){address, bytes, ACCESS_WRITE};
}

HD_LEAF void access_wrote(u64 address, u32 bytes)
{
	if (hd_unlikely(audit.listens))
		note_wrote(address, bytes);
}

void access_listen(bool on)
{
	audit.listens = on || rt_wire->config.search.sanity >= 2;
}

const struct access *access_wrote_list(u32 *n)
{
	*n = audit.wrotes;
	return audit.wrote;
}

u32 access_merged(void)
{
	return audit.merged;
}

void access_split(u32 k)
{
	audit.split_at = k;
}

void access_births(void)
{
	point(sched_self_slot());
}

void access_pause(u32 slot, u32 k, bool (*may_pause)(u64 pc))
{
	audit.pause_at = k;
	audit.pause_slot = slot;
	audit.may_pause = may_pause;
	audit.paused = audit.paused && !k;
	kstack_pause = NULL;
}

bool access_paused(void)
{
	return audit.paused;
}

/*
 * Nearly every program destroys its locks after it has joined its threads: nothing can be seen then, and
 * their releases need not be steps. "Has ended" is not enough: a thread may signal its end and unlock after
 * that, all in one of our coarse steps. Joined is.
 */
bool sched_all_joined(void)
{
	if (fiber_ever_detached())
		return false;
	for (u32 i = 0; i < sched_fiber_limit(); i++)
		if (i != sched_self_slot() && sched_fiber(i))
			return false;
	return true;
}
