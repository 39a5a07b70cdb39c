/*
 * descriptors.c: what must be known of descriptors before they are saved: what was put into epoll objects,
 * which are random devices, which sides were shut down; and the shim's own three are nobody's business.
 *
 * An epoll object drops an entry when the last descriptor of the file is closed. A frozen copy may hold
 * one, so here the entry is dropped by hand when the program closes its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>

#include "shim/shim_priv.h"

struct epoll_entry shim_epoll[SHIM_EPOLL];
u8 shim_shut[SHIM_FDS];

enum { KIND_RANDOM = 1, KIND_FREE_PORT = 2, KIND_TIMER = 4 };
static u8 kinds[SHIM_FDS];

static void lock(void)
{
	int free_one = 0;
	while (!atomic_compare_exchange_weak(&shim.lock, &free_one, 1))
		free_one = 0;
}

static void unlock(void)
{
	atomic_store(&shim.lock, 0);
}

static bool in_table(long fd)
{
	return fd >= 0 && fd < SHIM_FDS;
}

bool shim_owns(long fd)
{
	return fd >= 0 && (fd == shim.control || fd == shim.null || fd == shim.proc);
}

bool descriptors_random(int fd)
{
	return in_table(fd) && (kinds[fd] & KIND_RANDOM);
}

bool descriptors_timer(int fd)
{
	return in_table(fd) && (kinds[fd] & KIND_TIMER);
}

void descriptors_start(void)
{
	memset(shim_epoll, 0, sizeof(shim_epoll));
}

static struct epoll_entry *entry_of(int epoll, int fd, bool make)
{
	struct epoll_entry *free_one = NULL;
	for (u32 i = 0; i < SHIM_EPOLL; i++) {
		struct epoll_entry *e = &shim_epoll[i];
		if (e->used && e->epoll == epoll && e->fd == fd)
			return e;
		if (!e->used && !free_one)
			free_one = e;
	}
	if (!make)
		return NULL;
	if (free_one)
		*free_one = (struct epoll_entry){.used = true, .epoll = epoll, .fd = fd};
	else
		shim.stops = "it waits for more than 1024 descriptors with epoll";
	return free_one;
}

static void forget(int fd)
{
	if (in_table(fd))
		kinds[fd] = shim_shut[fd] = 0;
	name_forget(fd);
	locks_closed(fd);
	lock();
	for (u32 i = 0; i < SHIM_EPOLL; i++) {
		struct epoll_entry *e = &shim_epoll[i];
		if (!e->used || (e->fd != fd && e->epoll != fd))
			continue;
		e->used = false;
		if (e->fd == fd)
			shim_call(SYS_epoll_ctl, e->epoll, EPOLL_CTL_DEL, fd, 0);
	}
	unlock();
}

static long control_epoll(struct call *c)
{
	struct epoll_event *event = (struct epoll_event *)c->arg[3];
	long r = sys_call6(c->nr, c->arg[0], c->arg[1], c->arg[2], c->arg[3], 0, 0);
	if (r)
		return r;
	lock();
	struct epoll_entry *e = entry_of((int)c->arg[0], (int)c->arg[2], c->arg[1] != EPOLL_CTL_DEL);
	if (e && c->arg[1] == EPOLL_CTL_DEL)
		e->used = false;
	else if (e) {
		e->events = event->events;
		e->data = event->data.u64;
		e->off = false;
	}
	unlock();
	return 0;
}

/* One-shot entries that have fired are off until they are set again. */
void descriptors_events(int epoll, const void *events, long n)
{
	const struct epoll_event *event = events;
	for (long k = 0; k < n; k++)
		for (u32 i = 0; i < SHIM_EPOLL; i++) {
			struct epoll_entry *e = &shim_epoll[i];
			if (e->used && e->epoll == epoll && (e->events & EPOLLONESHOT) &&
			    e->data == event[k].data.u64)
				e->off = true;
		}
}

