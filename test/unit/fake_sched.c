#include "fake_sched.h"

#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/output/output.h"
#include "runtime/rt.h"
#include "runtime/sched/access.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/futex.h"
#include "runtime/sched/op_classes.h"
#include "runtime/sched/thread.h"
#include "runtime/kstack/kstack.h"
#include "runtime/vkernel/vk_ops.h"
#include "state/track.h"
#include "wire/wire.h"

struct fake_sched fake;
static struct wire_shared wire;
struct wire_shared *rt_wire = &wire;
struct rt_lessons rt_lessons;
static struct wire_worker worker;
struct wire_worker *rt_worker = &worker;

static sigjmp_buf back;
static enum fake_end how;

/* ---- memory at the places the virtual kernel expects ---- */

#define FILES_BASE (LAYOUT_HEAP_BASE + (u64)LAYOUT_MAX_FIBERS * LAYOUT_HEAP_STRIDE)
#define MAPS_SIZE (LAYOUT_MMAP_STRIDE * 4) /* tests use four fibers at most */

static void *reserve(u64 at, size_t size)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED_NOREPLACE : 0);
	void *p = mmap((void *)at, size, PROT_READ | PROT_WRITE, flags, -1, 0);
	if (p == MAP_FAILED || (at && p != (void *)at)) {
		perror("fake_sched: mmap");
		exit(2);
	}
	return p;
}

static void fresh_memory(void)
{
	static void *model;
	if (!model) {
		model = reserve(0, vk_model_size());
		reserve(FILES_BASE, LAYOUT_HEAP_STRIDE);
		reserve(LAYOUT_MMAP_BASE, MAPS_SIZE);
		vk_model_place(model);
	}
	madvise(model, vk_model_size(), MADV_DONTNEED);
	madvise((void *)FILES_BASE, LAYOUT_HEAP_STRIDE, MADV_DONTNEED);
	madvise((void *)LAYOUT_MMAP_BASE, MAPS_SIZE, MADV_DONTNEED);
}

/* ---- lessons: an object is observed once two fibers use it in modes that can't be merged ---- */

#define LESSONS 1024
#define FIBERS 64
static struct lesson {
	u64 object;
	u8 modes[FIBERS]; /* of each fiber, as bits */
	bool observed;
} lessons[LESSONS];
static u32 lesson_count;

static struct lesson *lesson_of(u64 object)
{
	u32 i = 0;
	while (i < lesson_count && lessons[i].object != object)
		i++;
	if (i == LESSONS)
		abort();
	if (i == lesson_count)
		lessons[lesson_count++] = (struct lesson){.object = object};
	return &lessons[i];
}

static bool modes_clash(u8 a, u8 b)
{
	for (u32 i = 0; i < ACCESS_MODES; i++)
		for (u32 j = 0; j < ACCESS_MODES; j++)
			if (a >> i & b >> j & 1 && !access_merges(i, j))
				return true;
	return false;
}

bool access_learn(u64 object, enum access_mode mode)
{
	struct lesson *l = lesson_of(object);
	l->modes[fake.slot] |= (u8)(1u << mode);
	for (u32 i = 0; i < FIBERS && !l->observed; i++)
		l->observed = i != fake.slot && modes_clash(l->modes[i], l->modes[fake.slot]);
	return l->observed;
}

bool access_use_lesson(u64 object, enum access_mode mode)
{
	return access_use(object, mode);
}

bool access_use(u64 object, enum access_mode mode)
{
	if (access_learn(object, mode))
		return true;
	access_declare(object, 1, mode);
	return false;
}

void access_observe(u64 object)
{
	lesson_of(object)->observed = true;
}

u32 access_facts(void)
{
	return 0;
}

bool access_is_observed(u64 object)
{
	return lesson_of(object)->observed;
}

void access_declare(u64 object, u32 bytes, enum access_mode mode)
{
	footprint_add(&fake.touched, object, bytes, mode);
}

const struct footprint *access_footprint(void)
{
	return &fake.touched;
}

bool sched_all_joined(void)
{
	return fake.joined;
}

void fake_reset(void)
{
	fake = (struct fake_sched){0};
	lesson_count = 0;
	rt_lessons = (struct rt_lessons){0};
	how = FAKE_RETURNED;
	fresh_memory();
	vk_setup();
}

long fake_call(long nr, long a, long b, long c, long d, long e, long f)
{
	struct vk_call call = {.nr = nr, .a = {a, b, c, d, e, f}, .pc = 0x1234};
	volatile long result = 0;
	how = FAKE_RETURNED;
	if (!sigsetjmp(back, 0))
		result = vk_syscall(&call);
	return result;
}

enum fake_end fake_how(void)
{
	return how;
}

static HD_NORETURN void leave(enum fake_end end)
{
	how = end;
	siglongjmp(back, 1);
}

/* ---- sched.h ---- */

/* Classes of families that are not linked into the test are NULL here: always one
   outcome, nothing to describe. */
#define OP_CLASS_WEAK(kind, class_name) extern const struct op_class op_##class_name __attribute__((weak));
OP_KINDS_LIST(OP_CLASS_WEAK)
const struct op_class *const op_classes[] = {
#define OP_CLASS_ENTRY(kind, class_name) [OP_##kind] = &op_##class_name,
	OP_KINDS_LIST(OP_CLASS_ENTRY)};

