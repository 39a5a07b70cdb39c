/*
 * relatives.c: processes that the peer forks. When it is brought back, parent and child are copies that the
 * keeper started: the kernel does not know the one for the parent of the other. So
 *
 *   - numbers: programs know their relatives by the first number that each had; calls that name one are
 *     given the present one (FAMILY, from the controller, whenever several were brought back);
 *   - ends: a copy that ends writes its status into the page that it shares with its parent, and raises
 *     SIGCHLD there; a parent that waits looks at the page, at children that the kernel knows, and sleeps
 *     on descriptors of all of them.
 * Children that were forked since are the kernel's business, as ever.
 *
 * Given up: a copy that is killed, or has called exec since it was forked, leaves no status: it counts as
 * killed, and raises no signal.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "shim/shim_priv.h"

#define RELATIVES 128u

static struct own_child {
	int first;    /* 0: free */
	bool adopted; /* the kernel does not know it for our child */
	bool ended;   /* and nobody has waited for it */
	int status;
} child[RELATIVES];

static struct relative {
	int first, now;
} family[SHIM_CONNS / 2];
static u32 members;
static u32 renumbered; /* so often */

/* The kernel's children that were taken away by whoever waited, or by SIG_IGN. */
static void look_at_kernel(struct own_child *e)
{
	siginfo_t info;
	memset(&info, 0, sizeof(info));
	long r = shim_call(SYS_waitid, P_PID, e->first, &info, WEXITED | WNOHANG | WNOWAIT, 0);
	if (r)
		e->first = 0;
	else if (info.si_pid) {
		e->ended = true;
		e->status = info.si_code == CLD_EXITED ? info.si_status << 8 : info.si_status;
	}
}

static struct own_child *free_place(void)
{
	for (u32 i = 0; i < RELATIVES; i++)
		if (!child[i].first)
			return &child[i];
	return NULL;
}

void relative_born(int pid)
{
	struct own_child *e = free_place();
	for (u32 i = 0; i < RELATIVES && !e; i++)
		if (!child[i].adopted)
			look_at_kernel(&child[i]);
	if (!e)
		e = free_place();
	if (e)
		*e = (struct own_child){.first = pid};
	else
		shim.stops = "it has more than 128 child processes that nobody has waited for";
}

void relatives_forget(void)
{
	memset(child, 0, sizeof(child));
}

/* Ends of adopted ones that are told in the page. */
static void read_page(void)
{
	for (u32 i = 0; i < SHIM_ENDED; i++) {
		struct shim_ended *s = &shim.page->ended[i];
		int first = __atomic_load_n(&s->first, __ATOMIC_ACQUIRE);
		for (u32 k = 0; first > 0 && k < RELATIVES; k++)
			if (child[k].first == first && child[k].adopted) {
				child[k].ended = true;
				child[k].status = s->status;
				__atomic_store_n(&s->first, 0, __ATOMIC_RELEASE);
				break;
			}
	}
}

void relatives_record(void)
{
	read_page();
	for (u32 i = 0; i < RELATIVES; i++)
		if (child[i].first && !child[i].adopted)
			look_at_kernel(&child[i]);
}

void relatives_renumber(const struct shim_message *m)
{
	members = HD_MIN(m->count, (u32)HD_ARRAY_LEN(family));
	for (u32 i = 0; i < members; i++)
		family[i] = (struct relative){(int)m->inode[2 * i], (int)m->inode[2 * i + 1]};
	for (u32 i = 0; i < RELATIVES; i++)
		child[i].adopted = child[i].first != 0;
	shim.adopted = true;
	renumbered++;
}

int relative_real(int pid)
{
	if (pid == SHIM_PID)
		pid = shim.root;
	for (u32 i = 0; i < members; i++)
		if (family[i].first == pid)
			return family[i].now;
	return pid;
}

void relative_ends(int status)
{
	if (!shim.adopted || !shim.parent)
		return;
	for (u32 i = 0; i < SHIM_ENDED; i++) {
		struct shim_ended *s = &shim.page->ended[i];
		int none = 0;
		if (!__atomic_compare_exchange_n(&s->first, &none, -1, false, __ATOMIC_ACQ_REL,
						 __ATOMIC_RELAXED))
			continue;
		s->status = status;
		__atomic_store_n(&s->first, shim.first_pid, __ATOMIC_RELEASE);
		break;
	}
	shim_call(SYS_kill, relative_real(shim.parent), SIGCHLD);
}

/* ---- waiting ---- */

struct wanted {
	int pid;  /* -1: any */
	bool dry; /* WNOWAIT: it stays */
	int options;
};