static void copied(long from, long to)
{
	if (!in_table(to))
		return;
	kinds[to] = in_table(from) ? kinds[from] : 0;
	shim_shut[to] = in_table(from) ? shim_shut[from] : 0;
	name_copied((int)from, (int)to);
}

static long close_many(struct call *c)
{
	u32 first = (u32)c->arg[0], last = (u32)c->arg[1];
	const int own[] = {shim.control, shim.null, shim.proc};
	if (!(c->arg[2] & CLOSE_RANGE_CLOEXEC))
		for (u32 fd = first; fd <= last && fd < SHIM_FDS; fd++)
			if (!shim_owns((long)fd) && shim_call(SYS_fcntl, fd, F_GETFD) >= 0)
				forget((int)fd);
	long r = first > last ? -EINVAL : 0;
	while (first <= last && !r) { /* between ours */
		u32 end = last;
		for (u32 i = 0; i < HD_ARRAY_LEN(own); i++)
			if (own[i] >= 0 && (u32)own[i] >= first && (u32)own[i] <= end)
				end = (u32)own[i] - 1;
		if (end + 1 > first)
			r = shim_call(c->nr, first, end, c->arg[2]);
		if (end == last)
			break;
		first = end + 2;
	}
	return r;
}

static bool is_random(const char *path)
{
	return path && (!strcmp(path, "/dev/urandom") || !strcmp(path, "/dev/random"));
}

/* Counters of the system: no two readings are the same. What a process knows of itself is its own. */
static bool is_of_system(const char *path)
{
	return path && text_starts(path, "/proc/") && !text_starts(path, "/proc/self/") &&
	       !text_starts(path, "/proc/sys/");
}

static long open_file(struct call *c)
{
	const char *path = (const char *)(c->nr == SYS_open ? c->arg[0] : c->arg[1]);
	long fd = call_again(c);
	if (fd >= 0 && is_of_system(path))
		shim_note(ACT_PROC);
	if (in_table(fd))
		kinds[fd] = is_random(path) ? KIND_RANDOM : 0;
	return fd;
}

static bool is_inet(const struct sockaddr *a)
{
	return a && (a->sa_family == AF_INET || a->sa_family == AF_INET6);
}

/* A socket whose port the kernel chooses. */
static long give_port(struct call *c)
{
	const struct sockaddr *a = (const struct sockaddr *)c->arg[1];
	long r = call_again(c);
	bool chosen = is_inet(a) &&
		      (c->nr == SYS_connect || !((const struct sockaddr_in *)(const void *)a)->sin_port);
	if ((!r || r == -EINPROGRESS) && in_table(c->arg[0]) && chosen)
		kinds[c->arg[0]] |= KIND_FREE_PORT;
	return r;
}

static long get_name(struct call *c)
{
	if (c->nr == SYS_getsockname && in_table(c->arg[0]) && (kinds[c->arg[0]] & KIND_FREE_PORT))
		shim_note(ACT_PORT);
	if (name_tell((int)c->arg[0], c->nr == SYS_getpeername, (void *)c->arg[1], (u32 *)c->arg[2]))
		return 0;
	return sys_call6(c->nr, c->arg[0], c->arg[1], c->arg[2], 0, 0, 0);
}

static long accept_one(struct call *c)
{
	long fd = call_again(c);
	if (fd < 0)
		return fd;
	if (in_table(fd))
		kinds[fd] = shim_shut[fd] = 0;
	name_accepted((int)fd);
	if (c->arg[1] && c->arg[2])
		name_tell((int)fd, true, (void *)c->arg[1], (u32 *)c->arg[2]);
	return fd;
}

