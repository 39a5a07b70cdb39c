/*
 * signal_fault.c: a fault of the SUT's own making, for which it has a handler (SIGSEGV and its kin).
 *
 * Unlike raised signals it comes in signal context: the handler is called there, on the signal stack, with
 * the kernel's own siginfo and context, so that it may jump away, or change the context and return. It must
 * not wait for anything there: sched_step() refuses that.
 */
#include <asm/signal.h>

#include "runtime/vkernel/core/vk_priv.h"

bool vk_signal_has_stack(int sig)
{
	return (vk->action[sig].flags & SA_ONSTACK) && vk_self()->alt_sp;
}

bool vk_signal_fault(int sig, void *info, void *context)
{
	u64 bit = (u64)1 << (sig - 1);
	struct vk_fiber *f = vk_self();
	if (vk_signal_disposition(sig) != VK_SIG_HANDLER || (f->mask & bit))
		return false;
	struct vk_sigaction act = vk->action[sig];
	u64 mask = f->mask;
	f->mask |= act.mask | (act.flags & SA_NODEFER ? 0 : bit);
	if (act.flags & SA_RESETHAND) {
		vk_declare(vk_action_object(sig), ACCESS_WRITE);
		vk_declare(VK_HANDLERS, ACCESS_WRITE);
		vk->action[sig].handler = 0;
	}
	((void (*)(int, void *, void *))act.handler)(sig, info, context);
	f->mask = mask;
	return true;
}
