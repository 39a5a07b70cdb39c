/*
 * Signals.
 *
 * Laws. Handlers run on one alternate stack, because the kernel must not write a signal frame onto
 * a write-protected stack page. No work is done in signal context: a page fault changes the
 * page's protection and returns; a trapped call is only redirected to trap_entry, which
 * goes to the fiber's kernel stack; a crash leaves for the engine and never returns. Nothing here touches
 * TLS.
 */
#include "runtime/trap/trap.h"

#include <cpuid.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <linux/audit.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>

#include "base/pages.h"
#include "base/sys.h"
#include "base/text.h"
#include "runtime/kstack/kstack.h"
#include "runtime/engine/engine.h"
#include "runtime/engine/engine_audit.h"
#include "runtime/memory/memory.h"
#include "runtime/rt.h"
#include "runtime/sched/fiber.h"
#include "runtime/libc/libc.h"
#include "runtime/trap/atomics.h"
#include "runtime/trap/emulate.h"
#include "runtime/vkernel/vk.h"
#include "runtime/vkernel/vk_ops.h"
#include "state/track.h"
#include "wire/wire.h"

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_ON 1
#endif
#define SYS_USER_DISPATCH_CODE 2
#define ALT_STACK (256u << 10)
#define TICK_US 100000
#define XSAVE_XMM 160 /* offsets in the xsave area; between them lies its header */
#define XSAVE_XMM_BYTES 256
#define XSAVE_EXTENDED 576

void *memset(void *to, int c, size_t n);

struct trap_frame {
	long rax, r9, r8, r10, rdx, rsi, rdi, r11;
};

struct kernel_sigaction {
	void (*handler)(int, siginfo_t *, void *);
	unsigned long flags;
	void (*restorer)(void);
	unsigned long mask;
};

extern char __ehdr_start[] __attribute__((visibility("hidden")));
extern char etext[] __attribute__((visibility("hidden")));
void trap_entry(void);
void trap_restorer(void);
long trap_dispatch(struct trap_frame *f, void *xsave, u64 pc, u64 sp);

/* Read by entry.S. */
__attribute__((visibility("hidden"))) u64 trap_xsave_size;
__attribute__((visibility("hidden"))) u32 trap_xsave_mask;
static char selector;
static u64 libc_start, libc_end, signal_stack;
/* Functions of libc that are no cancellation points, whatever they call. */
#define PLAIN_SYSCALL 0  /* of plain_calls: syscall() itself */
#define FLAGS_NONE 0x202 /* interrupts on, and the bit that is always set */
static struct wire_range plain_calls[8];
/* Calls that are cancellation points when they come from this function of libc only, not from others. */
static struct {
	long nr;
	const char *name;
	struct wire_range function;
} point_calls[] = {{.nr = SYS_getrandom, .name = "getrandom"}, {.nr = SYS_fallocate, .name = "fallocate"}};

static void set_handler(int sig, void (*handler)(int, siginfo_t *, void *))
{
	struct kernel_sigaction sa = {handler, SA_SIGINFO | SA_ONSTACK | SA_NODEFER | 0x04000000,
				      trap_restorer, 0};
	sys_call6(SYS_rt_sigaction, sig, (long)&sa, 0, 8, 0, 0);
}

static void regs_of(const ucontext_t *u, struct wire_regs *r)
{
	const greg_t *g = u->uc_mcontext.gregs;
	*r = (struct wire_regs){.rip = atomics_origin((u64)g[REG_RIP]),
				.rsp = (u64)g[REG_RSP],
				.rbp = (u64)g[REG_RBP],
				.rbx = (u64)g[REG_RBX],
				.r12 = (u64)g[REG_R12],
				.r13 = (u64)g[REG_R13],
				.r14 = (u64)g[REG_R14],
				.r15 = (u64)g[REG_R15]};
}

/* --- crashes --- */

static const char *signal_name(int sig)
{
	switch (sig) {
	case SIGSEGV:
		return "segmentation fault (SIGSEGV)";
	case SIGBUS:
		return "bus error (SIGBUS)";
	case SIGFPE:
		return "arithmetic error (SIGFPE)";
	case SIGILL:
		return "illegal instruction (SIGILL)";
	case SIGTRAP:
		return "breakpoint (SIGTRAP)";
	default:
		return "fatal signal";
	}
}

