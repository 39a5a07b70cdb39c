/*
 * action.h: what the search chooses between, and what paths are made of.
 */
#ifndef HEDDLE_WIRE_ACTION_H
#define HEDDLE_WIRE_ACTION_H

/* An action: fiber slot and outcome. */
#define ACTION(fiber, alt) ((u32)(fiber) << 16 | (u32)(alt))
#define ACTION_FIBER(a) ((a) >> 16)
#define ACTION_ALT(a) ((a)&0xffffu)
/* Outcomes 0, 1, 2 … are the operation's own; these are common to all. */
#define ALT_TIMEOUT 0xffffu
#define ALT_SPURIOUS 0xfffeu
#define ALT_CANCEL 0xfffdu
#define ALT_FD_CHANGED \
	0xfffcu /* the descriptor means something else by now, and the call looked it up after that */
#define ALT_FD_KEPT 0xfffbu /* the same, but the call looked it up before, and goes on waiting */
#define ALT_SIGNAL \
	0xfffau /* signals are taken first: handlers run, then the same operation is pending again */
#define ALT_EINTR 0xfff9u /* signals are taken while it waits, and that ends the wait */
#define ALT_RESTART \
	0xfff8u /* no action, a result of sched_step(): the same, and the call is to begin again */
/*
 * ALT_TIMER + n: no act of the fiber, which stays where it is: timer n of the process expires. ALT_WATCHDOG +
 * n: the same, because nothing else can happen.
 */
#define ALT_TIMER 0xff00u
#define ALT_TIMERS 64
#define ALT_WATCHDOG (ALT_TIMER + ALT_TIMERS)
#define ALT_IS_WATCHDOG(alt) ((alt)-ALT_WATCHDOG < ALT_TIMERS)
#define ALT_IS_TIMER(alt) ((alt)-ALT_TIMER < 2 * ALT_TIMERS)
#define ALT_TIMER_NUMBER(alt) (((alt)-ALT_TIMER) % ALT_TIMERS)
/*
 * ALT_FAULT + n: likewise: of the faults of the network that could concern its pending operation
 * (op_class.faults), number n happens.
 */
#define ALT_FAULT 0xf000u
#define ALT_FAULTS 256
#define ALT_IS_FAULT(alt) ((alt)-ALT_FAULT < ALT_FAULTS)
/*
 * ALT_PEER + n: likewise: a time-out of client peer n + 1 ends, and it speaks by itself; the last: one of the
 * server peers, if they are joint.
 */
#define ALT_PEER 0xf100u
#define ALT_PEER_SERVERS 256
#define ALT_PEERS 257
#define ALT_IS_PEER(alt) ((alt)-ALT_PEER < ALT_PEERS)

#endif
