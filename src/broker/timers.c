/*
 * timers.c: what wakes a peer up although none of its threads waits with a time-out: timers of its processes,
 * and sockets with a time-out of their own (SO_RCVTIMEO). All threads of the peer rest when this is asked.
 *
 *     timerfd       /proc/PID/fdinfo tells when it expires.
 *     SO_RCVTIMEO   asked of the socket itself (pidfd_getfd); then it is as in grace.c.
 *     timer_create, alarm, setitimer
 *                   Of the first /proc/PID/timers tells that there is one, of the others nothing does but
 *                   that SIGALRM is caught. When they expire is not known.
 *
 * As in grace.c, who may speak soon is given the time, and who runs in a circle is not waited for again and
 * again. So a process whose timers are not known has GRACE_MS to act when it was first asked something: if it
 * does, it gets about that time from now on, if it does not, its timers are long ones. A timerfd that has
 * ticked a few times, and the peer said nothing, is housekeeping.
 */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/clock.h"
#include "broker/quiet_priv.h"

#define ROUNDS 3 /* so often a timer may expire before the answer comes */

static u64 runs_of(const struct quiet_peer *q, pid_t pid)
{
	u64 sum = 0;
	for (u32 i = 0; i < q->threads; i++)
		if (q->thread[i].pid == pid)
			sum += q->thread[i].runs;
	return sum;
}

static bool read_text(const char *path, char *out, size_t cap)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, out, cap - 1);
	if (fd >= 0)
		close(fd);
	out[HD_MAX(n, 0)] = 0;
	return n > 0;
}

/* ---- timerfd ---- */

