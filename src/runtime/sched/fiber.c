/*
 * Fibers: threads of the SUT in user space.
 *
 * A slot of the STACKS region, from high to low: struct pthread and the static TLS blocks
 * (laid out by glibc's own _dl_allocate_tls), the stack, nothing (below `low` every write
 * is a stack overflow). Fiber 0 keeps the TLS block that ld.so made.
 *
 * Names. A slot belongs to (parent slot, lowest number not in use among the parent's
 * children); the table of names is persistent, so the same thread of the program gets the
 * same addresses in every execution, whatever other threads did before (M2).
 */
#include "base/sys.h"
#include "runtime/libc/libc.h"
#include "runtime/rt.h"
#include "runtime/sched/access.h"
#include "runtime/sched/fiber.h"

#include <asm/prctl.h>
#include <sys/syscall.h>

#include "runtime/sched/op_classes.h"
#include "runtime/kstack/kstack.h"
#include "wire/wire.h"

void *memset(void *to, int c, size_t n);

#define MAIN_STACK (8UL << 20)
#define LD_SO_BYTES 4096 /* of stack, at most, that ld.so needs to set up a TLS block */

void fiber_entry(void);

static void no_kernel_start(u32 slot, u32 creator)
{
	(void)slot;
	(void)creator;
}

static void no_kernel(u32 slot)
{
	(void)slot;
}

static void no_kernel_access(u32 slot, bool taken)
{
	(void)slot;
	(void)taken;
}

static bool no_kernel_open(u32 slot)
{
	(void)slot;
	return false;
}

static const struct sched_kernel no_kernel_yet = {.fiber_start = no_kernel_start,
						  .fiber_end = no_kernel,
						  .call_ends = no_kernel,
						  .signals_access = no_kernel_access,
						  .signals_open = no_kernel_open};
const struct sched_kernel *sched_kernel = &no_kernel_yet;

void sched_register_kernel(const struct sched_kernel *k)
{
	sched_kernel = k;
}

void fiber_set_fs(u64 tcb)
{
	if (hd_likely(rt_libc.have_fsgsbase))
		__asm__ volatile("wrfsbase %0" : : "r"(tcb));
	else
		sys_call3(SYS_arch_prctl, ARCH_SET_FS, (long)tcb, 0);
}

void fiber_set_gs(u64 base)
{
	static u64 now; /* what the register holds, whoever runs */
	if (hd_likely(base == now))
		return;
	now = base;
	if (rt_libc.have_fsgsbase)
		__asm__ volatile("wrgsbase %0" : : "r"(base));
	else
		sys_call3(SYS_arch_prctl, ARCH_SET_GS, (long)base, 0);
}

HD_LEAF u64 fiber_get_fs(void)
{
	u64 tcb;
	__asm__ volatile("movq %%fs:16, %0" : "=r"(tcb));
	return tcb;
}

HD_LEAF u32 fiber_slot(const struct fiber *f)
{
	return (u32)(f - model->fiber);
}

HD_LEAF u64 fiber_stack_top(u32 slot)
{
	return LAYOUT_STACK_BASE + (slot + 1) * LAYOUT_STACK_STRIDE;
}

static u64 tls_bytes(u32 slot)
{
	return slot ? HD_ROUND_UP(rt_libc.tls_size + rt_libc.tls_align, 64) : 0;
}

u64 fiber_stack_low(u32 slot)
{
	u64 size = model->fiber[slot].stack_size;
	return fiber_stack_top(slot) - tls_bytes(slot) - (size ? size : MAIN_STACK);
}

/*
 * The functions through which others would write glibc's struct pthread are all ours: only variables
 * remain.
 */
void fiber_track_stacks(void)
{
	u64 below_tcb = HD_ROUND_UP(rt_libc.sizeof_pthread, rt_libc.tls_align);
	struct track_stacks stacks = {.sp_base = (u64)&kstack_of(0)->door,
				      .sp_stride = LAYOUT_KSTACK_STRIDE,
				      .tls_bytes = tls_bytes(1),
				      .tls_from = below_tcb + rt_libc.tls_used,
				      .tls_to = below_tcb};
	track_set_stacks(&stacks);
}

/* A thread inherits the floating-point environment of its creator, as the switch keeps it (switch.S). */
static u64 float_control(void)
{
	u32 mxcsr;
	u16 control, status;
	__asm__ volatile("stmxcsr %0\n\tfnstcw %1\n\tfnstsw %2" : "=m"(mxcsr), "=m"(control), "=m"(status));
	return mxcsr | (u64)control << 32 | (u64)(status & 0x3f) << 48;
}
#define FRESH_FLOAT_CONTROL (0x1f80 | 0x037fUL << 32)

/* The first frame: registers zero, then fiber_entry. */
static u64 first_context(u64 top, u64 control)
{
	u64 *sp = (u64 *)((top & ~63UL) - 8 * sizeof(*sp));
	memset(sp, 0, 8 * sizeof(*sp));
	sp[0] = control;
	sp[7] = (u64)fiber_entry;
	return (u64)sp;
}

static void (*run_main)(void);

void fiber_make_main(void (*entry)(void))
{
	run_main = entry;
	struct fiber *f = &model->fiber[0];
	f->life = FIBER_ALIVE;
	f->tcb = fiber_get_fs();
	f->op.kind = OP_START;
	f->sp = first_context(fiber_stack_top(0), FRESH_FLOAT_CONTROL);
	kstack_make(0, f->sp);
	if (!rt_wire->learnt.names)
		rt_wire->learnt.names = 1; /* slot 0 is main */
}

