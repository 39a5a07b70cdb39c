/*
 * dispatch.c: each system call of the peer comes here, in the handler of SIGSYS, and mostly goes on as it is.
 */
#include <errno.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/times.h>

#include "shim/shim_priv.h"

void call_trapped(int signo, siginfo_t *info, void *at);

/* It cannot be saved any more, and why. */
static long stop(struct call *c, const char *why)
{
	shim.stops = why;
	return call_again(c);
}

/* Filters would stop the shim's own calls; the trace of instructions is its own. */
static long control_process(struct call *c)
{
	switch (c->arg[0]) {
	case PR_SET_SECCOMP:
	case PR_SET_TSC:
	case PR_SET_DUMPABLE:
	case PR_SET_PDEATHSIG:
		return 0;
	case PR_SET_SYSCALL_USER_DISPATCH:
		return -EINVAL;
	default:
		return call_again(c);
	}
}

static long run_program(struct call *c)
{
	u32 which = c->nr == SYS_execve ? 2 : 3;
	char **environment = (char **)c->arg[which];
	u64 n = 0;
	while (environment && environment[n])
		n++;
	char *changed[n + 1];
	if (n) {
		memcpy(changed, environment, (n + 1) * sizeof(*changed));
		start_chance_pass_on(changed);
		c->arg[which] = (long)changed;
	}
	shim_call(SYS_prctl, PR_SET_TSC, PR_TSC_ENABLE, 0, 0, 0);
	long r = call_again(c);
	shim_call(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
	return r;
}

HD_NORETURN static void end_thread(const struct call *c)
{
	struct shim_thread *t = thread_self();
	__atomic_store_n(&t->fs, 0, __ATOMIC_RELEASE);
	for (;;)
		shim_call(SYS_exit, c->arg[0]);
}

static long map_memory(struct call *c)
{
	bool shared = (c->arg[3] & MAP_TYPE) == MAP_SHARED || (c->arg[3] & MAP_TYPE) == MAP_SHARED_VALIDATE;
	if (shared && (c->arg[2] & PROT_WRITE) && !(c->arg[3] & MAP_ANONYMOUS))
		shim.stops = "it has a file in memory for writing (mmap, MAP_SHARED)";
	return call_again(c);
}

static long set_stack(struct call *c)
{
	long r = call_again(c);
	if (!r && c->arg[0])
		memcpy(&c->at->uc_stack, (void *)c->arg[0], sizeof(c->at->uc_stack));
	return r;
}

static long used_time(struct call *c)
{
	long r = call_again(c);
	shim_note(ACT_CLOCK);
	if (c->nr == SYS_getrusage) {
		struct rusage *u = (struct rusage *)c->arg[1];
		memset(&u->ru_utime, 0, sizeof(u->ru_utime));
		memset(&u->ru_stime, 0, sizeof(u->ru_stime));
		return r;
	}
	if (c->arg[0])
		memset((void *)c->arg[0], 0, sizeof(struct tms));
	return (long)(clock_shown(1) / 10000000);
}

static long return_from_signal(struct call *c)
{
	__asm__ volatile(
		"mov %0, %%rsp\n\tmov $15, %%eax\n\tsyscall" ::"r"(c->at->uc_mcontext.gregs[REG_RSP]));
	__builtin_unreachable();
}

static long lock_file(struct call *c)
{
	long r = call_again(c);
	if (!r)
		locks_flock((int)c->arg[0], c->arg[1]);
	return r;
}

static long process_call(struct call *c)
{
	switch (c->nr) {
	case SYS_rt_sigaction:
		return signals_action(c);
	case SYS_rt_sigprocmask:
		return signals_mask(c);
	case SYS_rt_sigreturn:
		return return_from_signal(c);
	case SYS_sigaltstack:
		return set_stack(c);
	case SYS_clone:
	case SYS_clone3:
	case SYS_fork:
	case SYS_vfork:
		return thread_clone(c);
	case SYS_execve:
	case SYS_execveat:
		return run_program(c);
	case SYS_exit:
		end_thread(c);
	case SYS_exit_group:
		relative_ends((int)(c->arg[0] & 0xff) << 8);
		shim_exit((int)c->arg[0]);
	case SYS_set_tid_address:
		thread_self()->clears = (u64 *)c->arg[0];
		shim_call(c->nr, c->arg[0]);
		return thread_self()->shown;
	case SYS_prctl:
		return control_process(c);
	case SYS_seccomp:
		return c->arg[0] == SECCOMP_SET_MODE_FILTER || c->arg[0] == SECCOMP_SET_MODE_STRICT
			       ? 0
			       : call_again(c);
	case SYS_getrandom:
		return start_chance_getrandom(c);
	case SYS_sysinfo:
		shim_note(ACT_PROC);
		return call_again(c);
	case SYS_mmap:
		return map_memory(c);
	case SYS_madvise: /* a copy is to have all that the process has */
		return c->arg[2] == MADV_DONTFORK || c->arg[2] == MADV_WIPEONFORK ? 0 : call_again(c);
	case SYS_getrusage:
	case SYS_times:
		return used_time(c);
	case SYS_alarm:
	case SYS_setitimer:
		shim_note(ACT_TIMER);
		return call_again(c);
	case SYS_inotify_init:
	case SYS_inotify_init1:
		return stop(c, "it watches files (inotify)");
	case SYS_io_uring_setup:
		return -ENOSYS;
	case SYS_userfaultfd:
		return stop(c, "it uses userfaultfd");
	case SYS_shmat:
		return stop(c, "it uses System V shared memory");
	case SYS_flock:
		return lock_file(c);
	default:
		return call_again(c);
	}
}

void call_trapped(int signo, siginfo_t *info, void *at)
{
	ucontext_t *u = at;
	greg_t *r = u->uc_mcontext.gregs;
	struct call c = {
		info->si_syscall, {r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]}, u};
	long result;
	(void)signo;
	struct shim_thread *self = thread_self();
	if (shim.last_thread && shim.last_thread != self->fs)
		shim_note(ACT_THREADS);
	shim.last_thread = self->fs;
	files_call(&c);
	if (!clock_call(&c, &result) && !wait_call(&c, &result) && !pid_call(&c, &result) &&
	    !relative_call(&c, &result) && !descriptor_call(&c, &result) && !posix_timer_call(&c, &result) &&
	    !limit_call(&c, &result))
		result = process_call(&c);
	if (!shim.started)
		start_chance_look(&c, result);
	r[REG_RAX] = result;
}