static bool fits(const struct wanted *w, const struct own_child *e)
{
	return e->first && (w->pid <= 0 || e->first == w->pid);
}

static struct own_child *find_ended(const struct wanted *w, u32 *adopted, u32 *known)
{
	struct own_child *found = NULL;
	*adopted = *known = 0;
	read_page();
	for (u32 i = 0; i < RELATIVES; i++) {
		struct own_child *e = &child[i];
		if (!fits(w, e))
			continue;
		*known += !e->adopted;
		*adopted += e->adopted;
		if (e->adopted && !e->ended && shim_call(SYS_kill, relative_real(e->first), 0) == -ESRCH) {
			read_page();
			e->status = e->ended ? e->status : SIGKILL;
			e->ended = true;
		}
		if (e->adopted && e->ended && !found)
			found = e;
	}
	return found;
}

/* Until one of them ends; -EINTR: by a signal of the program's. */
static long sleep_on_all(const struct wanted *w)
{
	struct pollfd p[RELATIVES];
	struct shim_thread *self = thread_self();
	u32 n = 0;
	for (u32 i = 0; i < RELATIVES; i++)
		if (fits(w, &child[i])) {
			long fd = shim_call(SYS_pidfd_open, relative_real(child[i].first), 0);
			if (fd >= 0)
				p[n++] = (struct pollfd){.fd = (int)fd, .events = POLLIN};
		}
	self->interrupted = 0;
	long r = n ? shim_call(SYS_ppoll, p, n, 0, 0, 8) : 0;
	for (u32 i = 0; i < n; i++)
		shim_call(SYS_close, p[i].fd);
	return r == -EINTR && !self->interrupted ? r : 0;
}

static void tell(const struct call *c, const struct own_child *e)
{
	bool exited = !(e->status & 0x7f);
	if (c->nr == SYS_wait4) {
		if (c->arg[1])
			*(int *)c->arg[1] = e->status;
		if (c->arg[3])
			memset((void *)c->arg[3], 0, sizeof(struct rusage));
		return;
	}
	siginfo_t *info = (siginfo_t *)c->arg[2];
	if (!info)
		return;
	memset(info, 0, sizeof(*info));
	info->si_signo = SIGCHLD;
	info->si_code = exited ? CLD_EXITED : CLD_KILLED;
	info->si_pid = e->first;
	info->si_status = exited ? e->status >> 8 : e->status & 0x7f;
}

/* The kernel's part of the question. */
static long ask_kernel(struct call *c, int more)
{
	struct call ask = *c;
	ask.arg[c->nr == SYS_wait4 ? 2 : 3] |= more;
	long r = call_again(&ask);
	const siginfo_t *info = (const siginfo_t *)c->arg[2];
	int ended = c->nr == SYS_wait4 ? (int)r : r == 0 && info ? info->si_pid : 0;
	for (u32 i = 0; i < RELATIVES && ended > 0; i++)
		if (child[i].first == ended && !child[i].adopted &&
		    !(c->nr == SYS_waitid && (c->arg[3] & WNOWAIT)))
			child[i].first = 0;
	return r;
}

static long wait_for(struct call *c)
{
	bool plain = c->nr == SYS_wait4;
	struct wanted w = {.options = (int)c->arg[plain ? 2 : 3]};
	w.pid = plain ? (int)c->arg[0] : c->arg[0] == P_PID ? (int)c->arg[1] : -1;
	w.dry = !plain && (w.options & WNOWAIT);
	if (!plain && c->arg[0] == P_PIDFD)
		return call_again(c);
	for (;;) {
		u32 adopted, known;
		struct own_child *e = find_ended(&w, &adopted, &known);
		if (e) {
			int first = e->first;
			tell(c, e);
			e->first = w.dry ? first : 0;
			return plain ? first : 0;
		}
		if (!adopted) {
			u32 before = renumbered;
			long r = ask_kernel(c, 0);
			if (r == -ECHILD && renumbered != before) /* it was brought back meanwhile */
				continue;
			return r;
		}
		long r = known ? ask_kernel(c, WNOHANG) : 0;
		if (r > 0 || (!plain && known && c->arg[2] && ((const siginfo_t *)c->arg[2])->si_pid))
			return r;
		if (w.options & WNOHANG)
			return 0;
		if (sleep_on_all(&w))
			return -EINTR;
	}
}

bool relative_call(struct call *c, long *result)
{
	switch (c->nr) {
	case SYS_wait4:
	case SYS_waitid:
		*result = wait_for(c);
		return true;
	case SYS_getppid:
		if (!shim.adopted || !shim.parent)
			return false;
		*result = shim.parent;
		return true;
	default:
		return false;
	}
}