static bool on_own_stack_below(u64 address)
{
	u32 slot = sched_self_slot();
	return address < fiber_stack_low(slot) && address >= fiber_stack_top(slot) - LAYOUT_STACK_STRIDE;
}

static HD_NORETURN void crash(int sig, const siginfo_t *info, const ucontext_t *u)
{
	struct wire_regs regs;
	regs_of(u, &regs);
	u64 address = (u64)info->si_addr;
	char buf[160];
	struct text t;
	text_init(&t, buf, sizeof(buf));
	if (!sched_in_fiber() || kstack_overflowed(address)) {
		text_fmt(&t, "%s at %#lx, address %#lx", signal_name(sig), regs.rip, address);
		rt_fail("internal error: the checker itself had a ", buf, "");
	}
	if (sig == SIGSEGV && on_own_stack_below(address)) {
		text_str(&t, "stack overflow");
	} else {
		text_fmt(&t, "%s%s%#lx", signal_name(sig),
			 sig == SIGSEGV || sig == SIGBUS ? " at address " : " at ", address);
	}
	sched_fail(VIOLATION_CRASH, regs.rip, address, (u32)sig, &regs, buf);
}

#define FAULT_WRITE 2 /* bits of the page fault error code */
#define FAULT_FETCH 16

static bool in_runtime(u64 pc)
{
	return pc >= (u64)__ehdr_start && pc < (u64)etext;
}

/* Would the access have been fine without us? The runtime itself may do what it likes. */
static bool legitimate(u64 address, const greg_t *g)
{
	if (g[REG_ERR] & FAULT_FETCH || kstack_overflowed(address))
		return false;
	if (!sched_in_fiber())
		return true;
	if (on_own_stack_below(address))
		return false;
	if (in_runtime((u64)g[REG_RIP]))
		return true;
	int prot = vk_mem_prot(address);
	if (prot < 0) /* no mapping of its own, or memory whose rights are as they were */
		return address < LAYOUT_MMAP_BASE ||
		       address >= LAYOUT_MMAP_BASE + LAYOUT_MAX_FIBERS * LAYOUT_MMAP_STRIDE;
	return !(prot & VK_PROT_BEYOND) && (prot & (g[REG_ERR] & FAULT_WRITE ? PROT_WRITE : PROT_READ));
}

static bool is_beyond_file(u64 address)
{
	int prot = vk_mem_prot(address);
	return prot >= 0 && (prot & VK_PROT_BEYOND);
}

/* A fault grants all rights; what may only be read must fault again when the SUT writes. */
static void narrow(u64 address, const greg_t *g)
{
	int prot = vk_mem_prot(address);
	if (prot >= 0 && !(prot & PROT_WRITE) && sched_in_fiber() && !in_runtime((u64)g[REG_RIP]))
		track_protect(address & ~HD_PAGE_MASK, HD_PAGE, prot);
}

/* The search ends with this transition: the tracker says why. */
static HD_NORETURN void no_room_for_page(void)
{
	if (sched_in_fiber())
		sched_stop();
	rt_fail("there is no memory left to track another page of the program", "", "");
}

/*
 * A handler of the program runs here, on the signal stack. The fault may have been the runtime's, with an
 * address of the program's.
 */
static bool handled_by_program(int sig, siginfo_t *info, ucontext_t *u)
{
	struct kstack before = kstack_interrupt((u64)u->uc_mcontext.gregs[REG_RSP]);
	bool handled = vk_signal_fault(sig, info, u);
	kstack_resume(before);
	return handled;
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	u64 address = (u64)info->si_addr;
	ucontext_t *u = context;
	if (atomics_trapped(sig, info, u->uc_mcontext.gregs))
		return;
	if (sig == SIGSEGV && info->si_code == SI_KERNEL && sched_in_fiber() &&
	    emulate_rdtsc(u->uc_mcontext.gregs))
		return;
	int tracked = 0;
	if (sig == SIGSEGV && info->si_code == SEGV_ACCERR && legitimate(address, u->uc_mcontext.gregs))
		tracked = track_fault(address);
	if (tracked > 0) {
		narrow(address, u->uc_mcontext.gregs);
		return;
	}
	if (tracked < 0)
		no_room_for_page();
	if (sig == SIGSEGV && sched_in_fiber() && is_beyond_file(address)) {
		sig = info->si_signo = SIGBUS;
		info->si_code = BUS_ADRERR;
	}
	if (sched_in_fiber() && (!on_own_stack_below(address) || vk_signal_has_stack(sig)) &&
	    handled_by_program(sig, info, u))
		return;
	crash(sig, info, u);
}

