/*
 * Atomic instructions as steps.
 *
 * Locks that are not libc's (Rust's std, C++ atomics, hand-written ones) are instructions like lock cmpxchg
 * and show up at no call. An int3 takes the place of the first byte of each such instruction; its trap is
 * redirected, as that of a system call is, to a stub (atomics_entry), which goes to the fiber's kernel
 * stack, lets the engine decide and then jumps to a copy of the instruction:
 *
 *      site:  int3 …            copy:  lock cmpxchg …       (rip-relative operands re-aimed)
 *      next:  …                        jmp next
 *
 * Where the fiber is to pause behind the instruction (sched/access.h, access_pause), a second copy is taken,
 * with a trap in the place of the jump.
 *
 * Laws:
 *   A1  Patching is the same in every process of the same program: the list comes from the file alone,
 *       copies are placed by trying fixed distances. Text is no tracked memory, and is not changed
 *       afterwards.
 *   A2  The SUT finds all registers and flags as they were. Flags that the instruction overwrites unread
 *       are dead; they are forgotten, so that equal states look equal. So are registers and a red zone
 *       that hold nothing which is read again (launch/liveness.h).
 *   A3  Nobody sees an address of a copy: faults in one are told as of the site (atomics_origin).
 *   A4  Alone, a fiber does not stop: nobody could tell.
 *
 * Where a debugger is to come (task.gdb), SIGTRAP is the debugger's. There the byte is that of hlt, which a
 * program may not execute either: a SIGSEGV that no memory access causes.
 *
 * The pause instruction marks a loop that spins until another thread does something. That is no step as long
 * as the loop may be a short one (Rust's mutex spins a hundred times before it sleeps); after PAUSES_FREE
 * of them in one transition each further thousand is one, and what would look like a hang is a circle of
 * states.
 */
#include "runtime/trap/atomics.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/sys.h"
#include "runtime/engine/engine_audit.h"
#include "runtime/kstack/kstack.h"
#include "runtime/memory/order.h"
#include "runtime/rt.h"
#include "runtime/sched/access.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/freed.h"
#include "runtime/sched/op_classes.h"
#include "runtime/sched/recycle.h"
#include "runtime/trap/emulate.h"
#include "runtime/trap/trap.h"
#include "wire/wire.h"

#define INT3 0xcc
#define HLT 0xf4
#define JMP_REL32 0xe9
#define COPY_BYTES 64
#define PAUSING_COPY 32       /* in it: the instruction once more, and a trap behind it */
#define COPY_REACH (1L << 30) /* of the copies of one mapping; half of what 32 bits give */
#define COPY_DISTANCE (16L << 20)
#define COPY_TRIES 32
#define PAUSES_FREE 1000
#define MAX_COPY_MAPS 64
#define REGISTER_AX 0
#define REGISTER_SP 4
#define ARITHMETIC_FLAGS 0x8d5 /* CF PF AF ZF SF OF */

void *memcpy(void *to, const void *from, size_t n);
int memcmp(const void *a, const void *b, size_t n);
void atomics_entry(void);
void atomics_dispatch(u64 *reg, u64 pc, u64 *flags);

/*
 * From the handler to the stub and from the dispatcher to the stub's end; no fiber can be switched to in
 * between.
 */
__attribute__((visibility("hidden"))) u64 atomics_pc, atomics_next;

/* The copies of sites [first, first + count). */
static struct copies {
	u64 at;
	u32 first, count;
} copies[MAX_COPY_MAPS];
static u32 copy_maps;

static const struct wire_atomics *found(void)
{
	return &rt_wire->atomics;
}

