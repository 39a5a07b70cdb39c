/*
 * epoll.c: epoll sets, as Linux has them. An item is a description and the number by which it was added; it
 * lives as long as the description. A set keeps a list of items that may be ready, in the order in which
 * something happened to them (epoll_wake), as Linux does, because that is the order in which they are
 * reported:
 *
 *   - a wait asks each item of the list, from its head: one that is not ready any more leaves the list;
 *   - one that is reported leaves it, too, if it is edge-triggered or one-shot; else it goes to the tail;
 *   - what does not fit into maxevents stays at the head.
 *
 *   E1  item.place is its place in the list, from 1; 0: it is not there. Places are 1 … ready.
 *   E2  Items lie at the front, sorted by number and description, zeros behind.
 *   E3  Whatever makes a description ready tells epoll_wake(). What the network brings is decided by whoever
 *       looks (sockets/sock_arrival.c): a wait on the set is such a look, and then it is an edge.
 *   E4  Items of one description (added by several numbers) have the turns 0, 1, 2 …; one alone has 0. As in
 *       Linux the last one that was added hears first, exclusive ones after all others, the oldest first.
 *
 * EPOLLEXCLUSIVE asks for fewer wake-ups, but promises none: which waiter goes on is the scheduler's choice
 * anyway.
 */
#include "runtime/vkernel/streams/epoll.h"

#include "runtime/vkernel/streams/epoll_priv.h"

#define EXCLUSIVE_OK \
	((u32)(EPOLLIN | EPOLLOUT | EPOLLERR | EPOLLHUP | EPOLL_PRIVATE_BITS) & ~(u32)EPOLLONESHOT)

static u64 epoll_object(const struct vk_desc *d)
{
	return vk_epoll_object(d->object);
}

/* ---- the ready list ---- */

/* What of all that it is asked for the item has to tell; 0 also where a one-shot item has told something. */
u32 epoll_ready_events(const struct vk_epoll_item *i)
{
	const struct vk_ops *ops = vk_kinds[epoll_desc_of(i)->kind];
	u32 all = ops->poll ? ops->poll(epoll_desc_of(i)) : POLLIN | POLLOUT | POLLRDNORM | POLLWRNORM;
	return all & i->events & ~EPOLL_PRIVATE_BITS;
}

void epoll_put_at_tail(struct vk_epoll *e, struct vk_epoll_item *i)
{
	if (!i->place)
		i->place = (u16)++e->ready;
}

void epoll_take_from_list(struct vk_epoll *e, struct vk_epoll_item *i)
{
	if (!i->place)
		return;
	for (u32 k = 0; k < e->count; k++)
		e->item[k].place -= e->item[k].place > i->place;
	e->ready--;
	i->place = 0;
}

/* A set inside a set tells of EPOLLIN alone: who asks for EPOLLRDNORM only is not told. */
static bool is_told(const struct vk_epoll_item *i)
{
	return epoll_desc_of(i)->kind != VK_EPOLL || (i->events & EPOLLIN);
}

bool epoll_is_candidate(const struct vk_epoll_item *i)
{
	return i->place || (!(i->events & EPOLLET) && is_told(i));
}

bool epoll_has_ready(const struct vk_epoll *e)
{
	for (u32 k = 0; k < e->count; k++)
		if (epoll_is_candidate(&e->item[k]) && epoll_ready_events(&e->item[k]))
			return true;
	return false;
}

/* Who holds the set itself in a set hears of it, too. */
static void wake_outer(const struct vk_epoll *e)
{
	for (u32 i = 0; i < vk->desc_limit; i++)
		if (vk->desc[i].kind == VK_EPOLL && epoll_set_of(&vk->desc[i]) == e)
			epoll_wake(&vk->desc[i], POLLIN);
}

static bool wakes(const struct vk_epoll_item *i, u32 events)
{
	u32 wanted = i->events & ~EPOLL_PRIVATE_BITS;
	return wanted && (!events || (events & wanted));
}

/* The item of a description with the highest turn below that. */
static struct vk_epoll_item *next_in_turn(struct vk_epoll *e, const struct vk_desc *d, u32 below)
{
	struct vk_epoll_item *next = NULL;
	for (u32 k = 0; k < e->count; k++) {
		struct vk_epoll_item *i = &e->item[k];
		if (epoll_desc_of(i) == d && i->turn < below && (!next || i->turn > next->turn))
			next = i;
	}
	return next;
}

