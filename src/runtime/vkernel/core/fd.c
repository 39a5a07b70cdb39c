/*
 * fd.c: descriptors: which number stands for what; dup, close. desc.c has the open file descriptions.
 *
 * Descriptor numbers are shared state: which number open() gives depends on who closed
 * what before, and a read on a number that another fiber closes fails or hits another
 * file. Three objects stand for that (objects.h): the table as a whole, changed by everyone who
 * takes or frees a number; each single entry, read by every call and changed by close and
 * dup2; and the flags of a description. While only one fiber does so, nothing here is a step.
 *
 * Taking numbers. Who takes a free number changes its entry, too. But most programs hand a new number to
 * another thread, which uses it then, and not for that should every such use be a step. What can go wrong is
 * that a call comes before the number is taken, and finds it free. So two lessons stand for it:
 *
 *   taken   Every call on a number reads it; who takes the number in the middle of a step changes it.
 *           If different fibers do so, taking it is a step of its own, and calls that come too early will be
 *           seen. Calls that find the number open are no steps for that reason: they can't tell when.
 *   free    Calls that find a number free read it, who takes or closes the number changes it. If different
 *           fibers do so, a call that is about to find it free is a step, and so is a close: else a number
 *           that is open for a moment only would never be found open.
 */
#include "runtime/sched/op_classes.h"
#include "runtime/vkernel/core/call.h"
#include "runtime/vkernel/files/file_locks.h"
#include "runtime/vkernel/sockets/sock.h"
#include "runtime/vkernel/streams/epoll.h"
#include "wire/wire.h"

HD_LEAF struct vk_desc *vk_fd_peek(int fd)
{
	if (fd < 0 || fd >= VK_ALL_FDS || !vk->fd[fd].desc)
		return NULL;
	return &vk->desc[vk->fd[fd].desc - 1];
}

static u32 close_outcomes(const struct fiber *f, const struct op *o)
{
	(void)f;
	return vk_watchers_outcomes((int)o->arg);
}

static void close_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	(void)f;
	text_str(t, alt == OP_DESCRIBE_PENDING ? "is about to close " : "closes ");
	vk_describe_fd((int)o->arg, t);
	if (alt && alt < OP_DESCRIBE_PENDING)
		text_str(t, ", which another thread's call has found open");
}

/* op: object = description (0: none), arg = number. What its release changes, vk_desc_put() declares. */
static void close_accesses(const struct fiber *f, const struct op *o, u32 alt)
{
	(void)f;
	(void)alt;
	access_declare(VK_FD_TABLE, 1, ACCESS_ADD); /* two closes commute */
	vk_op_looked_up(o);
	vk_fd_declare((int)o->arg, ACCESS_WRITE);
	const struct vk_desc *d = vk_fd_peek((int)o->arg);
	if (d && vk_kinds[d->kind]->close_accesses)
		vk_kinds[d->kind]->close_accesses(d);
	vk_watchers_declare((int)o->arg);
}

/* Of a socket that does not wait: as its other steps (sockets/sock_op.c). */
static bool close_merges(const struct op *o)
{
	const struct vk_desc *d = vk_fd_peek((int)o->arg);
	return d && d->kind == VK_SOCKET && (d->flags & O_NONBLOCK);
}

const struct op_class op_close = {.name = "close",
				  .outcomes = close_outcomes,
				  .describe = close_describe,
				  .accesses = close_accesses,
				  .merges = close_merges};

bool vk_is_console(int fd)
{
	const struct vk_desc *d = vk_fd_peek(fd);
	return d && d->kind == VK_CONSOLE;
}

/* ---- looking up ---- */

/*
 * Whose number. Threads that open and close files of their own get the same numbers at different times;
 * that each closes a 3 and uses a 3 does not mean that one closes what the other uses. So what is learnt
 * about a number is learnt for it and for the fiber that opened it: who closes or replaces what a fiber
 * opened under this number meets who uses that. A call that comes too early or too late meets others in
 * "free" (above), and then, having become a step, what somebody else opened there. All numbers whose calls
 * are steps anyway share one object: with late lookups it costs next to nothing to call them shared, and a
 * server that hands its connections to threads would teach the search the same lesson once for each, and be
 * started again each time.
 */