static const struct wire_site *site_at(u64 pc)
{
	u32 low = 0, high = found()->sites;
	while (low < high) {
		u32 middle = (low + high) / 2;
		if (found()->site[middle].pc < pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low < found()->sites && found()->site[low].pc == pc ? &found()->site[low] : NULL;
}

static u64 copy_of(const struct wire_site *s)
{
	u32 n = (u32)(s - found()->site);
	for (u32 i = 0; i < copy_maps; i++)
		if (n - copies[i].first < copies[i].count)
			return copies[i].at + (u64)(n - copies[i].first) * COPY_BYTES;
	hd_panic(__FILE__, __LINE__, "atomic instruction without a copy");
}

u64 atomics_origin(u64 pc)
{
	for (u32 i = 0; i < copy_maps; i++)
		if (pc - copies[i].at < (u64)copies[i].count * COPY_BYTES)
			return found()->site[copies[i].first + (pc - copies[i].at) / COPY_BYTES].pc;
	return pc;
}

/* --- patching --- */

static void put32(u8 *at, u64 value)
{
	u32 v = (u32)value;
	hd_assert((long)value == (int)v);
	memcpy(at, &v, sizeof(v));
}

static void write_instruction(const struct wire_site *s, u8 *c)
{
	memcpy(c, s->code, s->length);
	if (s->relative_at)
		put32(c + s->relative_at, s->pc + (u64)(long)s->displacement - (u64)c);
}

static void write_copy(const struct wire_site *s)
{
	u8 *c = (u8 *)copy_of(s);
	write_instruction(s, c);
	c[s->length] = JMP_REL32;
	put32(c + s->length + 1, s->pc - (u64)c - 5);
	c += PAUSING_COPY;
	write_instruction(s, c);
	c[s->length] = INT3;
}

/* Near the sites from `first` on, but where nothing is. */
static u64 map_near(u64 pc, u64 size)
{
	for (long k = 1; k <= COPY_TRIES; k++) {
		u64 at[] = {(pc & ~HD_PAGE_MASK) - (u64)(k * COPY_DISTANCE),
			    (pc & ~HD_PAGE_MASK) + (u64)(k * COPY_DISTANCE)};
		for (u32 i = 0; i < 2; i++) {
			if (!i && pc < (u64)(k * COPY_DISTANCE) + HD_PAGE * 16)
				continue;
			long r = sys_call6(SYS_mmap, (long)at[i], (long)size, PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
			if (r == (long)at[i])
				return at[i];
			if (!sys_failed(r))
				sys_call3(SYS_munmap, r, (long)size, 0);
		}
	}
	rt_fail("no room near the program for copies of its atomic instructions; try --atomics off", "", "");
}

static u32 make_copies(u32 first)
{
	const struct wire_site *s = found()->site;
	u32 count = 1;
	while (first + count < found()->sites && s[first + count].pc - s[first].pc < COPY_REACH)
		count++;
	if (copy_maps == MAX_COPY_MAPS)
		rt_fail("too many modules with atomic instructions; try --atomics off", "", "");
	u64 size = HD_ROUND_UP((u64)count * COPY_BYTES, HD_PAGE);
	copies[copy_maps++] = (struct copies){map_near(s[first].pc, size), first, count};
	for (u32 i = first; i < first + count; i++)
		write_copy(&s[i]);
	sys_call3(SYS_mprotect, (long)copies[copy_maps - 1].at, (long)size, PROT_READ | PROT_EXEC);
	return first + count;
}

static void patch(const struct wire_site *s)
{
	if (memcmp((const void *)s->pc, s->code, s->length))
		rt_fail("the program in memory is not the one on disk; try --atomics off", "", "");
	long page = (long)(s->pc & ~HD_PAGE_MASK);
	if (sys_failed(sys_call3(SYS_mprotect, page, HD_PAGE, PROT_READ | PROT_WRITE)))
		rt_fail("the program's code can't be changed (mprotect failed); try --atomics off", "", "");
	*(volatile u8 *)s->pc = rt_worker->task.gdb ? HLT : INT3;
	sys_call3(SYS_mprotect, page, HD_PAGE, PROT_READ | PROT_EXEC);
}

void atomics_setup(void)
{
	for (u32 i = 0; rt_wire->config.atomics && i < found()->sites;)
		i = make_copies(i);
	for (u32 i = 0; i < found()->sites; i++)
		if (rt_wire->config.atomics || found()->site[i].random)
			patch(&found()->site[i]);
}

/* --- running --- */

static bool spins(void)
{
	static u64 step, pauses; /* of the present transition */
	if (step != sched_steps()) {
		step = sched_steps();
		pauses = 0;
	}
	return ++pauses % PAUSES_FREE == 0;
}

/*
 * That all others have been joined is the fiber's own doing. That they have ended is theirs, and an atomic
 * instruction that depends on it depends on their ends; so that is asked only where threads are detached.
 * (Who could detach one meanwhile lives.)
 */
static bool nobody_else(void)
{
	if (!fiber_ever_detached())
		return sched_all_joined();
	access_declare(thread_alone_object(sched_self_slot()), 1, ACCESS_READ);
	return sched_alone();
}

/* The site of a pausing copy whose instruction has been executed. */
static const struct wire_site *site_before(u64 pc)
{
	const struct wire_site *s = site_at(atomics_origin(pc));
	return s && pc == copy_of(s) + PAUSING_COPY + s->length ? s : NULL;
}

static const struct wire_site *pausing; /* from the handler to the dispatcher */

static bool is_pause(int sig, u64 pc, greg_t *g)
{
	if (sig != SIGTRAP || !rt_wire || !site_before(pc))
		return false;
	pausing = site_before(pc);
	atomics_pc = pausing->pc + pausing->length;
	g[REG_RIP] = (greg_t)atomics_entry;
	return true;
}

bool atomics_trapped(int sig, const siginfo_t *info, greg_t *g)
{
	if (sig != SIGTRAP && (sig != SIGSEGV || info->si_code != SI_KERNEL))
		return false;
	u64 pc = (u64)g[REG_RIP] - (sig == SIGTRAP);
	if (is_pause(sig, pc, g))
		return true;
	const struct wire_site *s = rt_wire ? site_at(pc) : NULL;
	if (!s || !(rt_wire->config.atomics || s->random))
		return false;
	if (s->random) {
		emulate_random(g, s);
		return true;
	}
	if (!sched_active() || nobody_else() || (s->pause && !spins())) {
		g[REG_RIP] = (greg_t)copy_of(s);
		return true;
	}
	atomics_pc = pc;
	g[REG_RIP] = (greg_t)atomics_entry;
	return true;
}

static HD_NOINLINE u64 operand(const struct wire_site *s, const u64 *reg)
{
	if (s->pause || s->base == WIRE_SITE_ELSEWHERE)
		return 0;
	u64 at = (u64)(long)s->displacement;
	if (s->relative_at)
		at += s->pc + s->length;
	if (s->base < WIRE_SITE_NO_REGISTER)
		at += reg[s->base];
	if (s->index < WIRE_SITE_NO_REGISTER)
		at += reg[s->index] << s->shift;
	return at;
}

static bool is_benign(u64 address)
{
	for (u32 i = 0; i < found()->benigns; i++)
		if (address - found()->benign[i].start < found()->benign[i].size)
			return true;
	return false;
}

static bool pauses(u64 pc)
{
	bool yes = pausing;
	pausing = NULL;
	if (yes && kstack_pause)
		kstack_pause(pc);
	atomics_next = pc;
	return yes;
}

/* Called by atomics_entry. reg: general registers, numbered as instructions do. */
void atomics_dispatch(u64 *reg, u64 pc, u64 *flags)
{
	if (hd_unlikely(pauses(pc)))
		return;
	const struct wire_site *s = site_at(pc);
	if (s->flags_dead)
		*flags &= ~(u64)ARITHMETIC_FLAGS;
	for (u32 i = 0; i < WIRE_SITE_NO_REGISTER; i++)
		if (s->dead & 1u << i)
			reg[i] = 0;
	if (s->no_red_zone)
		trap_forget_red_zone(reg[REGISTER_SP]);
	struct op o = {.kind = s->pause ? OP_YIELD : OP_ATOMIC_RMW,
		       .object = s->pause ? pc : operand(s, reg),
		       .n = s->bytes};
	if (!is_benign(o.object)) {
		sched_step(&o);
		if (!s->pause && o.object) {
			freed_check(o.object, "an atomic variable", pc);
			if (s->compares)
				recycle_compares(reg[REGISTER_AX]);
			order_instruction(o.object);
			access_wrote(o.object, 0);
			engine_audit_atomic(o.object, s->bytes);
		}
	}
	atomics_next = copy_of(s) + (hd_unlikely(kstack_pause) ? PAUSING_COPY : 0);
}

/* Where an operand lies outside of what operand() can tell, it is anywhere. */
static void rmw_accesses(const struct fiber *f, const struct op *o, u32 alt)
{
	if (o->object)
		access_declare(o->object, (u32)o->n, ACCESS_WRITE);
	else
		op_touches_world(f, o, alt);
}

const struct op_class op_atomic_rmw = {
	.name = "atomic instruction on", .accesses = rmw_accesses, .busy = true, .instruction = true};