/* --- transitions without end --- */

static void on_tick(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	static u64 step, ticks;
	if (!sched_in_fiber() || step != sched_steps()) {
		step = sched_steps();
		ticks = 0;
		return;
	}
	if (++ticks > 1 && engine_time_is_up())
		sched_prune();
	if (ticks * (TICK_US / 1000) < rt_wire->config.hang_ms && !engine_experiments())
		return;
	if (engine_experiments())
		engine_experiment_hung();
	ticks = 0;
	struct wire_regs regs;
	regs_of(context, &regs);
	sched_fail(VIOLATION_HANG, regs.rip, 0, 0, &regs,
		   memory_on()
			   ? "hang: the thread runs on without reaching a synchronisation operation or "
			     "system call"
			   : "hang: the thread runs on without reaching a synchronisation operation or "
			     "system call; if it waits for another one by looking at a variable, build the "
			     "program with heddle cc, which sees that");
}

/* --- system calls --- */

static void on_syscall(int sig, siginfo_t *info, void *context)
{
	ucontext_t *u = context;
	greg_t *g = u->uc_mcontext.gregs;
	if (info->si_code != SYS_USER_DISPATCH_CODE)
		crash(sig, info, u);
	if (info->si_arch != AUDIT_ARCH_X86_64) { /* int $0x80: numbers and arguments of another system */
		sched_refused("a 32-bit system call (int $0x80)", (u64)g[REG_RIP]);
		g[REG_RAX] = -ENOSYS;
		return;
	}
	g[REG_RCX] = g[REG_RIP];
	g[REG_R11] = g[REG_EFL];
	g[REG_RIP] = (greg_t)trap_entry;
}

/*
 * Vector registers hold leftovers of finished work at almost every system call. Inside libc they
 * are dead there, and would make equal states look different once the call blocks: forget them.
 * Elsewhere (inline assembly of the SUT) they are kept.
 */
static void forget_vectors(u64 pc, void *xsave)
{
	if (pc < libc_start || pc >= libc_end)
		return;
	memset((char *)xsave + XSAVE_XMM, 0, XSAVE_XMM_BYTES);
	memset((char *)xsave + XSAVE_EXTENDED, 0, trap_xsave_size - XSAVE_EXTENDED);
}

void trap_forget_red_zone(u64 sp)
{
	for (u64 *p = (u64 *)(sp - RED_ZONE); p < (u64 *)sp; p++)
		if (*p)
			*p = 0;
}

/*
 * The same for the function syscall(), which is behind its instruction as soon as good as back with its
 * caller, who expects nothing in registers that a function may change. Arguments that the call does not have
 * are leftovers, too.
 */
static void forget_registers(u64 pc, struct trap_frame *f, u64 sp)
{
	if (pc - plain_calls[PLAIN_SYSCALL].start >= plain_calls[PLAIN_SYSCALL].size)
		return;
	f->rdi = f->rsi = f->rdx = f->r10 = f->r8 = f->r9 = 0;
	f->r11 = FLAGS_NONE;
	trap_forget_red_zone(sp);
}

static bool is_plain(u64 pc, long nr)
{
	if (pc < libc_start || pc >= libc_end)
		return true; /* the SUT's own instruction */
	for (u32 i = 0; i < HD_ARRAY_LEN(point_calls); i++)
		if (point_calls[i].nr == nr)
			return pc - point_calls[i].function.start >= point_calls[i].function.size;
	for (u32 i = 0; i < HD_ARRAY_LEN(plain_calls); i++)
		if (pc - plain_calls[i].start < plain_calls[i].size)
			return true;
	return false;
}