static u32 outcomes(const struct op *o)
{
	const struct op_class *k = op_classes[o->kind];
	if (o->kind == OP_SLEEP)
		return 0; /* until its time comes */
	return k && k->outcomes ? k->outcomes(sched_self(), o) : 1;
}

u32 sched_step(const struct op *o)
{
	const struct op_class *k = op_classes[o->kind];
	fake.steps++;
	fake.last = *o;
	if (fake.during_step) {
		void (*others)(void) = fake.during_step;
		u32 me = fake.slot;
		sigjmp_buf mine;
		memcpy(&mine, &back, sizeof(back));
		fake.during_step = NULL;
		others();
		fake.slot = me;
		how = FAKE_RETURNED;
		memcpy(&back, &mine, sizeof(back));
	}
	char words[512];
	struct text t;
	text_init(&t, words, sizeof(words));
	if (k && k->describe)
		k->describe(sched_self(), o, 0, &t);
	u32 n = outcomes(o);
	if (!n) {
		if (!o->deadline)
			leave(FAKE_BLOCKED);
		fake.now = o->deadline - 1;
		return ALT_TIMEOUT;
	}
	return HD_MIN(fake.alt, n - 1);
}

static struct fiber fibers[4];

struct fiber *sched_self(void)
{
	return &fibers[fake.slot];
}

u32 fiber_slot(const struct fiber *f)
{
	return (u32)(f - fibers);
}

u32 sched_self_slot(void)
{
	return fake.slot;
}

void sched_register_kernel(const struct sched_kernel *k)
{
	(void)k;
}

struct fiber *sched_fiber(u32 slot)
{
	return slot < HD_ARRAY_LEN(fibers) ? &fibers[slot] : NULL;
}

/* Nobody is cancelled here: what it would be in the scheduler, a step that ends at once. */
int thread_testcancel(void)
{
	struct op o = {.kind = OP_TESTCANCEL, .flags = OPF_CANCEL};
	sched_step(&o);
	return 0;
}

/* No thread is ever started here. */
int thread_create(u64 *tcb, u64 entry, u64 arg, u64 stack_size, bool detached, u64 pc)
{
	(void)tcb, (void)entry, (void)arg, (void)stack_size, (void)detached, (void)pc;
	return EAGAIN;
}

struct fiber *fiber_by_tcb(u64 tcb)
{
	(void)tcb;
	return NULL;
}

u64 sched_steps(void)
{
	return 0;
}

u64 clock_now(void)
{
	return fake.now;
}

u64 clock_read(void)
{
	fake.clock_reads++;
	return fake.now;
}

u64 clock_deadline(u64 relative_ns)
{
	return fake.now + relative_ns + 1;
}

HD_NORETURN void sched_violation(enum violation_kind kind, u64 pc, u64 address, const char *message)
{
	(void)pc;
	(void)address;
	fake.violation = kind;
	str_copy(fake.message, sizeof(fake.message), message);
	leave(FAKE_VIOLATION);
}

HD_NORETURN void sched_prune(void)
{
	leave(FAKE_VIOLATION);
}

void sched_refused(const char *call, u64 pc)
{
	(void)pc;
	fake.refused++;
	str_copy(fake.refused_call, sizeof(fake.refused_call), call);
}

void output_write(int fd, const void *data, size_t n)
{
	fake.output_fd = fd;
	n = HD_MIN(n, sizeof(fake.output) - fake.output_len);
	memcpy(fake.output + fake.output_len, data, n);
	fake.output_len += n;
}

HD_NORETURN void sched_exit(int status)
{
	fake.exit_status = status;
	leave(FAKE_EXIT);
}

/* ---- other neighbours ---- */

u32 sched_fiber_limit(void)
{
	return HD_ARRAY_LEN(fibers);
}

void fiber_set_gs(u64 base)
{
	(void)base;
}

const struct op *fiber_op(const struct fiber *f)
{
	return &f->op;
}

struct op *fiber_op_mut(struct fiber *f)
{
	return &f->op;
}

bool sched_alive(u32 slot)
{
	return slot < 4;
}

bool sched_alone(void)
{
	return true;
}

void sched_want_restart(void)
{
}

void fiber_describe(const struct fiber *f, struct text *t)
{
	(void)f;
	text_str(t, "a thread");
}

u64 clock_deadline_at(int clock_id, long sec, long nsec)
{
	(void)clock_id;
	return (u64)sec * 1000000000u + (u64)nsec + 1;
}

struct kstack *kstack_running; /* no kernel stacks here */

u64 kstack_call_out(u64 fn, u64 a, u64 b, u64 c)
{
	return ((u64(*)(u64, u64, u64))fn)(a, b, c);
}

long futex_call(long *a, u64 pc)
{
	(void)a;
	(void)pc;
	return -38;
}

HD_NORETURN void fiber_exit_raw(void)
{
	leave(FAKE_EXIT);
}

/* Here all of it is plain memory. */
u64 track_next_page(u64 from, u64 end)
{
	return from < end ? from : end;
}

bool track_covers(u64 address)
{
	return address >= LAYOUT_MODEL_BASE && address < LAYOUT_END;
}

bool track_started(void)
{
	return false;
}

int track_protect(u64 addr, u64 len, int prot)
{
	(void)addr;
	(void)len;
	(void)prot;
	fake.protects++;
	return 0;
}

void clock_seen_in_file(void)
{
}

void sched_tries(bool tries)
{
	(void)tries;
}
