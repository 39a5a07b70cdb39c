/*
 * terminal.h: nobody can move. Is that an end, a deadlock, or a wait for a peer that will never answer?
 */
#ifndef HEDDLE_RUNTIME_TERMINAL_H
#define HEDDLE_RUNTIME_TERMINAL_H

#include "search/target.h"
#include "wire/violation.h"

/*
 * Judge the current state, in which no fiber is enabled and the process has not ended. VIOLATION_NONE: a
 * normal end. Else *slot is the fiber to show and buf the message; *own_len: how much of it speaks of the
 * SUT alone (the rest are peers, whose process numbers change from run to run).
 */
enum violation_kind terminal_judge(u32 *slot, char *buf, size_t cap, size_t *own_len);
/* Was there an end in which threads wait for clients, and no client was ever given? Worth a note. */
bool terminal_saw_no_client(void);
/* … or in which threads wait that may be idle workers, or stuck, while a client is still connected? */
bool terminal_undecided(void);

/* … or with a client that keeps its connection open, and all it said was answered? */
bool terminal_saw_idle_client(void);
/* … or with a thread that waits for one which waits for clients: main joins the acceptor? */
bool terminal_saw_waiter(void);
/*
 * The current state belongs to a loop of sleeps that nothing leads out of. Is that a server that idles: all
 * threads sleep, or wait for clients or for those who do? Remembered for terminal_saw_sleepers(). Or a
 * program of which no end is known, and all threads sleep or wait for the end of those who do? Remembered for
 * terminal_saw_asleep().
 */
bool terminal_idles(void);
/* The same for a loop in which locks are taken, too: is it no way to idle or to work, but a wait in vain? */
bool terminal_in_vain(const struct target_loop *loop);
/* An execution has ended. If others were taken for idle before, the search begins again, and knows better. */
void terminal_ended(void);
/* The search begins again. */
void terminal_restarted(void);
/* Is it such a server, if there were such a loop? */
bool terminal_would_idle(void);
/* … or with threads that wait for a signal from outside, with nothing else to do? */
bool terminal_saw_paused(void);
bool terminal_saw_sleepers(void);
bool terminal_saw_asleep(void);

#endif
