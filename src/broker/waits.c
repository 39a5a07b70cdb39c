/*
 * waits.c: which system calls are waits for input. The list is short on purpose: a call that is not in it
 * counts as work (fsync, connect, flock, …), so that a peer is rather asked again than misjudged.
 */
#include "broker/waits.h"

#include <linux/futex.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

/* What decides between waiting for ever, with a time-out and just sleeping. */
enum rule {
	ALWAYS,     /* waits for input */
	DESCRIPTOR, /* depends on what arg[0] is */
	SLEEPS,
	POLL_MS,    /* arg[1] descriptors, milliseconds in (int)arg[2] */
	POLL_SPEC,  /* arg[1] descriptors, struct timespec * in arg[2] */
	SELECT,     /* arg[0] descriptors, pointer in arg[4] */
	EPOLL_MS,   /* milliseconds in (int)arg[3] */
	EPOLL_SPEC, /* pointer in arg[3] */
	SPEC_2,     /* pointer in arg[2] */
	SPEC_3,
	SPEC_4, /* pointer in arg[4] */
	FUTEX,
	CLONE,
	MAY_BE_TIMED, /* cannot be told from outside */
	NAMED,        /* work; it is here for its name */
};

static const struct {
	long call;
	const char *name;
	enum rule rule;
} calls[] = {
	{SYS_read, "read", DESCRIPTOR},
	{SYS_readv, "readv", DESCRIPTOR},
	{SYS_write, "write", DESCRIPTOR},
	{SYS_writev, "writev", DESCRIPTOR},
	{SYS_splice, "splice", DESCRIPTOR},
	{SYS_recvfrom, "recvfrom", ALWAYS},
	{SYS_recvmsg, "recvmsg", ALWAYS},
	{SYS_recvmmsg, "recvmmsg", SPEC_4},
	{SYS_sendto, "sendto", ALWAYS},
	{SYS_sendmsg, "sendmsg", ALWAYS},
	{SYS_sendmmsg, "sendmmsg", ALWAYS},
	{SYS_sendfile, "sendfile", DESCRIPTOR},
	{SYS_accept, "accept", ALWAYS},
	{SYS_accept4, "accept4", ALWAYS},
	{SYS_wait4, "wait4", ALWAYS},
	{SYS_waitid, "waitid", ALWAYS},
	{SYS_pause, "pause", ALWAYS},
	{SYS_rt_sigsuspend, "sigsuspend", ALWAYS},
	{SYS_rt_sigtimedwait, "sigtimedwait", SPEC_2},
	{SYS_poll, "poll", POLL_MS},
	{SYS_ppoll, "ppoll", POLL_SPEC},
	{SYS_select, "select", SELECT},
	{SYS_pselect6, "pselect", SELECT},
	{SYS_epoll_wait, "epoll_wait", EPOLL_MS},
	{SYS_epoll_pwait, "epoll_pwait", EPOLL_MS},
	{SYS_epoll_pwait2, "epoll_pwait2", EPOLL_SPEC},
	{SYS_futex, "futex", FUTEX},
	{SYS_futex_waitv, "futex_waitv", SPEC_3},
	{SYS_msgrcv, "msgrcv", ALWAYS},
	{SYS_semop, "semop", ALWAYS},
	{SYS_semtimedop, "semtimedop", SPEC_3},
	{SYS_mq_timedreceive, "mq_receive", SPEC_4},
	{SYS_io_uring_enter, "io_uring_enter", MAY_BE_TIMED},
	{SYS_vfork, "vfork", ALWAYS},
	{SYS_clone, "clone", CLONE},
	{SYS_clone3, "clone3", ALWAYS},
	{SYS_nanosleep, "nanosleep", SLEEPS},
	{SYS_clock_nanosleep, "clock_nanosleep", SLEEPS},
	{SYS_restart_syscall, "restart_syscall", SLEEPS},
	{SYS_connect, "connect", NAMED},
	{SYS_fsync, "fsync", NAMED},
	{SYS_fdatasync, "fdatasync", NAMED},
	{SYS_flock, "flock", NAMED},
	{SYS_fcntl, "fcntl", NAMED},
	{SYS_execve, "execve", NAMED},
	{SYS_exit_group, "exit_group", NAMED},
};