static u64 number_lesson(int fd)
{
	const struct vk_desc *d = vk_fd_peek(fd);
	if (!d)
		return vk_fd_object(fd);
	return vk_kinds[d->kind]->waits ? VK_STREAM_NUMBERS : vk_fd_opened_object(fd, vk->fd[fd].opener);
}

void vk_fd_declare(int fd, enum access_mode mode)
{
	vk_declare(vk_fd_object(fd), vk_fd_peek(fd) || mode == ACCESS_MAKE ? mode : ACCESS_TRY);
}

static bool touch_number(struct vk_call *c, int fd, enum access_mode mode)
{
	bool shows = vk_touch_lesson(c, number_lesson(fd), mode);
	vk_fd_declare(fd, shows ? ACCESS_READ : mode); /* as vk_touch() */
	return shows;
}

/* Bits: what others could change of it. */
enum shows { SHOWS_NOT, SHOWS_NUMBER, SHOWS_FLAGS };

/* What others could change of what a call on fd finds there. */
static HD_NOINLINE enum shows use_shows(struct vk_call *c, int fd)
{
	const struct vk_desc *d = vk_fd_peek(fd);
	if (fd < 0 || fd >= VK_ALL_FDS)
		return SHOWS_NOT;
	bool number = touch_number(c, fd, ACCESS_READ);
	vk_touch_lesson(NULL, vk_fd_taken_object(fd), ACCESS_READ);
	if (!d) {
		number |= vk_touch_lesson(c, vk_fd_free_object(fd), ACCESS_READ);
		vk_touch(NULL, VK_HIDDEN_NUMBERS, ACCESS_READ);
	}
	bool flags = d && vk_touch(c, vk_desc_lesson(d, VK_DESC_FLAGS), ACCESS_READ);
	if (d)
		vk_declare(vk_desc_object(vk_desc_slot(d), VK_DESC_FLAGS), ACCESS_READ);
	return (number ? SHOWS_NUMBER : SHOWS_NOT) | (flags ? SHOWS_FLAGS : SHOWS_NOT);
}

/* What others could change of what it found. */
static enum shows look_up(struct vk_call *c, int fd)
{
	enum shows shows = use_shows(c, fd);
	if (shows == SHOWS_NOT)
		return shows;
	vk_order(c, vk_fd_object(fd), ACCESS_READ);
	use_shows(c, fd);
	return shows;
}

void vk_fd_touch(struct vk_call *c, int fd)
{
	look_up(c, fd);
}

/*
 * Where others close or replace the number, finding the description and working on it are two moments: what
 * the call does next with something that others use is a step again. And it keeps the description from the
 * first moment to its end, even if it does nothing with it but fail. Where that can be seen, since the end of
 * such a description is (vk_desc_end_shows), the lookup is a late one, although nothing else is in its step:
 * whoever closes the number meanwhile decides whether the call has found it (watchers.c).
 */
/* May the call look fd up by a step that watches it? */
static HD_NOINLINE bool watches(const struct vk_call *c, int fd)
{
	const struct vk_desc *d = vk_fd_peek(fd);
	return d && vk_desc_end_shows(d) && !vk_call_has(c, d);
}

/* A step that finds what is behind fd. */
static void find_by_step(struct vk_call *c, int fd)
{
	struct op o = {.kind = OP_FILE, .object = vk_fd_object(fd), .n = ACCESS_READ};
	while (watches(c, fd)) {
		vk_call_watch(c, fd, vk_call_found(c, vk_fd_peek(fd)));
		if (vk_step(c, &o) != VK_RESTART)
			return;
		vk_call_unfind(c);
		if (!vk_fd_peek(fd))
			return; /* that was the moment */
	}
	vk_step(c, &o);
}

/* As look_up(); true: the call keeps what it has found by now. */
static bool look_up_first(struct vk_call *c, int fd)
{
	u8 before = c->found_count;
	enum shows shows = use_shows(c, fd);
	if (shows == SHOWS_NOT)
		return false;
	if (shows & SHOWS_NUMBER)
		find_by_step(c, fd);
	else
		vk_order(c, vk_fd_object(fd), ACCESS_READ);
	use_shows(c, fd);
	if ((shows & SHOWS_NUMBER) && (c->found_count > before || vk_fd_peek(fd)))
		c->stepped = false;
	return c->found_count > before;
}

/* Two descriptors are looked up one after the other: others may change the second in between. */
static bool look_up_another(struct vk_call *c, int fd)
{
	bool stepped = c->stepped;
	c->stepped = false;
	bool keeps = look_up_first(c, fd);
	c->stepped |= stepped;
	return keeps;
}

