/*
 * thread_copies.c: fork copies one thread only. To be saved, the others wait in a signal handler; the copy
 * makes them anew, each with its thread pointer, and lets it return from that handler: the kernel's signal
 * frame on its stack holds all its registers, and rt_sigreturn is the call that brings them back.
 *
 *      leader                                another thread, in a wait of its own
 *      SHIM_SIGNAL: SAVE  ── SHIM_SIGNAL ──▶  interrupted; its registers lie in a frame on its stack
 *      all are parked      ◀───────────────  waits for `released`
 *      clone: the copy has the leader, and everybody's stacks
 *        …thawed: clone(CLONE_THREAD) for each slot, on its stack, below its frame; rt_sigreturn
 *
 * What a program knows of itself stays: the thread pointer, its number (gettid) and the addresses of its
 * locks. The kernel's number is another one, so calls that name threads are translated.
 */
#include <asm/prctl.h>
#include <errno.h>
#include <linux/futex.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <string.h>
#include <time.h>

#include "shim/shim_priv.h"

#define KERNEL_CONTEXT 304 /* bytes of the kernel's struct ucontext */

static atomic_int parked, released;
static atomic_int made; /* threads, ever */

static u64 thread_pointer(void)
{
	u64 fs;
	__asm__("mov %%fs:0, %0" : "=r"(fs));
	return fs;
}

/* Slots never move, and a thread makes its own. */
static struct shim_thread *slot_of(u64 fs)
{
	for (u32 i = 0, at = (u32)(fs >> 8) % SHIM_THREADS; i < SHIM_THREADS; i++) {
		struct shim_thread *t = &shim.thread[(at + i) % SHIM_THREADS];
		if (__atomic_load_n(&t->fs, __ATOMIC_ACQUIRE) == fs)
			return t;
	}
	return NULL;
}

