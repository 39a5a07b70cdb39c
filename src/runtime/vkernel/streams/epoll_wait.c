/*
 * epoll_wait.c: waiting in an epoll set, and what is reported in which order; see epoll.c.
 */
#include "runtime/sched/op_classes.h"
#include "runtime/vkernel/streams/epoll_priv.h"
#include "runtime/vkernel/streams/selector.h"
#include "wire/wire.h"

#define FOREVER (~(u64)0)

/* All that a wait looks at; see selector_of_set(). */
static u32 walk(const struct vk_epoll *e, u32 depth, u32 nth, struct selector_item *out)
{
	u32 n = 0;
	for (u32 k = 0; k < e->count; k++) {
		const struct vk_epoll_item *i = &e->item[k];
		u32 events = i->events & ~EPOLL_PRIVATE_BITS;
		if (n++ == nth)
			*out = (struct selector_item){.desc = events ? epoll_desc_of(i) : NULL,
						      .events = events,
						      .exact = i->events & EPOLLET,
						      .muted = events ? NULL : epoll_desc_of(i)};
		bool hears = events & EPOLLIN; /* a set tells of nothing else */
		if (epoll_desc_of(i)->kind == VK_EPOLL && hears && depth < EPOLL_DEPTH)
			n += walk(epoll_set_of(epoll_desc_of(i)), depth + 1, nth - n, out);
	}
	return n;
}

u32 selector_of_set(const struct vk_desc *set, u32 nth, struct selector_item *out)
{
	return walk(epoll_set_of(set), 1, nth, out);
}

static void nth_item(const void *list, u32 i, struct selector_item *out)
{
	walk(list, 0, i, out);
}

static struct selector selector_of(const struct vk_epoll *e)
{
	struct selector_item none;
	return (struct selector){
		.list = e, .count = walk(e, 0, ~0u, &none), .ordered = true, .item = nth_item};
}

/* op: object = the set, arg = its description, arg2 = does not wait */

static const struct vk_epoll *op_set(const struct op *o)
{
	return (const struct vk_epoll *)o->object;
}

static void wait_resolve(const struct fiber *f, const struct op *o)
{
	struct selector s = selector_of(op_set(o));
	(void)f;
	selector_resolve(&s);
}

/* Without news from the network: is there something to be told? */
static bool ready_without_news(const struct op *o)
{
	struct selector s = selector_of(op_set(o));
	return epoll_has_ready(op_set(o)) || selector_forced(&s);
}

static u32 wait_outcomes(const struct fiber *f, const struct op *o)
{
	struct selector s = selector_of(op_set(o));
	bool forced;
	u32 ways = selector_ways(&s, &forced);
	(void)f;
	return o->arg2 || forced || epoll_has_ready(op_set(o)) ? ways : ways - 1;
}

static u32 way_of(const struct op *o, u32 alt)
{
	if (alt >= OP_DESCRIBE_PENDING || ALT_IS_TIMER(alt) || ALT_IS_PEER(alt))
		return 0;
	return o->arg2 || ready_without_news(o) ? alt : alt + 1;
}

static bool wait_late(const struct fiber *f, const struct op *o)
{
	(void)f;
	return !ready_without_news(o);
}

static void describe_news(const struct op *o, u32 alt, struct text *t)
{
	struct selector s = selector_of(op_set(o));
	u32 item[8];
	u32 n = HD_MIN(selector_news(&s, way_of(o, alt), item, HD_ARRAY_LEN(item)), 8u);
	for (u32 i = 0; i < n; i++) {
		struct selector_item it;
		s.item(s.list, item[i], &it);
		text_str(t, i ? ", " : "; news has arrived on ");
		vk_describe_desc(it.desc, t);
	}
}

static void wait_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	const struct vk_epoll *e = op_set(o);
	(void)f;
	text_str(t, alt != OP_DESCRIBE_PENDING ? "looks at epoll set "
		    : o->arg2                  ? "is about to look at epoll set "
					       : "waits in epoll set ");
	vk_describe_desc((const struct vk_desc *)o->arg, t);
	text_str(t, e->count ? " of descriptors" : ", which is empty");
	for (u32 k = 0; k < e->count; k++) {
		const struct vk_epoll_item *i = &e->item[k];
		text_str(t, k ? ", " : " ");
		text_dec(t, i->fd);
		if (epoll_is_candidate(i) && epoll_ready_events(i))
			text_str(t, " (ready)");
		else if (!(i->events & ~EPOLL_PRIVATE_BITS & ~(u32)(EPOLLERR | EPOLLHUP)))
			text_str(t, " (disabled)");
	}
	if (alt == ALT_TIMEOUT)
		text_str(t, ", and gives up: time-out");
	else if (alt != OP_DESCRIBE_PENDING)
		describe_news(o, alt, t);
}

static void declare_sets(const struct vk_epoll *e, u32 depth)
{
	access_declare(vk_epoll_object((u32)(e - vk->epoll)), 1, ACCESS_WRITE);
	for (u32 k = 0; k < e->count && depth < EPOLL_DEPTH; k++)
		if (epoll_desc_of(&e->item[k])->kind == VK_EPOLL)
			declare_sets(epoll_set_of(epoll_desc_of(&e->item[k])), depth + 1);
}

void selector_declare_set(const struct vk_desc *set)
{
	declare_sets(epoll_set_of(set), 1);
}

static void wait_accesses(const struct fiber *f, const struct op *o, u32 alt)
{
	struct selector s = selector_of(op_set(o));
	(void)f;
	vk_op_looked_up(o);
	declare_sets(op_set(o), 0);
	selector_declare(&s, way_of(o, alt));
}

