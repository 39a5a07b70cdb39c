/*
 * signals.c: the shim needs SIGSYS, SIGSTKFLT and, for rdtsc, SIGSEGV. Programs may set actions for them
 * and block them as they like: it is noted, and the shim's stay open.
 *
 * The mask of the program is the one in the frame of the call that was trapped: that is what comes into
 * force when the handler returns.
 */
#include <errno.h>
#include <string.h>

#include "shim/shim_priv.h"

#ifndef SA_RESTORER
#define SA_RESTORER 0x04000000
#endif
#define BIT(signo) (1ull << ((signo)-1))
#define OURS (BIT(SIGSYS) | BIT(SHIM_SIGNAL) | BIT(SIGSEGV))

struct action {
	void *handler;
	u64 flags;
	void *restorer;
	u64 mask;
};

static struct action of_program[3]; /* for SIGSYS, SHIM_SIGNAL, SIGSEGV */

void call_trapped(int signo, siginfo_t *info, void *at);

__asm__(".text\n.globl shim_restorer\n.hidden shim_restorer\n.type shim_restorer,@function\n"
	"shim_restorer:\n\tmov $15, %eax\n\tsyscall\n");

static void on_shim_signal(int signo, siginfo_t *info, void *at)
{
	(void)signo;
	(void)info;
	threads_signal(at);
}

/* rdtsc is 0f 31, rdtscp 0f 01 f9. */
static bool emulate_rdtsc(ucontext_t *at)
{
	static u64 looks;
	greg_t *r = at->uc_mcontext.gregs;
	const u8 *code = (const u8 *)r[REG_RIP];
	if (at->uc_mcontext.gregs[REG_TRAPNO] != 13) /* a general protection fault, not one of memory */
		return false;
	bool plain = code[0] == 0x0f && code[1] == 0x31;
	if (!plain && !(code[0] == 0x0f && code[1] == 0x01 && code[2] == 0xf9))
		return false;
	u64 t = clock_shown(1) + __atomic_add_fetch(&looks, 1, __ATOMIC_RELAXED) * 100;
	shim_note(ACT_RDTSC);
	r[REG_RAX] = (greg_t)(t & 0xffffffff);
	r[REG_RDX] = (greg_t)(t >> 32);
	if (!plain)
		r[REG_RCX] = 0;
	r[REG_RIP] += plain ? 2 : 3;
	return true;
}

static void set_action(int signo, const struct action *a)
{
	shim_call(SYS_rt_sigaction, signo, a, 0, 8);
}

static void on_segv(int signo, siginfo_t *info, void *at)
{
	const struct action *a = &of_program[2];
	if (emulate_rdtsc(at))
		return;
	if (a->handler == (void *)SIG_DFL || a->handler == (void *)SIG_IGN) {
		struct action none = {.handler = SIG_DFL};
		set_action(SIGSEGV, &none);
		return; /* it faults again */
	}
	((void (*)(int, siginfo_t *, void *))a->handler)(signo, info, at);
}

void signals_start(void)
{
	struct action trap = {(void *)call_trapped, SA_SIGINFO | SA_NODEFER | SA_RESTORER,
			      (void *)shim_restorer, 0};
	struct action control = {(void *)on_shim_signal, SA_SIGINFO | SA_RESTORER, (void *)shim_restorer,
				 ~0ull};
	struct action fault = {(void *)on_segv, SA_SIGINFO | SA_NODEFER | SA_ONSTACK | SA_RESTORER,
			       (void *)shim_restorer, 0};
	u64 ours = OURS;
	set_action(SIGSYS, &trap);
	set_action(SHIM_SIGNAL, &control);
	set_action(SIGSEGV, &fault);
	shim_call(SYS_rt_sigprocmask, SIG_UNBLOCK, &ours, 0, 8);
}

static struct action *kept(long signo)
{
	if (signo == SIGSYS)
		return &of_program[0];
	if (signo == SHIM_SIGNAL)
		return &of_program[1];
	return signo == SIGSEGV ? &of_program[2] : NULL;
}

long signals_action(struct call *c)
{
	const struct action *set = (const struct action *)c->arg[1];
	struct action *old = (struct action *)c->arg[2], *mine = kept(c->arg[0]), changed;
	if (mine) {
		struct action before = *mine;
		if (set)
			*mine = *set;
		if (old)
			*old = before;
		return 0;
	}
	if (!set)
		return shim_call(c->nr, c->arg[0], 0, old, c->arg[3]);
	changed = *set;
	changed.mask &= ~OURS;
	changed.flags |= SA_RESTORER;
	changed.restorer = (void *)shim_restorer;
	return shim_call(c->nr, c->arg[0], &changed, old, c->arg[3]);
}

long signals_mask(struct call *c)
{
	u64 now, set = 0;
	memcpy(&now, &c->at->uc_sigmask, sizeof(now));
	u64 before = now;
	if (c->arg[1]) {
		memcpy(&set, (void *)c->arg[1], sizeof(set));
		if (c->arg[0] == SIG_BLOCK)
			now |= set;
		else if (c->arg[0] == SIG_UNBLOCK)
			now &= ~set;
		else if (c->arg[0] == SIG_SETMASK)
			now = set;
		else
			return -EINVAL;
		now &= ~OURS;
		memcpy(&c->at->uc_sigmask, &now, sizeof(now));
	}
	if (c->arg[2])
		memcpy((void *)c->arg[2], &before, sizeof(before));
	return 0;
}

const void *signals_open(const void *mask, u64 *copy)
{
	if (!mask)
		return NULL;
	memcpy(copy, mask, sizeof(*copy));
	*copy &= ~OURS;
	return copy;
}