struct vk_desc *vk_fd_use(struct vk_call *c, int fd)
{
	if (c->found_count ? look_up_another(c, fd) : look_up_first(c, fd))
		return c->found[c->found_count - 1];
	if (!vk_fd_peek(fd))
		vk_fd_check_use(c, fd);
	return vk_call_found(c, vk_fd_peek(fd));
}

struct vk_desc *vk_fd_use_at_once(struct vk_call *c, int fd)
{
	vk_fd_touch(c, fd);
	if (!vk_fd_peek(fd))
		vk_fd_check_use(c, fd);
	return vk_call_found(c, vk_fd_peek(fd));
}

static HD_NOINLINE bool look_up_late(struct vk_call *c, int fd)
{
	struct vk_desc *d = vk_fd_peek(fd);
	if (!d || c->stepped || c->early || use_shows(c, fd) != SHOWS_NUMBER)
		return false;
	vk_call_watch(c, fd, d);
	return true;
}

struct vk_desc *vk_fd_use_late(struct vk_call *c, int fd)
{
	return look_up_late(c, fd) ? vk_call_found(c, vk_fd_peek(fd)) : vk_fd_use(c, fd);
}

/* ---- in words ---- */

void vk_describe_fd(int fd, struct text *t)
{
	text_str(t, "descriptor ");
	text_dec(t, fd);
}

void vk_describe_desc(const struct vk_desc *d, struct text *t)
{
	u32 count = 0;
	for (int fd = 0; fd < (int)vk->fd_limit; fd++) {
		if (vk_fd_peek(fd) != d)
			continue;
		if (count++)
			text_str(t, " = ");
		vk_describe_fd(fd, t);
	}
	if (!count)
		text_str(t, "a descriptor closed meanwhile");
}

/* ---- numbers ---- */

/*
 * Hidden numbers. getaddrinfo, getpwnam and the like open and close files that the program never hears of.
 * Which numbers they have meanwhile makes others' numbers differ, and each open and close a step: two
 * threads that ask for "localhost" would have thousands of states. So in such functions
 * (interpose/libc_state.c) a fiber takes numbers of its own, above all others.
 *
 * Given up by that: that another thread's open gets a higher number while such a function is at work. Not
 * given up: a thread that uses or closes a number which is not open could hit one of those files; and one
 * that has closed a standard descriptor and opens it anew could find it taken. Where that happens, numbers
 * are not hidden from then on (a lesson).
 *
 * With --fd-numbers thread, all that a fiber other than the first opens has such a number.
 */
static bool is_hidden(u32 fd)
{
	return fd >= VK_MAX_FDS;
}

static HD_NOINLINE bool hides(void)
{
	return vk_self()->hides && (sched_all_joined() || !access_learn(VK_HIDDEN_NUMBERS, ACCESS_ADD));
}

static u32 first_open(u32 from)
{
	u32 fd = from;
	while (fd < vk->fd_limit && !vk->fd[fd].desc)
		fd++;
	return fd;
}

static u32 lowest_free(u32 from)
{
	u32 fd = from, limit = is_hidden(from) ? VK_ALL_FDS : vk->fd_limit;
	while (fd < limit && vk->fd[fd].desc)
		fd++;
	return fd;
}

/* Where to look for a free number: among the hidden ones of the fiber, if that is due and there is one. */
static u32 first_number(u32 from)
{
	bool own = rt_wire->config.fds_by_thread && sched_self_slot();
	if (!own && !hides())
		return from;
	u32 hidden = VK_MAX_FDS + sched_self_slot() * VK_HIDDEN_FDS;
	return lowest_free(hidden) < hidden + VK_HIDDEN_FDS ? hidden : from;
}

void vk_hide_descriptors(bool on)
{
	vk_self()->hides += on ? 1 : (u64)-1;
}

static void set_number(u32 fd, const struct vk_desc *d, bool cloexec)
{
	if (!is_hidden(fd))
		vk_declare(VK_FD_TABLE, ACCESS_WRITE);
	vk_fd_declare((int)fd, ACCESS_MAKE);
	vk->fd[fd] = (struct vk_fd){
		.desc = (u16)(vk_desc_slot(d) + 1), .cloexec = cloexec, .opener = sched_self_slot() & 0x7fff};
	if (!is_hidden(fd))
		vk->fd_limit = HD_MAX(vk->fd_limit, fd + 1);
}

