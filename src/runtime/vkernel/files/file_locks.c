/*
 * file_locks.c: locks on files between open file descriptions of the SUT: flock(2), and the F_OFD_ commands
 * of fcntl(2). (Record locks of the older kind belong to the process, and never keep its own threads out.)
 *
 * They lie in one table, in ascending order of (file, kind, owner, start), so that it does not tell who came
 * first. All calls on locks meet at one object, VK_FILE_LOCKS.
 *
 * A call that has to wait has done its first part by then: a lock that flock converts is given up. So it
 * tries first, in a step where others could tell, and waits in another one.
 */
#include "runtime/vkernel/files/file_locks.h"

#include "runtime/sched/op_classes.h"
#include "runtime/vkernel/files/touch.h"

enum { FROM_START, FROM_POSITION, FROM_END }; /* l_whence */
#define LAST_BYTE 0x7fffffffffffffffUL

/* What has no name is one file for all of its kind, as in Linux; pipes and sockets are each their own. */
static u64 file_of(const struct vk_desc *d)
{
	switch (d->kind) {
	case VK_FILE:
	case VK_DIR:
		return file_object(d);
	case VK_PIPE:
		return vk_pipe_object(d->object);
	case VK_EVENTFD:
	case VK_EPOLL:
	case VK_TIMERFD:
	case VK_SIGNALFD:
		return VK_FILE_LOCKS;
	default:
		return vk_desc_object(vk_desc_slot(d), VK_DESC_REFS);
	}
}

static struct vk_lock *lock_at(u32 i)
{
	return &vk->file_locks.lock[i];
}

static bool same_kind(const struct vk_lock *a, const struct vk_lock *b)
{
	return a->file == b->file && a->kind == b->kind;
}

static bool is_mine(const struct vk_lock *l, const struct vk_lock *want)
{
	return same_kind(l, want) && l->desc == want->desc;
}

static bool overlap(const struct vk_lock *a, const struct vk_lock *b)
{
	return a->start <= b->end && b->start <= a->end;
}

/* The first lock of somebody else that does not let this one in; NULL: there is none. */
static const struct vk_lock *conflict(const struct vk_lock *want)
{
	for (u32 i = 0; i < vk->file_locks.count; i++) {
		const struct vk_lock *l = lock_at(i);
		if (same_kind(l, want) && l->desc != want->desc && overlap(l, want) &&
		    (l->exclusive || want->exclusive))
			return l;
	}
	return NULL;
}

/* ---- the table ---- */

static bool comes_before(const struct vk_lock *a, const struct vk_lock *b)
{
	if (a->file != b->file)
		return a->file < b->file;
	if (a->kind != b->kind)
		return a->kind < b->kind;
	return a->desc != b->desc ? a->desc < b->desc : a->start < b->start;
}

static void remove_at(u32 i)
{
	struct vk_file_locks *t = &vk->file_locks;
	memmove(&t->lock[i], &t->lock[i + 1], (t->count - i - 1) * sizeof(t->lock[0]));
	t->lock[--t->count] = (struct vk_lock){0};
}

static void insert(const struct vk_lock *l)
{
	struct vk_file_locks *t = &vk->file_locks;
	u32 at = 0;
	while (at < t->count && comes_before(&t->lock[at], l))
		at++;
	memmove(&t->lock[at + 1], &t->lock[at], (t->count - at) * sizeof(t->lock[0]));
	t->lock[at] = *l;
	t->count++;
}

/* The bytes of `want` are free of locks of its own; what lies to both sides stays. */
static void cut_out(const struct vk_lock *want)
{
	for (u32 i = 0; i < vk->file_locks.count;) {
		struct vk_lock old = *lock_at(i), left = old, right = old;
		if (!is_mine(&old, want) || !overlap(&old, want)) {
			i++;
			continue;
		}
		remove_at(i);
		left.end = want->start - 1;
		right.start = want->end + 1;
		if (old.start < want->start)
			insert(&left);
		if (old.end > want->end)
			insert(&right);
		i = 0;
	}
}