void epoll_wake(const struct vk_desc *d, u32 events)
{
	for (u32 n = 0; n < vk->epolls; n++) {
		struct vk_epoll *e = &vk->epoll[n];
		struct vk_epoll_item *i = next_in_turn(e, d, ~0u);
		bool news = false;
		for (; i; i = i->turn ? next_in_turn(e, d, i->turn) : NULL) {
			if (!wakes(i, events))
				continue;
			news = true; /* to those outside, as Linux, even if it is in the list already */
			if (i->place)
				continue;
			epoll_declare(e);
			epoll_put_at_tail(e, i);
		}
		if (news)
			wake_outer(e);
	}
}

/* ---- items ---- */

/* The turns of those of one description from `first` on move by one. */
static void move_turns(struct vk_epoll *e, u16 desc, u32 first, int by)
{
	for (u32 k = 0; k < e->count; k++)
		if (e->item[k].desc == desc && e->item[k].turn >= first)
			e->item[k].turn = (u16)(e->item[k].turn + by);
}

/* Of one that is about to be added. */
static u16 take_turn(struct vk_epoll *e, const struct vk_epoll_item *item)
{
	u16 others = 0;
	for (u32 k = 0; k < e->count; k++)
		others += e->item[k].desc == item->desc;
	if (!(item->events & EPOLLEXCLUSIVE))
		return others;
	move_turns(e, item->desc, 0, 1);
	return 0;
}

static void remove_item(struct vk_epoll *e, struct vk_epoll_item *i)
{
	epoll_take_from_list(e, i);
	move_turns(e, i->desc, i->turn + 1u, -1);
	u32 at = (u32)(i - e->item);
	memmove(i, i + 1, (e->count - at - 1) * sizeof(*i));
	e->item[--e->count] = (struct vk_epoll_item){0};
}

void epoll_forget(const struct vk_desc *d)
{
	for (u32 n = 0; n < vk->epolls; n++) {
		struct vk_epoll *e = &vk->epoll[n];
		for (u32 k = e->count; k-- > 0;) {
			if (epoll_desc_of(&e->item[k]) != d)
				continue;
			epoll_declare(e);
			remove_item(e, &e->item[k]);
		}
	}
}

static struct vk_epoll_item *find_item(struct vk_epoll *e, int fd, const struct vk_desc *d)
{
	for (u32 k = 0; k < e->count; k++)
		if (e->item[k].fd == fd && epoll_desc_of(&e->item[k]) == d)
			return &e->item[k];
	return NULL;
}

static bool comes_before(const struct vk_epoll_item *a, const struct vk_epoll_item *b)
{
	return a->fd != b->fd ? a->fd < b->fd : a->desc < b->desc;
}

static struct vk_epoll_item *insert_item(struct vk_epoll *e, const struct vk_epoll_item *item)
{
	u32 at = e->count++;
	for (; at && comes_before(item, &e->item[at - 1]); at--)
		e->item[at] = e->item[at - 1];
	e->item[at] = *item;
	return &e->item[at];
}

/* How deep sets are nested below this one; one that contains `outer`: too deep. */
static u32 depth_below(const struct vk_desc *d, const struct vk_desc *outer, u32 depth)
{
	u32 most = 0;
	if (d == outer || depth > EPOLL_DEPTH)
		return EPOLL_DEPTH + 1;
	const struct vk_epoll *e = epoll_set_of(d);
	for (u32 k = 0; k < e->count; k++)
		if (epoll_desc_of(&e->item[k])->kind == VK_EPOLL)
			most = HD_MAX(most, depth_below(epoll_desc_of(&e->item[k]), outer, depth + 1) + 1);
	return most;
}

/* ---- epoll_ctl ---- */

/* Kinds that can't be waited for are always ready, and not taken. */
static bool can_be_watched(const struct vk_desc *d)
{
	return vk_kinds[d->kind]->waits || d->kind == VK_CONSOLE;
}

static long check_exclusive(int op, u32 events, const struct vk_desc *target)
{
	if (op == EPOLL_CTL_DEL || !(events & EPOLLEXCLUSIVE))
		return 0;
	if (op == EPOLL_CTL_MOD || target->kind == VK_EPOLL || (events & ~EXCLUSIVE_OK))
		return -EINVAL;
	return 0;
}

static long check_ctl(const struct vk_desc *set, const struct vk_desc *target, int op, u32 events)
{
	if (!set || !target || (set->flags & O_PATH) || (target->flags & O_PATH))
		return -EBADF;
	if (!can_be_watched(target))
		return -EPERM;
	if (set == target || set->kind != VK_EPOLL)
		return -EINVAL;
	return check_exclusive(op, events, target);
}