/* The lowest number that no child of this fiber has. */
static HD_NOINLINE u32 free_child_index(u32 parent)
{
	u64 taken[LAYOUT_MAX_FIBERS / 64] = {0};
	HD_WIDE_FRAME();
	for (u32 i = 1; i < sched_fiber_limit(); i++) {
		const struct fiber *f = &model->fiber[i];
		if (f->life && f->parent == parent)
			taken[f->child_index / 64] |= 1UL << (f->child_index % 64);
	}
	u32 word = 0;
	while (!~taken[word])
		word++;
	return word * 64 + (u32)__builtin_ctzl(~taken[word]);
}

/* Which names are free was seen: whoever frees one of them would have been noticed. */
static void declare_children(u32 parent)
{
	for (u32 i = 1; i < sched_fiber_limit(); i++)
		if (model->fiber[i].life && model->fiber[i].parent == parent)
			access_declare(thread_name_object(i), 1, ACCESS_READ);
}

/* The slot named (parent, index), a new one if need be; 0: all slots are taken. */
static HD_NOINLINE u32 slot_of_name(u32 parent, u32 index)
{
	return learnt_slot(&rt_wire->learnt, parent, index);
}

/* glibc's thread control block for a new fiber, as pthread_create would fill it. */
static u64 make_tcb(u32 slot)
{
	u64 tcb = (fiber_stack_top(slot) - rt_libc.sizeof_pthread) & ~(rt_libc.tls_align - 1);
	u64 own = fiber_get_fs();
	void *made = rt_libc.dl_allocate_tls((void *)tcb);
	kstack_foreign(LD_SO_BYTES);
	if (!made)
		return 0;
	u64 *header = (u64 *)tcb;
	const u64 *mine = (const u64 *)own;
	header[0] = tcb;
	header[2] = tcb;
	*(u32 *)(tcb + 24) = 1; /* multiple_threads */
	header[5] = mine[5];    /* stack guard */
	header[6] = mine[6];    /* pointer guard */
	*(u32 *)(tcb + rt_libc.tid_offset) = RT_PID + slot;
	return tcb;
}

struct fiber *fiber_make(u64 entry, u64 arg, u64 stack_size)
{
	u32 parent = sched_self_slot();
	u32 index = free_child_index(parent);
	declare_children(parent);
	u32 slot = slot_of_name(parent, index);
	if (!slot || stack_size + tls_bytes(slot) + HD_PAGE > LAYOUT_STACK_STRIDE)
		return NULL;
	struct fiber *f = &model->fiber[slot];
	track_new_stack(slot);
	u64 tcb = make_tcb(slot);
	if (!tcb)
		return NULL;
	access_declare(thread_object(slot), 1, ACCESS_MAKE);
	access_declare(thread_wait_object(slot), 1, ACCESS_MAKE);
	access_declare(thread_name_object(slot), 1, ACCESS_WRITE);
	sched_kernel->fiber_start(slot, parent);
	f->life = FIBER_ALIVE;
	f->parent = parent;
	f->child_index = index;
	f->tcb = tcb;
	f->entry = entry;
	f->arg = arg;
	f->stack_size = (u32)stack_size;
	f->gs = model->fiber[parent].gs;
	f->op.kind = OP_START;
	f->sp = first_context(fiber_stack_top(slot) - tls_bytes(slot), float_control());
	kstack_make(slot, f->sp);
	return f;
}

void fiber_free(struct fiber *f)
{
	if (f->op.kind || f->suspended.kind) /* who has ended waits for nothing */
		access_declare(thread_wait_object(fiber_slot(f)), 1, ACCESS_WRITE);
	memset(f, 0, sizeof(*f));
}

struct fiber *fiber_by_tcb(u64 tcb)
{
	for (u32 i = 0; i < sched_fiber_limit(); i++)
		if (model->fiber[i].life && model->fiber[i].tcb == tcb)
			return &model->fiber[i];
	return NULL;
}

u32 fiber_live_count(void)
{
	u32 n = 0;
	for (u32 i = 0; i < sched_fiber_limit(); i++)
		n += model->fiber[i].life == FIBER_ALIVE;
	return n;
}

bool fiber_dead_stack(u32 slot, bool left, u64 sp_before, struct track_stack *out)
{
	u64 low = fiber_stack_top(slot) - LAYOUT_STACK_STRIDE, top = fiber_stack_top(slot);
	u64 live = left ? top : kstack_program_sp(slot);
	u64 kernel_from = HD_MIN(sp_before,
				 (u64)kstack_of(slot)); /* the first time it stood on its other stack */
	if (!left)
		kernel_from = HD_MIN(kernel_from, model->fiber[slot].sp);
	*out = (struct track_stack){low, live, slot, kernel_from};
	return live >= low && live <= top;
}

void fiber_regs(const struct fiber *f, struct wire_regs *r)
{
	const u64 *sp = (const u64 *)f->sp;
	*r = (struct wire_regs){.r15 = sp[1],
				.r14 = sp[2],
				.r13 = sp[3],
				.r12 = sp[4],
				.rbx = sp[5],
				.rbp = sp[6],
				.rip = sp[7],
				.rsp = f->sp + 8 * 8};
}

void fiber_describe(const struct fiber *f, struct text *t)
{
	text_str(t, "thread ");
	text_dec(t, (long)sched_thread_number(f));
	if (f->name[0]) {
		text_fmt(t, " (%s)", f->name);
	}
}

void fiber_run_main(void)
{
	run_main();
}