/* Neighbours of one owner and one type are one lock. */
static void merge_neighbours(void)
{
	for (u32 i = 0; i + 1 < vk->file_locks.count;) {
		struct vk_lock *a = lock_at(i), *b = lock_at(i + 1);
		if (is_mine(a, b) && a->exclusive == b->exclusive && a->end + 1 == b->start) {
			a->end = b->end;
			remove_at(i + 1);
		} else {
			i++;
		}
	}
}

/* ---- waiting ---- */

/* op: object = description, arg = the lock it wants */
static u32 lock_outcomes(const struct fiber *f, const struct op *o)
{
	(void)f;
	return !conflict((const struct vk_lock *)o->arg);
}

static void lock_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	const struct vk_lock *holder = conflict((const struct vk_lock *)o->arg);
	(void)f;
	text_str(t, alt == OP_DESCRIBE_PENDING ? "waits for a lock on " : "locks ");
	vk_describe_desc((const struct vk_desc *)o->object, t);
	if (alt != OP_DESCRIBE_PENDING || !holder)
		return;
	text_str(t, ", held through ");
	vk_describe_desc(&vk->desc[holder->desc - 1], t);
}

static void lock_accesses(const struct fiber *f, const struct op *o, u32 alt)
{
	(void)f;
	(void)alt;
	vk_op_changes(o, VK_FILE_LOCKS);
}
const struct op_class op_file_lock = {
	.name = "lock file", .outcomes = lock_outcomes, .describe = lock_describe, .accesses = lock_accesses};

static long wait_for(struct vk_call *c, struct vk_desc *d, const struct vk_lock *want)
{
	struct op o = {.kind = OP_FILE_LOCK,
		       .flags = OPF_EINTR | OPF_RESTART | (want->kind == VK_LOCK_RECORD ? OPF_CANCEL : 0),
		       .object = (u64)d,
		       .arg = (u64)want};
	return vk_step(c, &o);
}

static long set_lock(struct vk_call *c, struct vk_desc *d, const struct vk_lock *want, bool waits)
{
	if (conflict(want)) {
		if (!waits)
			return -EAGAIN;
		if (wait_for(c, d, want) == VK_RESTART)
			return VK_RESTART;
	}
	if (vk->file_locks.count + 2 > VK_MAX_LOCKS) {
		vk_refuse(c, "limit: more than 62 locks on files");
		return -ENOLCK;
	}
	cut_out(want);
	insert(want);
	merge_neighbours();
	return 0;
}

bool vk_file_locks_held(const struct vk_desc *d)
{
	for (u32 i = 0; i < vk->file_locks.count; i++)
		if (lock_at(i)->desc == vk_desc_slot(d) + 1)
			return true;
	return false;
}

void vk_file_locks_drop(const struct vk_desc *d)
{
	for (u32 i = vk->file_locks.count; i-- > 0;) {
		if (lock_at(i)->desc != vk_desc_slot(d) + 1)
			continue;
		vk_declare(VK_FILE_LOCKS, ACCESS_WRITE);
		remove_at(i);
	}
}

/* ---- flock ---- */

long vk_sys_flock(struct vk_call *c)
{
	int how = (int)c->a[1] & ~LOCK_NB;
	if (how != LOCK_SH && how != LOCK_EX && how != LOCK_UN)
		return -EINVAL;
	struct vk_desc *d = vk_fd_use(c, (int)c->a[0]);
	if (!d || (d->flags & O_PATH))
		return -EBADF;
	struct vk_lock want = {.file = file_of(d),
			       .end = LAST_BYTE,
			       .desc = vk_desc_slot(d) + 1,
			       .kind = VK_LOCK_WHOLE,
			       .exclusive = how == LOCK_EX};
	vk_use(c, VK_FILE_LOCKS, ACCESS_WRITE);
	for (u32 i = 0; i < vk->file_locks.count; i++)
		if (is_mine(lock_at(i), &want) && how != LOCK_UN && lock_at(i)->exclusive == want.exclusive)
			return 0;
	cut_out(&want); /* even if the other one is not to be had */
	return how == LOCK_UN ? 0 : set_lock(c, d, &want, !(c->a[1] & LOCK_NB));
}

/* ---- fcntl ---- */

