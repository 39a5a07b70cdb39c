/*
 * vk_ops.h: what the scheduler and the trap need to know about the virtual kernel:
 * its kinds of visible operations, and signals.
 */
#ifndef HEDDLE_RUNTIME_VK_OPS_H
#define HEDDLE_RUNTIME_VK_OPS_H

#include "runtime/sched/sched.h"

/* A fiber starts: it inherits its creator's signal mask. */
void vk_fiber_start(u32 slot, u32 creator);

enum vk_disposition { VK_SIG_DEFAULT, VK_SIG_IGNORE, VK_SIG_HANDLER };
/* What the SUT wants for a signal (default: also where the default is to do nothing). */
enum vk_disposition vk_signal_disposition(int sig);
/*
 * A signal for the calling fiber, now: runs its handler, remembers it when blocked, or ends the
 * transition with a violation. `pc`: for the message.
 */
void vk_signal_raise(int sig, u64 pc);
/* At the end of a system call: run the handlers of what was sent to the running fiber. */
void vk_signals_due(u64 pc);

/* struct sched_kernel */
bool vk_signals_take(void);
void vk_signals_access(u32 slot, bool taken);
bool vk_signals_open(u32 slot);
/* A thread with the mask of this one comes or goes, who perhaps could take a signal: declares that. */
void vk_signals_taker(u32 slot);
u64 vk_timer_expires(u32 n);
void vk_timer_access(u32 n);
void vk_timers_access(void);
/*
 * Client peer n + 1 (or ALT_PEER_SERVERS: a joint server) waits with a time-out, and would speak by itself:
 * sock_joint.c. Asks it.
 */
bool vk_peer_waits(u32 n);
/* Its time-out ends; what that touches; in words. */
void vk_peer_acts(u32 n);
void vk_peer_access(u32 n);
/* sched_kernel.time_passes */
bool vk_time_passes(u64 until, bool sleeps);
void vk_describe_peer(u32 n, struct text *t);
void vk_fault_happens(const struct op *o, u32 n);
void vk_fault_access(const struct op *o, u32 n);

/* The signal that this fiber would take now, 0: none; does its handler want calls to be restarted? */
int vk_signal_ready(u32 slot, bool *restarts);
/* "takes SIGUSR1", "is interrupted by SIGUSR1" */
void vk_describe_signal(u32 slot, bool ends_wait, struct text *t);
/* Timers that could expire, if nothing_else can happen or not: how many, which, and
   when. Room for ALT_TIMERS. */
u32 vk_timers_ready(bool nothing_else, u32 *number, u64 *deadline);
void vk_describe_timer(u32 n, struct text *t);
/* How many faults of the network could happen to this operation (--net-faults), and one of them in words. */
u32 vk_faults(const struct op *o);
void vk_describe_fault(const struct op *o, u32 n, struct text *t);

/*
 * A fault in the SUT's code, in signal context: true when its own handler took it (and returned); false: it
 * has none.
 */
bool vk_signal_fault(int sig, void *info, void *context);
/* Would its handler run on an alternate stack, so that an overflow of the thread's own can be handled? */
bool vk_signal_has_stack(int sig);

/* Does the descriptor of a late lookup (struct op, watch) mean something else by now? See vk.c. */
bool vk_watch_changed(u64 watch);
/* "finds descriptor 4 closed" */
void vk_describe_fd_changed(u64 watch, struct text *t);
void vk_describe_fd_kept(u64 watch, struct text *t);

/*
 * PROT_* of an address in the SUT's own mappings, or of memory whose rights it has changed; -1: neither.
 * Above them VK_PROT_BEYOND: the mapped file does not reach so far.
 */
int vk_mem_prot(u64 address);
#define VK_PROT_BEYOND 0x100

#endif