static void clear_number(u32 fd)
{
	if (!is_hidden(fd))
		vk_declare(VK_FD_TABLE, ACCESS_ADD);
	vk_declare(vk_fd_object((int)fd), ACCESS_WRITE);
	vk->fd[fd] = (struct vk_fd){0};
	while (vk->fd_limit && !vk->fd[vk->fd_limit - 1].desc)
		vk->fd_limit--;
}

bool vk_fd_full(void)
{
	u32 from = first_number(0);
	return !is_hidden(from) && lowest_free(from) >= vk_fd_max();
}

static long install_from(struct vk_desc *d, u32 from, bool cloexec)
{
	from = first_number(from);
	u32 fd = lowest_free(from);
	if (!is_hidden(from) && fd >= vk_fd_max()) {
		vk_desc_put(d);
		return -EMFILE;
	}
	set_number(fd, d, cloexec);
	return fd;
}

long vk_fd_install(struct vk_desc *d, bool cloexec)
{
	return install_from(d, 0, cloexec);
}

/* The last close of a pipe end is seen by the other end, and it gives up locks. */
static bool close_shows(struct vk_call *c, int fd)
{
	struct vk_desc *d = vk_fd_peek(fd);
	if (d && d->refs == 1 && vk_file_locks_held(d) && vk_touch(c, VK_FILE_LOCKS, ACCESS_WRITE))
		return true;
	return d && d->refs == 1 && vk_kinds[d->kind]->waits &&
	       (d->kind != VK_SOCKET || sock_close_shows(c, d));
}

static HD_NOINLINE bool change_shows(struct vk_call *c, int fd)
{
	bool seen = !is_hidden((u32)fd) && vk_touch_lesson(c, VK_FD_TABLE, ACCESS_WRITE);
	seen |= vk_touch(c, VK_LIMITS, ACCESS_READ);
	seen |= touch_number(c, fd, ACCESS_WRITE);
	seen |= vk_touch_lesson(c, vk_fd_free_object(fd), ACCESS_WRITE);
	if (!vk_fd_peek(fd))
		vk_touch(NULL, VK_HIDDEN_NUMBERS, ACCESS_READ);
	return seen | close_shows(c, fd);
}

void vk_fd_change(struct vk_call *c, int fd)
{
	if (!change_shows(c, fd))
		return;
	struct op o = {.kind = OP_CLOSE, .object = (u64)vk_fd_peek(fd), .arg = (u64)fd};
	/* What calls of others are about to use is never closed in passing: it is a moment of its own. */
	long alt = c->stepped && vk_watchers_outcomes(fd) == 1 ? -1 : vk_step(c, &o);
	change_shows(c, fd);
	if (alt >= 0)
		vk_watchers_settle(fd, (u32)alt);
}

static HD_NOINLINE bool take_shows(struct vk_call *c, u32 from, u32 count)
{
	bool seen = vk_touch(c, VK_FD_TABLE, ACCESS_WRITE);
	seen |= vk_touch(c, VK_LIMITS, ACCESS_READ);
	for (u32 fd = lowest_free(from); count-- && fd < vk_fd_max(); fd = lowest_free(fd + 1)) {
		vk_touch_lesson(NULL, vk_fd_free_object((int)fd), ACCESS_WRITE);
		if (fd <= 2)
			vk_touch(NULL, VK_HIDDEN_NUMBERS, ACCESS_READ);
		if (!c->stepped)
			seen |= vk_touch_lesson(c, vk_fd_taken_object((int)fd), ACCESS_WRITE);
	}
	return seen;
}

void vk_fd_take(struct vk_call *c, u32 from, u32 count)
{
	if (is_hidden(first_number(from)) || !take_shows(c, from, count))
		return;
	struct op o = {.kind = OP_FILE, .object = VK_FD_TABLE, .n = ACCESS_WRITE};
	vk_step_once(c, &o);
	take_shows(c, from, count);
}

long vk_fd_drop(int fd)
{
	struct vk_desc *d = vk_fd_peek(fd);
	if (!d)
		return -EBADF;
	clear_number((u32)fd);
	vk_desc_put(d);
	return 0;
}