/* Which bytes; 0 or an error. */
static long range_of(struct vk_call *c, struct vk_desc *d, const struct flock *l, struct vk_lock *want)
{
	long base = 0;
	if (l->l_whence > FROM_END || l->l_whence < FROM_START)
		return -EINVAL;
	if (l->l_whence != FROM_START && d->kind == VK_FILE) {
		vk_file_use(c, d, ACCESS_READ, l->l_whence == FROM_POSITION);
		base = l->l_whence == FROM_POSITION ? (long)d->pos : (long)vk_file_size(d);
	}
	long start, end = 0;
	if (__builtin_add_overflow(base, l->l_start, &start) || start < 0)
		return start < 0 ? -EINVAL : -EOVERFLOW;
	if (l->l_len > 0 && __builtin_add_overflow(start, l->l_len - 1, &end))
		return -EOVERFLOW;
	if (l->l_len < 0 && start + l->l_len < 0)
		return -EINVAL;
	want->start = l->l_len < 0 ? (u64)(start + l->l_len) : (u64)start;
	want->end = l->l_len < 0 ? (u64)start - 1 : l->l_len ? (u64)end : LAST_BYTE;
	return 0;
}

static const struct vk_lock *own_lock(const struct vk_lock *want)
{
	for (u32 i = 0; i < vk->file_locks.count; i++)
		if (is_mine(lock_at(i), want) && overlap(lock_at(i), want))
			return lock_at(i);
	return NULL;
}

/* Who asks for F_UNLCK wants to know what it holds itself. */
static long tell_conflict(const struct vk_lock *want, struct flock *l)
{
	const struct vk_lock *other = l->l_type == F_UNLCK ? own_lock(want) : conflict(want);
	l->l_type = other ? (short)(other->exclusive ? F_WRLCK : F_RDLCK) : F_UNLCK;
	if (!other)
		return 0;
	l->l_whence = FROM_START;
	l->l_start = (long)other->start;
	l->l_len = other->end == LAST_BYTE ? 0 : (long)(other->end - other->start + 1);
	l->l_pid = -1;
	return 0;
}

/* A traditional lock: it is granted, unless the file has locks of the other kind. */
static long process_lock(struct vk_call *c, const struct vk_lock *want, int cmd, struct flock *l)
{
	vk_touch(NULL, VK_FILE_LOCKS, ACCESS_ADD);
	for (u32 i = 0; i < vk->file_locks.count; i++)
		if (same_kind(lock_at(i), want))
			vk_refuse(c, "locks of the process and of descriptions on one file");
	if (cmd == F_GETLK)
		l->l_type = F_UNLCK;
	else if (l->l_type != F_UNLCK)
		vk->file_locks.of_process = 1;
	return 0;
}

long vk_record_lock(struct vk_call *c, struct vk_desc *d, int cmd, long arg)
{
	struct flock *l = vk_user(arg);
	if (!vk_user_out_ok((u64)arg, sizeof(*l)))
		return -EFAULT;
	bool of_process = cmd == F_GETLK || cmd == F_SETLK || cmd == F_SETLKW;
	bool asks = cmd == F_GETLK || cmd == F_OFD_GETLK;
	if (l->l_type < F_RDLCK || l->l_type > F_UNLCK || (cmd == F_GETLK && l->l_type == F_UNLCK) ||
	    (!of_process && l->l_pid))
		return -EINVAL;
	struct vk_lock want = {.file = file_of(d),
			       .desc = vk_desc_slot(d) + 1,
			       .kind = VK_LOCK_RECORD,
			       .exclusive = l->l_type == F_WRLCK};
	long err = range_of(c, d, l, &want);
	u32 mode = d->flags & O_ACCMODE;
	if (!err && !asks &&
	    ((d->flags & O_PATH) || (l->l_type == F_RDLCK && mode == O_WRONLY) ||
	     (l->l_type == F_WRLCK && mode == O_RDONLY)))
		err = -EBADF;
	if (err)
		return err;
	if (of_process)
		return process_lock(c, &want, cmd, l);
	vk_use(c, VK_FILE_LOCKS, asks ? ACCESS_READ : ACCESS_WRITE);
	if (vk->file_locks.of_process)
		vk_refuse(c, "locks of the process and of descriptions on one file");
	if (asks)
		return tell_conflict(&want, l);
	if (l->l_type != F_UNLCK)
		return set_lock(c, d, &want, cmd == F_OFD_SETLKW);
	cut_out(&want);
	return 0;
}
