/*
 * loading.c: two things differ from start to start while ld.so works:
 *
 *   the time stamp counter   ld.so measures itself with rdtsc and keeps the times in its data
 *   the processor            ld.so keeps what cpuid says, the number of the processor it ran on included
 *
 * So rdtsc is forbidden (it raises SIGSEGV, and the parent gives the answer, a counter), and the child runs
 * on one processor, until an int3 stops it at its entry point. rdtsc stays forbidden: from there on the
 * runtime answers it (runtime/trap/emulate.c).
 *
 * Code of the program runs here, too: resolvers of indirect functions, .preinit_array. A limit on CPU time
 * ends what never comes to the entry point, and so does the end of --max-time.
 */
#include "launch/loading.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>

#define INT3 0xccu
#define LONGEST_S 10

struct loading {
	pid_t pid;
	u64 entry;
	long entry_word; /* what stood there */
	u64 ticks;       /* the counter the program sees */
	int *status;
	u64 deadline_ms; /* on the monotonic clock; 0: none */
};

bool loading_prepare(void)
{
	struct rlimit cpu_time;
	cpu_set_t all, one;
	int cpu = 0;

	if (getrlimit(RLIMIT_CPU, &cpu_time))
		return false;
	cpu_time.rlim_cur = HD_MIN((rlim_t)LONGEST_S, cpu_time.rlim_max);
	if (setrlimit(RLIMIT_CPU, &cpu_time))
		return false;

	if (sched_getaffinity(0, sizeof(all), &all))
		return false;
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	return sched_setaffinity(0, sizeof(one), &one) == 0 && prctl(PR_SET_TSC, PR_TSC_SIGSEGV) == 0;
}

static bool put_word(const struct loading *l, long word)
{
	return ptrace(PTRACE_POKETEXT, l->pid, l->entry, word) == 0;
}

static bool emulate_rdtsc(struct loading *l)
{
	struct user_regs_struct regs;
	unsigned long word;
	bool rdtsc, rdtscp;

	if (ptrace(PTRACE_GETREGS, l->pid, NULL, &regs))
		return false;
	errno = 0;
	word = (unsigned long)ptrace(PTRACE_PEEKTEXT, l->pid, regs.rip, NULL);
	if (errno)
		return false;
	rdtsc = (word & 0xffff) == 0x310f;
	rdtscp = (word & 0xffffff) == 0xf9010f;
	if (!rdtsc && !rdtscp)
		return false;
	l->ticks += 1000;
	regs.rax = (u32)l->ticks;
	regs.rdx = l->ticks >> 32;
	if (rdtscp)
		regs.rcx = 0;
	regs.rip += rdtsc ? 2 : 3;
	return ptrace(PTRACE_SETREGS, l->pid, NULL, &regs) == 0;
}

static u64 now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * 1000 + (u64)now.tv_nsec / 1000000;
}

/* Until the child changes its state, or for a moment. */
static void wait_a_moment(void)
{
	const struct timespec moment = {.tv_nsec = 20000000};
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigtimedwait(&child, NULL, &moment);
}

/* The signal it stopped at; 0: the time is over; -1: it ended. SIGCHLD is blocked. */
static int wait_stop(struct loading *l)
{
	for (;;) {
		pid_t got = waitpid(l->pid, l->status, l->deadline_ms ? WNOHANG : 0);

		if (got == l->pid)
			return WIFSTOPPED(*l->status) ? WSTOPSIG(*l->status) : -1;
		if (got < 0 && errno != EINTR)
			return -1;
		if (got == 0 && now_ms() >= l->deadline_ms)
			return 0;
		if (got == 0)
			wait_a_moment();
	}
}

/*
 * Until the int3 at the entry point; -1: it ended, or takes too long (`p` says so). Signals that are not ours
 * are the program's.
 */
static int run_to_entry(struct loading *l, struct problem *p)
{
	int signo = 0;

	for (;;) {
		if (ptrace(PTRACE_CONT, l->pid, NULL, signo))
			hd_assert(errno == ESRCH); /* killed meanwhile: the wait tells */
		signo = wait_stop(l);
		if (signo < 0)
			return -1;
		if (signo == 0 || signo == SIGXCPU)
			return problem_set(p, "the program does not come to its entry point in time");
		if (signo == SIGTRAP) {
			struct user_regs_struct regs;

			if (ptrace(PTRACE_GETREGS, l->pid, NULL, &regs) == 0 && regs.rip == l->entry + 1)
				return 0;
		}
		if (signo == SIGSEGV && emulate_rdtsc(l))
			signo = 0;
	}
}

/* As if there had never been an int3. rdtsc stays forbidden: the runtime answers it (trap/emulate.h). */
static int restore_entry(const struct loading *l)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, l->pid, NULL, &regs))
		return -1;
	regs.rip = l->entry;
	return put_word(l, l->entry_word) && ptrace(PTRACE_SETREGS, l->pid, NULL, &regs) == 0 ? 0 : -1;
}

static int allow_processor_time(pid_t pid)
{
	struct rlimit cpu_time;
	cpu_set_t all;

	if (getrlimit(RLIMIT_CPU, &cpu_time) || prlimit(pid, RLIMIT_CPU, &cpu_time, NULL))
		return -1;
	return sched_getaffinity(0, sizeof(all), &all) || sched_setaffinity(pid, sizeof(all), &all);
}

static int to_entry(struct loading *l, struct problem *p)
{
	sigset_t child, old;
	int ret;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &old);
	ret = run_to_entry(l, p);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return ret;
}

int loading_run(pid_t pid, u64 entry, u64 max_time_ms, int *status, struct problem *p)
{
	struct loading l = {.pid = pid, .entry = entry, .status = status};

	p->text[0] = 0;
	if (max_time_ms)
		l.deadline_ms = now_ms() + max_time_ms;
	errno = 0;
	l.entry_word = ptrace(PTRACE_PEEKTEXT, pid, entry, NULL);
	if (errno || !put_word(&l, (l.entry_word & ~0xffL) | INT3))
		return problem_set(p, "the program's entry point cannot be reached (%s)", strerror(errno));
	if (to_entry(&l, p))
		return -1;
	if (restore_entry(&l) || allow_processor_time(pid))
		return problem_set(p, "the program cannot be let go at its entry point (%s)",
				   strerror(errno));
	return 0;
}