long trap_dispatch(struct trap_frame *f, void *xsave, u64 pc, u64 sp)
{
	forget_vectors(pc, xsave);
	struct vk_call c = {.nr = f->rax,
			    .a = {f->rdi, f->rsi, f->rdx, f->r10, f->r8, f->r9},
			    .pc = pc,
			    .no_cancel = is_plain(pc, f->rax)};
	forget_registers(pc, f, sp);
	long r = vk_syscall(&c);
	if (hd_unlikely(kstack_pause))
		kstack_pause(pc);
	return r;
}

static void measure_xsave(void)
{
	u32 a, b, c, d, lo, hi;
	__asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
	trap_xsave_mask = lo & 0xe7; /* x87, SSE, AVX, AVX-512 */
	__cpuid_count(13, 0, a, b, c, d);
	(void)a;
	(void)c;
	(void)d;
	trap_xsave_size = HD_ROUND_UP(b, 64);
	__cpuid_count(7, 0, a, b, c, d);
	bool avx = trap_xsave_mask & 4, avx512 = (trap_xsave_mask & 0xe0) == 0xe0 && (b >> 31); /* with VL */
	kstack_vectors = avx512 ? 2 : avx;
}

static void find_libc(void)
{
	Dl_info info;
	struct link_map *map;
	hd_assert(dladdr1((void *)rt_libc.exit, &info, (void **)&map, RTLD_DL_LINKMAP));
	libc_start = map->l_addr;
	const ElfW(Ehdr) *e = (const ElfW(Ehdr) *)libc_start;
	const ElfW(Phdr) *p = (const ElfW(Phdr) *)(libc_start + e->e_phoff);
	for (u32 i = 0; i < e->e_phnum; i++)
		if (p[i].p_type == PT_LOAD && (p[i].p_flags & PF_X))
			libc_end = libc_start + p[i].p_vaddr + p[i].p_memsz;
}

static struct wire_range function_of(const char *name)
{
	void *at = dlsym(RTLD_NEXT, name);
	Dl_info info;
	const ElfW(Sym) *symbol = NULL;
	if (at && dladdr1(at, &info, (void **)&symbol, RTLD_DL_SYMENT) && symbol)
		return (struct wire_range){(u64)at, symbol->st_size};
	return (struct wire_range){0};
}

static void find_plain_calls(void)
{
	static const char *const names[HD_ARRAY_LEN(plain_calls)] = {
		"syscall",         "__open_nocancel",  "__open64_nocancel",  "__close_nocancel",
		"__read_nocancel", "__write_nocancel", "__pread64_nocancel",
	};
	for (u32 i = 0; i < HD_ARRAY_LEN(names); i++)
		if (names[i])
			plain_calls[i] = function_of(names[i]);
	for (u32 i = 0; i < HD_ARRAY_LEN(point_calls); i++)
		point_calls[i].function = function_of(point_calls[i].name);
}

void trap_setup_faults(void)
{
	signal_stack = (u64)pages_map(ALT_STACK);
	hd_assert(signal_stack);
	sched_register_signal_stack(signal_stack, ALT_STACK);
	stack_t ss = {.ss_sp = (void *)signal_stack, .ss_size = ALT_STACK};
	sys_call3(SYS_sigaltstack, (long)&ss, 0, 0);
	static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
	for (u32 i = 0; i < HD_ARRAY_LEN(fatal); i++)
		set_handler(fatal[i], on_fault);
}

void trap_setup_calls(void)
{
	measure_xsave();
	find_libc();
	find_plain_calls();
	emulate_setup();
	set_handler(SIGSYS, on_syscall);
	set_handler(SIGVTALRM, on_tick);
	struct itimerval tick = {{0, TICK_US}, {0, TICK_US}};
	sys_call3(SYS_setitimer, ITIMER_VIRTUAL, (long)&tick, 0);
	selector = 1;
	long r = sys_call6(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, (long)__ehdr_start,
			   etext - __ehdr_start, (long)&selector, 0);
	if (r)
		rt_fail("this kernel has no Syscall User Dispatch (Linux 5.11 or newer is needed)", "", "");
}