long vk_sys_close(struct vk_call *c)
{
	int fd = (int)c->a[0];
	if (fd < 0 || fd >= VK_ALL_FDS)
		return -EBADF;
	vk_fd_change(c, fd);
	if (!vk_fd_peek(fd))
		vk_fd_check_close(c, fd);
	vk_fd_closed_by_self(fd);
	return vk_fd_drop(fd);
}

/*
 * As Linux, one after the other, and others may come in between: the lowest number that is open from where it
 * has got to.
 */
static void close_all(struct vk_call *c, u32 first, u32 last)
{
	for (;;) {
		c->stepped = false;
		vk_use(c, VK_FD_TABLE, ACCESS_WRITE); /* which of them are open shows */
		u32 fd = first_open(first);
		if (fd > last || fd >= vk->fd_limit)
			return;
		vk_fd_change(c, (int)fd);
		if (first_open(first) != fd)
			continue; /* meanwhile it is another */
		vk_fd_closed_by_self((int)fd);
		vk_fd_drop((int)fd);
		first = fd + 1;
	}
}

long vk_sys_close_range(struct vk_call *c)
{
	u32 first = (u32)c->a[0], last = (u32)c->a[1];
	u32 flags = (u32)c->a[2];
	const u32 unshare = 2, cloexec = 4;
	if (first > last || (flags & ~(unshare | cloexec)))
		return -EINVAL;
	if (!(flags & cloexec)) {
		close_all(c, first, last);
		return 0;
	}
	vk_use(c, VK_FD_TABLE, ACCESS_WRITE);
	for (u32 fd = first; fd <= last && fd < vk->fd_limit; fd++)
		if (vk->fd[fd].desc)
			vk_fd_set_cloexec(c, (int)fd, true);
	return 0;
}

long vk_fd_dup_from(struct vk_call *c, struct vk_desc *d, u32 from, bool cloexec)
{
	struct op o = {.kind = OP_FILE, .object = VK_FD_TABLE, .n = ACCESS_WRITE};
	if (!d)
		return -EBADF;
	if (c->watch && is_hidden(first_number(from)))
		o = (struct op){.kind = OP_FILE, .object = vk_fd_object((int)c->a[0]), .n = ACCESS_READ};
	if (c->watch && vk_step(c, &o) == VK_RESTART)
		return VK_RESTART;
	vk_fd_take(c, from, 1);
	if (from >= vk_fd_max())
		return -EINVAL;
	vk_desc_ref(d);
	return install_from(d, from, cloexec);
}

/* As Linux: the lookup and the change are one moment. */
static long dup_onto(struct vk_call *c, int from, int to, bool cloexec)
{
	if (to < 0 || to >= VK_MAX_FDS)
		return -EBADF;
	if ((u32)to >= vk_fd_max())
		vk_use(c, VK_LIMITS, ACCESS_READ);
	vk_fd_touch(c, from);
	if (!vk_fd_peek(from) || (u32)to >= vk_fd_max())
		return -EBADF;
	vk_fd_change(c, to);
	struct vk_desc *d = vk_fd_peek(from);
	if (!d || (u32)to >= vk_fd_max())
		return -EBADF;
	vk_desc_ref(d);
	vk_fd_drop(to);
	set_number((u32)to, d, cloexec);
	vk_fd_replaced(to);
	return to;
}

long vk_sys_dup(struct vk_call *c)
{
	return vk_fd_dup_from(c, vk_fd_use_late(c, (int)c->a[0]), 0, false);
}

long vk_sys_dup2(struct vk_call *c)
{
	int from = (int)c->a[0], to = (int)c->a[1];
	if (from == to)
		return vk_fd_use(c, from) ? to : -EBADF;
	return dup_onto(c, from, to, false);
}

long vk_sys_dup3(struct vk_call *c)
{
	int from = (int)c->a[0], to = (int)c->a[1], flags = (int)c->a[2];
	if ((flags & ~O_CLOEXEC) || from == to)
		return -EINVAL;
	return dup_onto(c, from, to, flags & O_CLOEXEC);
}

long vk_fd_set_cloexec(struct vk_call *c, int fd, bool cloexec)
{
	if (touch_number(c, fd, ACCESS_WRITE)) {
		vk_order(c, vk_fd_object(fd), ACCESS_WRITE);
		touch_number(c, fd, ACCESS_WRITE);
	}
	if (!vk_fd_peek(fd))
		return -EBADF;
	vk->fd[fd].cloexec = cloexec;
	return 0;
}