static long add_item(const struct vk_call *c, struct vk_desc *set, int fd, struct vk_desc *target,
		     const struct epoll_user_event *u)
{
	struct vk_epoll *e = epoll_set_of(set);
	if (target->kind == VK_EPOLL && depth_below(target, set, 0) >= EPOLL_DEPTH)
		return -ELOOP;
	if (find_item(e, fd, target))
		return -EEXIST;
	if (e->count == VK_EPOLL_ITEMS) {
		vk_refuse(c, "limit: more than 1024 descriptors in an epoll set");
		return -ENOSPC;
	}
	struct vk_epoll_item item = {.fd = fd,
				     .desc = (u16)(vk_desc_slot(target) + 1),
				     .events = u->events | EPOLLERR | EPOLLHUP,
				     .data = u->data};
	item.turn = take_turn(e, &item);
	struct vk_epoll_item *i = insert_item(e, &item);
	if (epoll_ready_events(i)) {
		epoll_put_at_tail(e, i);
		wake_outer(e);
	}
	return 0;
}

static long modify_item(struct vk_epoll *e, struct vk_epoll_item *i, const struct epoll_user_event *u)
{
	if (i->events & EPOLLEXCLUSIVE)
		return -EINVAL;
	i->events = u->events | EPOLLERR | EPOLLHUP;
	i->data = u->data;
	if (epoll_ready_events(i)) {
		epoll_put_at_tail(e, i);
		wake_outer(e);
	}
	return 0;
}

/* The call changes the set, and looks at what it adds: calls on both are steps. */
static void order(struct vk_call *c, const struct vk_desc *set, const struct vk_desc *target)
{
	if (!sched_all_joined())
		vk_order(c, epoll_object(set), ACCESS_WRITE);
	vk_declare(epoll_object(set), ACCESS_WRITE);
	if (vk_kinds[target->kind]->waits)
		vk_declare(vk_kinds[target->kind]->object(target), ACCESS_READ);
}

long vk_sys_epoll_ctl(struct vk_call *c)
{
	int op = (int)c->a[1], fd = (int)c->a[2];
	struct epoll_user_event u = {0};
	if (op != EPOLL_CTL_DEL) {
		if (!vk_user_ok((u64)c->a[3], sizeof(u)))
			return -EFAULT;
		memcpy(&u, vk_user(c->a[3]), sizeof(u));
	}
	struct vk_desc *set = vk_fd_use(c, (int)c->a[0]);
	struct vk_desc *target = vk_fd_use(c, fd);
	long err = check_ctl(set, target, op, u.events);
	if (err)
		return err;
	order(c, set, target);
	struct vk_epoll *e = epoll_set_of(set);
	struct vk_epoll_item *i = find_item(e, fd, target);
	switch (op) {
	case EPOLL_CTL_ADD:
		return add_item(c, set, fd, target, &u);
	case EPOLL_CTL_MOD:
		return i ? modify_item(e, i, &u) : -ENOENT;
	case EPOLL_CTL_DEL:
		if (i)
			remove_item(e, i);
		return i ? 0 : -ENOENT;
	}
	return -EINVAL;
}

/* ---- the object ---- */

static u32 epoll_poll(const struct vk_desc *d)
{
	return epoll_has_ready(epoll_set_of(d)) ? POLLIN | POLLRDNORM : 0;
}

static void epoll_release(struct vk_desc *d)
{
	struct vk_epoll *e = epoll_set_of(d);
	epoll_declare(e);
	vk_declare(VK_SLOTS, ACCESS_WRITE);
	while (e->count)
		remove_item(e, &e->item[e->count - 1]);
	e->used = 0;
	while (vk->epolls && !vk->epoll[vk->epolls - 1].used)
		vk->epolls--;
}

const struct vk_ops vk_epoll_ops = {
	.poll = epoll_poll,
	.stat = vk_anonymous_stat,
	.release = epoll_release,
	.object = epoll_object,
	.stream = true,
	.waits = true,
};

static long create(struct vk_call *c, u32 flags)
{
	u32 slot = 0;
	vk_fd_take(c, 0, 1);
	while (slot < VK_MAX_EPOLLS && vk->epoll[slot].used)
		slot++;
	if (slot == VK_MAX_EPOLLS) {
		vk_refuse(c, "limit: more than 64 epoll sets");
		return -EMFILE;
	}
	struct vk_desc *d = vk_desc_new(VK_EPOLL, O_RDWR);
	if (!d)
		return vk_desc_none(c);
	d->object = slot;
	epoll_declare(&vk->epoll[slot]);
	vk->epoll[slot].used = 1;
	vk->epolls = HD_MAX(vk->epolls, slot + 1);
	return vk_fd_install(d, flags & O_CLOEXEC);
}

long vk_sys_epoll_create1(struct vk_call *c)
{
	return c->a[0] & ~(long)O_CLOEXEC ? -EINVAL : create(c, (u32)c->a[0]);
}

long vk_sys_epoll_create(struct vk_call *c)
{
	return (int)c->a[0] <= 0 ? -EINVAL : create(c, 0);
}
