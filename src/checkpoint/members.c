#include "checkpoint/members.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkpoint/process_tree.h"
#include "checkpoint/shim_link_priv.h"

#define CHILDREN 128u

/* Pages are counted in from zero on, once each: whoever counts there, copies and children included. */
static void know_page(struct saved_peer *t, struct shim_counts *c)
{
	for (u32 i = 0; i < t->pages; i++)
		if (t->page[i] == c)
			return;
	struct shim_counts **more = realloc(t->page, (t->pages + 1) * sizeof(*more));
	if (!more)
		return;
	t->page = more;
	t->page[t->pages++] = shim_counts_keep(c);
}

static void take_away_closed(struct saved_peer *t)
{
	for (struct shim_link **at = &t->more; *at;) {
		struct shim_link *l = *at;
		if (shim_link_is_open(l)) {
			at = &l->next;
			continue;
		}
		*at = l->next;
		shim_link_close(l);
	}
}

/* The first process has ended, and left others: a server that went into the background. */
static void move_up(struct saved_peer *t)
{
	if (shim_link_is_open(t->shim) || !t->more)
		return;
	struct shim_link *next = t->more;
	t->more = next->next;
	next->next = NULL;
	shim_link_close(t->shim);
	t->shim = next;
}

void members_gather(struct checkpoints *s, struct saved_peer *t)
{
	struct shim_link **end = &t->more;
	if (!t->shim)
		return;
	shim_host_refresh(s->shim, t->shim, t->pid);
	take_away_closed(t);
	while (*end)
		end = &(*end)->next;
	for (struct shim_link *l; (l = shim_host_next(s->shim, t->pid)); end = &l->next) {
		l->next = NULL;
		*end = l;
		know_page(t, l->counts);
	}
	for (struct shim_link *l; (l = shim_host_left(s->shim, t->pid)); shim_link_close(l))
		know_page(t, l->counts);
	know_page(t, t->shim->counts);
	move_up(t);
}

u32 members_count(const struct saved_peer *t)
{
	u32 n = t->shim && shim_link_is_open(t->shim);
	for (const struct shim_link *l = t->more; l; l = l->next)
		n++;
	return n;
}

bool members_have(const struct saved_peer *t, pid_t pid)
{
	for (const struct shim_link *l = t->more; l; l = l->next)
		if (l->pid == pid)
			return true;
	return t->shim->pid == pid;
}

u32 members_above(const struct saved_peer *t, pid_t member, pid_t *out, u32 cap)
{
	u32 n = 0, depth = 0;
	pid_t at = tree_parent(member);
	for (; at > 1 && at != t->pid && depth < CHILDREN; at = tree_parent(at), depth++)
		if (!members_have(t, at) && n < cap)
			out[n++] = at;
	return at == t->pid ? n : 0;
}

static bool has_below(const struct saved_peer *t, pid_t pid)
{
	for (const struct shim_link *l = t->shim; l; l = l == t->shim ? t->more : l->next)
		for (pid_t at = l->pid; at > 1 && at != t->pid; at = tree_parent(at))
			if (at == pid)
				return true;
	return false;
}

static bool children_are_members(const struct saved_peer *t, pid_t of, char *why, size_t cap)
{
	pid_t child[CHILDREN];
	u32 n = tree_children(of, child, CHILDREN);
	for (u32 i = 0; i < n; i++) {
		char name[64];
		if (members_have(t, child[i]) || !tree_runs(child[i], name, sizeof(name)) ||
		    has_below(t, child[i]))
			continue;
		snprintf(why, cap,
			 "it has a child process in which heddle's library is not (%s, pid %d): a program "
			 "that is "
			 "linked statically, set-user-ID, or started with another environment",
			 name, child[i]);
		return false;
	}
	return n < CHILDREN;
}

/* Below it, and beside it where the shell of the command has started several. */
static bool relatives_are_members(const struct saved_peer *t, pid_t of, char *why, size_t cap)
{
	pid_t above[CHILDREN];
	u32 n = members_above(t, of, above, CHILDREN);
	bool fine = children_are_members(t, of, why, cap);
	for (u32 i = 0; i < n && fine; i++)
		fine = children_are_members(t, above[i], why, cap);
	return fine;
}

bool members_complete(const struct saved_peer *t, char *why, size_t cap)
{
	snprintf(why, cap, "it has more than %u child processes", CHILDREN);
	if (!relatives_are_members(t, t->shim->pid, why, cap))
		return false;
	for (const struct shim_link *l = t->more; l; l = l->next)
		if (!relatives_are_members(t, l->pid, why, cap))
			return false;
	return true;
}

u64 members_acts(const struct saved_peer *t)
{
	u64 sum = 0;
	for (u32 i = 0; i < t->pages; i++)
		sum += __atomic_load_n(&t->page[i]->page->acts, __ATOMIC_ACQUIRE);
	return sum;
}

u32 members_list(const struct saved_peer *t, struct checkpoint_act *out, u32 cap)
{
	u32 n = 0;
	for (u32 i = 0; i < SHIM_ACTS && n < cap; i++) {
		u64 count = 0;
		for (u32 k = 0; k < t->pages; k++)
			count += __atomic_load_n(&t->page[k]->page->count[i], __ATOMIC_RELAXED);
		if (count)
			out[n++] = (struct checkpoint_act){shim_act_names[i].call, count,
							   shim_act_names[i].tamed};
	}
	return n;
}

void members_hold(const struct saved_peer *t, bool held)
{
	for (u32 i = 0; i < t->pages; i++)
		__atomic_store_n(&t->page[i]->page->held, held, __ATOMIC_RELEASE);
}

bool members_pass(const struct saved_peer *t, u64 ns)
{
	char why[200];
	for (u32 i = 0; i < t->pages; i++) /* for children that could not report */
		__atomic_fetch_add(&t->page[i]->page->told, ns, __ATOMIC_ACQ_REL);
	bool all = members_complete(t, why, sizeof(why)) && shim_link_pass(t->shim, ns);
	for (const struct shim_link *l = t->more; l; l = l->next)
		all &= shim_link_pass(l, ns);
	return all;
}

void members_add(struct saved_peer *t, int fd, pid_t pid, pid_t first, struct shim_counts *counts)
{
	struct shim_link *l = calloc(1, sizeof(*l)), **end = &t->more;
	hd_assert(l != NULL);
	*l = (struct shim_link){
		.fd = fd, .pid = pid, .first = first, .keeper = t->pid, .counts = shim_counts_keep(counts)};
	shim_link_know(l, t->shim->host); /* what it forks reports, too */
	while (*end)
		end = &(*end)->next;
	*end = l;
}

void members_drop(struct saved_peer *t)
{
	while (t->more) {
		struct shim_link *l = t->more;
		t->more = l->next;
		shim_link_close(l);
	}
}

void members_free(struct saved_peer *t)
{
	members_drop(t);
	shim_link_close(t->shim);
	for (u32 i = 0; i < t->pages; i++)
		shim_counts_release(t->page[i]);
	free(t->page);
}