static struct shim_thread *take_slot(u64 fs)
{
	for (u32 i = 0, at = (u32)(fs >> 8) % SHIM_THREADS; i < SHIM_THREADS; i++) {
		struct shim_thread *t = &shim.thread[(at + i) % SHIM_THREADS];
		u64 none = 0;
		if (__atomic_compare_exchange_n(&t->fs, &none, fs, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return t;
	}
	return NULL;
}

struct shim_thread *thread_self(void)
{
	static struct shim_thread nobody;
	u64 fs = thread_pointer();
	struct shim_thread *t = slot_of(fs);
	if (t)
		return t;
	t = take_slot(fs);
	if (!t) {
		shim.stops = "it has more than 256 threads";
		return &nobody;
	}
	t->tid = t->first = (int)shim_call(SYS_gettid, 0);
	t->shown = t->tid == shim.pid ? shim.shown : t->tid;
	return t;
}

u32 threads_count(void)
{
	u32 n = 0;
	for (u32 i = 0; i < SHIM_THREADS; i++)
		n += shim.thread[i].fs != 0;
	return n;
}

int thread_real(int shown)
{
	for (u32 i = 0; i < SHIM_THREADS; i++)
		if (shim.thread[i].fs && (shim.thread[i].shown == shown || shim.thread[i].first == shown))
			return shim.thread[i].tid;
	return shown;
}

/* In the new thread, on its own stack. */
__attribute__((used)) static void thread_enter(void)
{
	struct shim_thread *t = slot_of(thread_pointer());
	if (t) {
		t->tid = (int)shim_call(SYS_gettid, 0);
		if (!t->shown) {
			t->first = t->tid;
			t->shown = shim.shown + atomic_fetch_add(&made, 1) + 1;
		}
		if (t->clears)
			shim_call(SYS_set_tid_address, t->clears);
		if (t->robust_size)
			shim_call(SYS_set_robust_list, t->robust, t->robust_size);
		if (t->name[0])
			shim_call(SYS_prctl, PR_SET_NAME, t->name);
	}
	if (!shim_dispatch_on())
		shim_exit(127);
}

/* A thread that returns from the signal frame at `frame`, with the stack below that. */
static long clone_into(u64 flags, const void *frame, long parent_tid, long child_tid, u64 tls)
{
	long ret;
	register long r10 __asm__("r10") = child_tid;
	register long r8 __asm__("r8") = (long)tls;
	__asm__ volatile("syscall\n\t"
			 "test %%rax, %%rax\n\t"
			 "jnz 1f\n\t"
			 "xor %%ebp, %%ebp\n\t"
			 "mov %%rsp, %%rbx\n\t"
			 "call thread_enter\n\t"
			 "mov %%rbx, %%rsp\n\t"
			 "mov $15, %%eax\n\t"
			 "syscall\n"
			 "1:"
			 : "=a"(ret)
			 : "a"(SYS_clone), "D"(flags), "S"(frame), "d"(parent_tid), "r"(r10), "r"(r8)
			 : "rcx", "r11", "memory");
	return ret;
}

static long new_thread(struct call *c)
{
	u64 flags = (u64)c->arg[0], tls = (u64)c->arg[4];
	u8 *frame = (u8 *)(((u64)c->arg[1] - KERNEL_CONTEXT - 128) & ~15ull);
	ucontext_t *copy = (ucontext_t *)(void *)frame;
	struct shim_thread *t = flags & CLONE_SETTLS ? take_slot(tls) : NULL;
	if (!t) {
		shim.stops = "it has threads without a thread pointer of their own, or too many";
		return -EAGAIN;
	}
	memcpy(frame, c->at, KERNEL_CONTEXT);
	copy->uc_mcontext.gregs[REG_RSP] = c->arg[1];
	copy->uc_mcontext.gregs[REG_RAX] = 0;
	copy->uc_mcontext.fpregs = NULL;
	memset(&copy->uc_stack, 0, sizeof(copy->uc_stack));
	copy->uc_stack.ss_flags = SS_DISABLE;
	t->shown = 0;
	t->clears = flags & CLONE_CHILD_CLEARTID ? (u64 *)c->arg[3] : NULL;
	t->robust_size = 0;
	long r = clone_into(flags, frame, c->arg[2], c->arg[3], tls);
	if (r < 0)
		__atomic_store_n(&t->fs, 0, __ATOMIC_RELEASE);
	return r;
}

/* A child with memory of its own; what would share ours until it calls exec gets a copy. */
static long new_process(struct call *c)
{
	u64 flags = (u64)c->arg[0] & ~(u64)CLONE_VM;
	struct shim_thread self = *thread_self();
	int parent = shim.pid, parent_first = shim.first_pid;
	shim_note(ACT_FORK);
	long r = shim_call(SYS_clone, flags & ~(u64)CLONE_SETTLS, 0, c->arg[2], c->arg[3], 0);
	if (r > 0)
		relative_born((int)r);
	if (r)
		return r;
	memset(shim.thread, 0, sizeof(shim.thread));
	posix_timers_forget();
	relatives_forget();
	shim.pid = (int)shim_call(SYS_getpid, 0);
	shim.shown = shim.first_pid = shim.pid; /* its parent knows it by this one */
	shim.parent = parent_first;
	shim.adopted = false;
	shim_connect_again(parent);
	struct shim_thread *t = take_slot(self.fs);
	t->tid = t->first = t->shown = shim.pid;
	if (c->arg[1])
		c->at->uc_mcontext.gregs[REG_RSP] = c->arg[1];
	if (!shim_dispatch_on())
		shim_exit(127);
	return 0;
}

long thread_clone(struct call *c)
{
	struct call plain = *c;
	switch (c->nr) {
	case SYS_clone3:
		return -ENOSYS; /* libc then uses clone */
	case SYS_fork:
		plain.arg[0] = SIGCHLD;
		break;
	case SYS_vfork:
		plain.arg[0] = CLONE_VFORK | SIGCHLD;
		break;
	default:
		if (c->arg[0] & CLONE_THREAD)
			return new_thread(c);
		return new_process(c);
	}
	plain.arg[1] = plain.arg[2] = plain.arg[3] = 0;
	return new_process(&plain);
}

/* In the handler of SHIM_SIGNAL. The leader serves the controller, the others wait for it. */
void threads_signal(ucontext_t *at)
{
	struct shim_thread *t = thread_self();
	t->interrupted = clock_real(CLOCK_MONOTONIC);
	if (t->tid == shim.pid) {
		freeze_serve();
		return;
	}
	int go = atomic_load(&released);
	t->parked = at;
	shim_call(SYS_prctl, PR_GET_NAME, t->name);
	shim_call(SYS_get_robust_list, 0, &t->robust, &t->robust_size);
	atomic_fetch_add(&parked, 1);
	shim_call(SYS_futex, &parked, FUTEX_WAKE, 1);
	while (atomic_load(&released) == go)
		shim_call(SYS_futex, &released, FUTEX_WAIT, go, 0);
	t->parked = NULL;
}

bool threads_park(void)
{
	int others = 0, now;
	u64 start = clock_real(CLOCK_MONOTONIC);
	atomic_store(&parked, 0);
	for (u32 i = 0; i < SHIM_THREADS; i++) {
		const struct shim_thread *t = &shim.thread[i];
		if (t->fs && t->tid != shim.pid && shim_call(SYS_tgkill, shim.pid, t->tid, SHIM_SIGNAL) == 0)
			others++;
	}
	while ((now = atomic_load(&parked)) < others) {
		const struct timespec moment = {0, 100000000};
		if (clock_real(CLOCK_MONOTONIC) - start > 2000000000ull)
			return false;
		shim_call(SYS_futex, &parked, FUTEX_WAIT, now, &moment);
	}
	return true;
}

void threads_unpark(void)
{
	atomic_fetch_add(&released, 1);
	shim_call(SYS_futex, &released, FUTEX_WAKE, SHIM_THREADS);
}

/* The parked thread with the lowest number above this one; NULL: there is none. */
static struct shim_thread *next_parked(int above)
{
	struct shim_thread *next = NULL;
	for (u32 i = 0; i < SHIM_THREADS; i++) {
		struct shim_thread *t = &shim.thread[i];
		if (t->fs && t->parked && t->shown > above && (!next || t->shown < next->shown))
			next = t;
	}
	return next;
}

/* In the order in which they were made at first: so whoever watches them knows which is which. */
bool threads_recreate(void)
{
	const u64 flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
			  CLONE_SETTLS;
	int last = 0;
	for (struct shim_thread *t; (t = next_parked(last));) {
		last = t->shown;
		long tid = clone_into(flags, t->parked, 0, 0, t->fs);
		if (tid < 0)
			return false;
		t->tid = (int)tid; /* as it will find itself */
	}
	return true;
}
