/*
 * signals.h: signals, inside the virtual kernel.
 *
 * Who can send one: the SUT itself, to the calling thread, to another thread, to the process, and its timers.
 * From outside nothing comes: that would be an input the model does not have.
 *
 * A signal waits in the queue of a thread or of the process. One that a thread sends to itself, or unblocks,
 * is taken before the call returns. Every other comes at any moment after that: as long as one is ready for a
 * fiber, taking it is an outcome of whatever the fiber is about to do (ALT_SIGNAL: the handler runs as steps
 * of the fiber, which then stands before the same operation again), and of a wait that it ends (ALT_EINTR).
 * Both are there while a fiber waits: the handler may have run just before the call began. What belongs to
 * the process may be taken by any thread that does not block it. No system call returns before the
 * handlers of signals to its thread have run that were there when it returned (vk_signals_due).
 *
 * As soon as signals come from elsewhere at all (learnt.signals_used), changes of masks and actions are
 * steps, and nothing is merged into longer steps of a fiber in which a handler could run (sched/access.c): a
 * handler can come in between. And it can come when a call is over, before the program goes on, or before the
 * program looks at errno (OP_RETURN).
 */
#ifndef HEDDLE_RUNTIME_VK_SIGNALS_H
#define HEDDLE_RUNTIME_VK_SIGNALS_H

#include <asm/siginfo.h>
#include <asm/signal.h>

#include "runtime/vkernel/core/vk_priv.h"

#define SIGNAL_BIT(sig) ((u64)1 << ((sig)-1))
#define SIGNALS_UNMASKABLE (SIGNAL_BIT(SIGKILL) | SIGNAL_BIT(SIGSTOP))
#define TO_PROCESS LAYOUT_MAX_FIBERS /* in place of a slot */

/* "SIGUSR1" */
void signal_describe(int sig, struct text *t);
/* Would it have no effect, if it were delivered now? */
bool signal_does_nothing(int sig);
/* The next one that is ready for this fiber (its own come first, then the lowest), 0:
   none. *own: from its own queue. */
int signal_next(u32 slot, bool *own);
/* Does one of that number wait there, and is one all that can wait? */
bool signal_waits(u32 slot, int sig);
/* Put it into the queue of the fiber in `slot`, or TO_PROCESS; false: the queue is full. Declares nothing. */
bool signal_queue(u32 slot, const struct vk_siginfo *i);
/* Take the first one with this number out of the queue. */
struct vk_siginfo signal_dequeue(u32 slot, int sig);
/* It is ignored from now on: forget it wherever it waits. */
void signal_discard(int sig);
/* What the handler or sigwaitinfo is told. */
void signal_info_out(const struct vk_siginfo *i, siginfo_t *to);
/* Run what is ready for the running fiber; returns whether the first handler has SA_RESTART. */
bool signal_deliver(u64 pc);
/* Of these signals, those that the program ever sends to this fiber, or TO_PROCESS, as far as is known. */
u64 signals_sent(u32 slot, u64 set);
/* The running step changes the queue of the process, as to this signal; as to all of the set that are
   sent. */
void signal_declare_queue(int sig);
void signals_declare_queue(u64 set);
/* Signals come from elsewhere: from now on such things are steps. */
void signal_learn(void);
/*
 * The fiber in `slot` waits for one of these signals. From outside, if the program never sends one itself
 * that would end the wait: so do daemons, when they are done (WAIT_WORLD). Else it was lost.
 */
struct op_wait signal_awaited(u32 slot, u64 set);
/* Under that lesson: the call is a step before it looks at or changes masks, actions or queues. */
void signal_order(struct vk_call *c, u64 object, enum access_mode mode);
/* Send it to a thread or TO_PROCESS, inside a step; 0 or -EAGAIN. */
long signal_send(const struct vk_call *c, u32 slot, const struct vk_siginfo *i);

/* A signal for this thread alone: refused where signalfds could not tell whose it is (streams/signalfd.c). */
void signalfd_checks(const struct vk_call *c, u32 slot, int sig);
/* One was queued: whichever it is, an edge for who watches a signalfd that has something to read. */
void signalfd_wake(void);

#endif