static const enum wait_kind timed[] = {WAIT_INPUT, WAIT_TIMED};

/* A poll of no descriptors is a way to sleep. */
static enum wait_kind polls(bool any, bool limited)
{
	if (!any && limited)
		return WAIT_SLEEP;
	return timed[limited];
}

static enum wait_kind futex_kind(const struct wait *w)
{
	switch (w->arg[1] & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
	case FUTEX_WAIT_REQUEUE_PI:
		return timed[w->arg[3] != 0];
	default:
		return WAIT_RUNS;
	}
}

static enum wait_kind apply(enum rule rule, const struct wait *w)
{
	switch (rule) {
	case ALWAYS:
		return WAIT_INPUT;
	case DESCRIPTOR:
		return WAIT_FILE;
	case SLEEPS:
		return WAIT_SLEEP;
	case POLL_MS:
		return polls(w->arg[1] != 0, (int)w->arg[2] >= 0);
	case POLL_SPEC:
		return polls(w->arg[1] != 0, w->arg[2] != 0);
	case SELECT:
		return polls(w->arg[0] != 0, w->arg[4] != 0);
	case EPOLL_MS:
		return timed[(int)w->arg[3] >= 0];
	case SPEC_2:
		return timed[w->arg[2] != 0];
	case EPOLL_SPEC:
	case SPEC_3:
		return timed[w->arg[3] != 0];
	case SPEC_4:
		return timed[w->arg[4] != 0];
	case FUTEX:
		return futex_kind(w);
	case CLONE:
		return w->arg[0] & CLONE_VFORK ? WAIT_INPUT : WAIT_RUNS;
	case MAY_BE_TIMED:
		return WAIT_TIMED;
	case NAMED:
		break;
	}
	return WAIT_RUNS;
}

static enum wait_kind kind_of(const struct wait *w)
{
	for (size_t i = 0; i < HD_ARRAY_LEN(calls); i++)
		if (calls[i].call == w->call)
			return apply(calls[i].rule, w);
	return WAIT_RUNS;
}

/*
 * "running", "-1 SP PC" (in no call), or "NR A0 … A5 SP PC"; SP and PC are 0 when the thread has no stack any
 * more.
 */
void wait_parse(const char *line, struct wait *w)
{
	unsigned long long v[8] = {0};
	long call = -1;
	*w = (struct wait){.kind = WAIT_RUNS, .call = -1};
	int got = sscanf(line, "%ld %llx %llx %llx %llx %llx %llx %llx %llx", &call, &v[0], &v[1], &v[2],
			 &v[3], &v[4], &v[5], &v[6], &v[7]);
	if (got == 3 && call == -1 && !v[0] && !v[1])
		w->kind = WAIT_DEAD;
	if (got != 9)
		return;
	w->call = call;
	for (int i = 0; i < 6; i++)
		w->arg[i] = v[i];
	w->sp = v[6];
	w->pc = v[7];
	w->kind = kind_of(w);
}

void wait_name(long call, char *out, size_t cap)
{
	for (size_t i = 0; i < HD_ARRAY_LEN(calls); i++)
		if (calls[i].call == call) {
			snprintf(out, cap, "%s", calls[i].name);
			return;
		}
	if (call < 0)
		snprintf(out, cap, "running");
	else
		snprintf(out, cap, "system call %ld", call);
}

int wait_descriptor(const struct wait *w)
{
	switch (w->call) {
	case SYS_read:
	case SYS_readv:
	case SYS_write:
	case SYS_writev:
	case SYS_splice:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_recvmmsg:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_sendmmsg:
	case SYS_sendfile:
	case SYS_accept:
	case SYS_accept4:
		return (int)w->arg[0];
	default:
		return -1;
	}
}

u64 wait_runs(const char *line)
{
	unsigned long long ran, waited, runs;
	return sscanf(line, "%llu %llu %llu", &ran, &waited, &runs) == 3 ? runs : ~0ull;
}

/* The name may hold anything, spaces and parentheses included: the last ')' ends it. */
char wait_state(const char *line)
{
	const char *end = strrchr(line, ')');
	return end && end[1] == ' ' ? end[2] : 0;
}