/* A moment of the peer's clock is another one of the kernel's. */
static long set_timer(struct call *c)
{
	struct itimerspec t = *(const struct itimerspec *)c->arg[2];
	u64 then = (u64)t.it_value.tv_sec * 1000000000ull + (u64)t.it_value.tv_nsec;
	if ((c->arg[1] & TFD_TIMER_ABSTIME) && then) {
		u64 shown = clock_shown(CLOCK_MONOTONIC), real = clock_shown(CLOCK_REALTIME);
		u64 now = then > real / 2 ? real : shown;
		u64 left = then > now ? then - now : 1;
		t.it_value = (struct timespec){(time_t)(left / 1000000000ull), (long)(left % 1000000000ull)};
	}
	if (in_table(c->arg[0]))
		kinds[c->arg[0]] |= KIND_TIMER;
	return shim_call(c->nr, c->arg[0], c->arg[1] & ~TFD_TIMER_ABSTIME, &t, c->arg[3]);
}

/* A timer that was read has run out: time has passed by as much as it took. */
static long read_some(struct call *c)
{
	long r = call_again(c);
	if (r <= 0 || !in_table(c->arg[0]) || !kinds[c->arg[0]])
		return r;
	if (kinds[c->arg[0]] & KIND_RANDOM)
		start_chance_read(c, r);
	if (kinds[c->arg[0]] & KIND_TIMER) {
		struct itimerspec t = {0};
		shim_note(ACT_TIMER);
		shim_call(SYS_timerfd_gettime, c->arg[0], &t);
		u64 every = (u64)t.it_interval.tv_sec * 1000000000ull + (u64)t.it_interval.tv_nsec;
		clock_advance(every ? every : 1000000);
	}
	return r;
}

static long control_file(struct call *c)
{
	long r = call_again(c);
	if (c->arg[1] == F_DUPFD || c->arg[1] == F_DUPFD_CLOEXEC)
		copied(c->arg[0], r);
	else if (!r && (c->arg[1] == F_SETLK || c->arg[1] == F_SETLKW))
		locks_taken();
	else if (!r && (c->arg[1] == F_OFD_SETLK || c->arg[1] == F_OFD_SETLKW))
		shim.stops = "it uses locks of open files (F_OFD_SETLK)";
	return r;
}

bool descriptor_call(struct call *c, long *result)
{
	switch (c->nr) {
	case SYS_close:
		if (shim_owns(c->arg[0])) {
			*result = -EBADF;
			return true;
		}
		forget((int)c->arg[0]);
		*result = shim_call(SYS_close, c->arg[0]);
		return true;
	case SYS_close_range:
		*result = close_many(c);
		return true;
	case SYS_dup2:
	case SYS_dup3:
		if (shim_owns(c->arg[1])) {
			*result = -EBADF;
			return true;
		}
		if (c->arg[0] != c->arg[1])
			forget((int)c->arg[1]);
		*result = sys_call6(c->nr, c->arg[0], c->arg[1], c->arg[2], 0, 0, 0);
		copied(c->arg[0], *result);
		return true;
	case SYS_dup:
		*result = shim_call(c->nr, c->arg[0]);
		copied(c->arg[0], *result);
		return true;
	case SYS_fcntl:
		*result = control_file(c);
		return true;
	case SYS_epoll_ctl:
		*result = control_epoll(c);
		return true;
	case SYS_open:
	case SYS_openat:
		*result = open_file(c);
		return true;
	case SYS_read:
	case SYS_readv:
		*result = read_some(c);
		return true;
	case SYS_accept:
	case SYS_accept4:
		*result = accept_one(c);
		return true;
	case SYS_bind:
	case SYS_connect:
		*result = give_port(c);
		return true;
	case SYS_getsockname:
	case SYS_getpeername:
		*result = get_name(c);
		return true;
	case SYS_timerfd_settime:
		*result = set_timer(c);
		return true;
	case SYS_shutdown:
		*result = call_again(c);
		if (!*result && in_table(c->arg[0]))
			shim_shut[c->arg[0]] |= c->arg[1] == SHUT_RD ? 1 : c->arg[1] == SHUT_WR ? 2 : 3;
		return true;
	default:
		return false;
	}
}