/* In how many milliseconds this descriptor's timer expires; false: it is none, or not armed. */
static bool timerfd_left(pid_t pid, const char *fd, u64 *ms)
{
	char path[64], link[64], text[512];
	unsigned long long s, ns;
	snprintf(path, sizeof(path), "/proc/%d/fd/%.16s", pid, fd);
	ssize_t n = readlink(path, link, sizeof(link) - 1);
	link[HD_MAX(n, 0)] = 0;
	if (strcmp(link, "anon_inode:[timerfd]") != 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%.16s", pid, fd);
	const char *value = read_text(path, text, sizeof(text)) ? strstr(text, "it_value: (") : NULL;
	if (!value || sscanf(value, "it_value: (%llu, %llu)", &s, &ns) != 2 || (!s && !ns))
		return false;
	*ms = s * 1000 + ns / 1000000;
	return true;
}

/* The first of all of them to expire. */
static bool first_timerfd(pid_t pid, u64 *ms)
{
	char path[48];
	bool any = false;
	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	DIR *d = opendir(path);
	for (struct dirent *e; d && (e = readdir(d));) {
		u64 left;
		if (!isdigit((unsigned char)e->d_name[0]) || !timerfd_left(pid, e->d_name, &left))
			continue;
		*ms = any ? HD_MIN(*ms, left) : left;
		any = true;
	}
	if (d)
		closedir(d);
	return any;
}

static enum timers look_at_timerfds(const struct quiet_peer *q, struct quiet_process *p)
{
	struct ticks *t = &p->ticks;
	u64 ms, runs = runs_of(q, p->pid);
	if (!first_timerfd(p->pid, &ms)) {
		/* None is armed, but one was, and nobody has run since: it expires in this moment. */
		bool due = t->known && t->asked == q->asked && t->runs == runs && !t->housekeeping;
		return due ? TIMERS_SOON : TIMERS_NONE;
	}
	if (t->housekeeping || ms > GRACE_MS)
		return TIMERS_LATER;
	if (!t->known || t->asked != q->asked) {
		*t = (struct ticks){.known = true, .asked = q->asked, .runs = runs};
	} else if (t->runs != runs) {
		t->runs = runs;
		t->housekeeping = ++t->rounds == ROUNDS;
	}
	return t->housekeeping ? TIMERS_LATER : TIMERS_SOON;
}

/* ---- timers whose end is not known ---- */

static bool has_timer(pid_t pid)
{
	char path[48], text[4096];
	snprintf(path, sizeof(path), "/proc/%d/timers", pid);
	if (read_text(path, text, 64))
		return true;
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	const char *caught = read_text(path, text, sizeof(text)) ? strstr(text, "SigCgt:") : NULL;
	return caught && (strtoull(caught + 7, NULL, 16) >> (SIGALRM - 1) & 1);
}

static enum timers look_at_others(const struct quiet_peer *q, struct quiet_process *p)
{
	struct alarms *a = &p->alarms;
	u64 now = monotonic_ms(), runs = runs_of(q, p->pid);
	if (!a->known || a->asked != q->asked) {
		a->known = true;
		a->asked = q->asked;
		a->armed = has_timer(p->pid);
		a->rounds = 0;
		a->runs = runs;
		a->since_ms = now;
	}
	if (!a->armed || !q->questioned)
		return a->armed ? TIMERS_LATER : TIMERS_NONE;
	if (a->runs != runs && a->rounds < ROUNDS) {
		a->rounds++;
		a->runs = runs;
		a->since_ms = now;
	}
	u64 limit = a->takes_ms ? 2 * a->takes_ms + GRACE_MS / 10 : q->long_alarms ? 0 : GRACE_MS;
	return now - a->since_ms < limit ? TIMERS_SOON : TIMERS_LATER;
}

/* Something of the peer has arrived: was it somebody who waited for a timer, and has run since? */
void timers_spoke(struct quiet_peer *q)
{
	for (u32 i = 0; i < q->processes; i++) {
		struct alarms *a = &q->process[i].alarms;
		u64 runs = 0;
		if (!a->known || !a->armed || a->asked != q->asked || !q->questioned)
			continue;
		for (u32 k = 0; k < q->threads; k++)
			if (q->thread[k].pid == q->process[i].pid)
				runs += thread_runs(&q->thread[k]);
		if (runs != a->runs)
			a->takes_ms = HD_MIN(HD_MAX(a->takes_ms, monotonic_ms() - a->since_ms),
					     (u64)GRACE_MS);
	}
}

/* Nobody has ever acted by one: those that are started again from the same command are not waited for. */
static void learn_alarms(struct quiet_peer *q, enum timers found)
{
	if (found != TIMERS_LATER || !q->questioned)
		return;
	for (u32 i = 0; i < q->processes; i++)
		if (q->process[i].alarms.armed && q->process[i].alarms.takes_ms)
			return;
	q->long_alarms = true;
}

bool quiet_long_alarms(const struct quiet_peer *q)
{
	return q->long_alarms;
}

void quiet_set_long_alarms(struct quiet_peer *q)
{
	q->long_alarms = true;
}

/* ---- sockets ---- */

/* Milliseconds; 0: it waits for ever, or cannot be asked. */
static u64 socket_timeout(pid_t pid, int fd)
{
	struct timeval t = {0};
	socklen_t len = sizeof(t);
	long process = syscall(SYS_pidfd_open, pid, 0);
	long copy = process < 0 ? -1 : syscall(SYS_pidfd_getfd, process, fd, 0);
	if (copy >= 0) {
		if (getsockopt((int)copy, SOL_SOCKET, SO_RCVTIMEO, &t, &len))
			t = (struct timeval){0};
		close((int)copy);
	}
	if (process >= 0)
		close((int)process);
	return (u64)t.tv_sec * 1000 + (u64)(t.tv_usec + 999) / 1000;
}

static bool receives(const struct wait *w)
{
	switch (w->call) {
	case SYS_read:
	case SYS_readv:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_recvmmsg:
	case SYS_accept:
	case SYS_accept4:
		return w->kind == WAIT_INPUT;
	default:
		return false;
	}
}

static enum timers look_at_socket(const struct quiet_peer *q, struct quiet_thread *t)
{
	u64 limit = receives(&t->wait) ? socket_timeout(t->pid, wait_descriptor(&t->wait)) : 0;
	if (!limit)
		return TIMERS_NONE;
	return grace_has_passed(q, t, limit) ? TIMERS_LATER : TIMERS_SOON;
}

enum timers timers_look(struct quiet_peer *q)
{
	enum timers all = TIMERS_NONE, alarms = TIMERS_NONE;
	for (u32 i = 0; i < q->threads; i++) {
		enum timers one = look_at_socket(q, &q->thread[i]);
		all = HD_MAX(all, one);
	}
	for (u32 i = 0; i < q->processes; i++) {
		enum timers one = look_at_timerfds(q, &q->process[i]);
		enum timers other = look_at_others(q, &q->process[i]);
		all = HD_MAX(all, one);
		alarms = HD_MAX(alarms, other);
	}
	learn_alarms(q, alarms);
	return HD_MAX(all, alarms);
}