static struct op_wait wait_wait(const struct op *o)
{
	struct selector s = selector_of(op_set(o));
	if (epoll_has_ready(op_set(o)))
		return (struct op_wait){.what = WAIT_ANYONE}; /* it does not wait */
	return selector_wait(&s);
}

static void wait_faults(const struct op *o, struct net_faults *out)
{
	struct selector s = selector_of(op_set(o));
	selector_faults(&s, out);
}

const struct op_class op_epoll_wait = {.name = "wait in epoll",
				       .faults = wait_faults,
				       .resolve = wait_resolve,
				       .outcomes = wait_outcomes,
				       .describe = wait_describe,
				       .accesses = wait_accesses,
				       .late = wait_late,
				       .in_vain = selector_looks,
				       .wait = wait_wait};

static HD_NOINLINE void arrive(const struct op *o, u32 alt)
{
	struct selector s = selector_of(op_set(o));
	selector_resolve(&s);
	selector_arrive(&s, way_of(o, alt));
}

static struct vk_epoll_item *epoll_at_place(struct vk_epoll *e, u32 place)
{
	for (u32 k = 0; k < e->count; k++)
		if (e->item[k].place == place)
			return &e->item[k];
	hd_assert(!"a place in the list without an item"); /* E1 */
	return NULL;
}

/* Level-triggered items that are ready join the list, should nobody have told. */
static void complete_list(struct vk_epoll *e)
{
	for (u32 k = 0; k < e->count; k++)
		if (!e->item[k].place && epoll_is_candidate(&e->item[k]) && epoll_ready_events(&e->item[k]))
			epoll_put_at_tail(e, &e->item[k]);
}

/* From the head of the list; see above. */
static HD_NOINLINE long report(struct vk_epoll *e, struct epoll_user_event *out, u32 room)
{
	HD_WIDE_FRAME();
	struct vk_epoll_item *again[64]; /* those that go to the tail, in their order */
	u32 n = 0, kept = 0;
	bool faulted = false;
	complete_list(e);
	while (e->ready && n < room) {
		struct vk_epoll_item *i = epoll_at_place(e, 1);
		u32 events = epoll_ready_events(i);
		faulted = events && !vk_user_out_ok((u64)&out[n], sizeof(*out));
		if (faulted)
			break;
		epoll_take_from_list(e, i);
		if (!events)
			continue;
		struct epoll_user_event u = {events, i->data};
		memcpy(&out[n++], &u, sizeof(u));
		if (i->events & EPOLLONESHOT)
			i->events &= EPOLL_PRIVATE_BITS;
		else if (!(i->events & EPOLLET) && kept < HD_ARRAY_LEN(again))
			again[kept++] = i;
	}
	for (u32 k = 0; k < kept; k++)
		epoll_put_at_tail(e, again[k]);
	return faulted && !n ? -EFAULT : (long)n;
}

/*
 * Linux walks through the list when the call begins; if nothing is ready, the list is empty then, before
 * anything arrives. So is ours: what was reported before, and is not ready any more, leaves no trace in the
 * state.
 */
static HD_NOINLINE void begin_wait(struct vk_epoll *e)
{
	if (!e->ready || epoll_has_ready(e))
		return;
	epoll_declare(e);
	for (u32 k = 0; k < e->count; k++)
		e->item[k].place = 0;
	e->ready = 0;
}

static long wait_in(struct vk_call *c, u64 timeout, bool masked)
{
	struct epoll_user_event *out = vk_user(c->a[1]);
	int room = (int)c->a[2];
	struct vk_desc *d = vk_fd_use(c, (int)c->a[0]);
	if (!d || (d->flags & O_PATH))
		return -EBADF;
	if (room <= 0 || room > (int)(~0u >> 1) / (int)sizeof(*out))
		return -EINVAL;
	if (d->kind != VK_EPOLL)
		return -EINVAL;
	struct op o = {.kind = OP_EPOLL_WAIT,
		       .flags = OPF_CANCEL | OPF_EINTR | (timeout ? OPF_LATE : 0) | (masked ? OPF_INSIDE : 0),
		       .object = (u64)epoll_set_of(d),
		       .arg = (u64)d,
		       .arg2 = !timeout};
	if (timeout && timeout != FOREVER)
		o.deadline = clock_deadline(timeout);
	begin_wait(epoll_set_of(d));
	sched_tries(selector_again());
	long alt = vk_step(c, &o);
	selector_returns();
	if (alt == VK_RESTART)
		return alt;
	arrive(&o, (u32)alt);
	return report(epoll_set_of(d), out, HD_MIN((u32)room, (u32)VK_EPOLL_ITEMS));
}

long vk_sys_epoll_wait(struct vk_call *c)
{
	int ms = (int)c->a[3];
	return wait_in(c, ms < 0 ? FOREVER : (u64)ms * 1000000, false);
}

static long wait_masked(struct vk_call *c, u64 timeout)
{
	u64 kept;
	long err = vk_mask_enter(c, c->a[4], c->a[5], &kept);
	return err ? err : vk_poll_leave_mask(wait_in(c, timeout, c->a[4]), c->a[4], kept);
}

long vk_sys_epoll_pwait(struct vk_call *c)
{
	int ms = (int)c->a[3];
	return wait_masked(c, ms < 0 ? FOREVER : (u64)ms * 1000000);
}

long vk_sys_epoll_pwait2(struct vk_call *c)
{
	u64 ns;
	long err = vk_poll_timeout(vk_user(c->a[3]), &ns);
	return err ? err : wait_masked(c, ns);
}
