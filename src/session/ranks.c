#include "session/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "session/workers.h"

/* What other ranks send is looked for so often; less often while the worker has enough to do. */
#define REST_NS 50000L
#define REST_MAX_NS 400000L
#define TICK_EVERY_MS 100

/*
 * What became of an epoch, the worst last: above enum spread_why. EPOCH_NETWORK: a worker wants to talk to
 * the outside, which this process does not do for it; the epoch ends as if it were lost.
 */
enum { EPOCH_LOST = SPREAD_PASS + 1, EPOCH_NETWORK };

struct epoch {
	struct shared_part part;
	struct sut worker;
	struct wire_spread *rings;
	bool started;
};

/* ---- lessons ---- */

static bool add(u64 *list, u32 *count, u32 max, u64 value)
{
	for (u32 i = 0; i < *count; i++)
		if (list[i] == value)
			return false;
	if (*count == max)
		return false;
	list[(*count)++] = value;
	return true;
}

/* A thread's name has its parent's slot in it, which may be another one here. */
static bool merge_names(struct wire_learnt *all, const struct wire_learnt *more)
{
	u32 *slot = calloc(LAYOUT_MAX_FIBERS, sizeof(*slot));
	bool grew = false;

	if (!slot)
		return false;
	all->names = HD_MAX(all->names, 1u);
	for (u32 i = 1; i < HD_MIN(more->names, LAYOUT_MAX_FIBERS); i++) {
		u32 parent = WIRE_NAME_PARENT(more->name[i]), at = 1;
		u64 name = WIRE_NAME(parent < i ? slot[parent] : 0, WIRE_NAME_INDEX(more->name[i]));

		while (at < all->names && all->name[at] != name)
			at++;
		if (at == LAYOUT_MAX_FIBERS)
			break;
		slot[i] = at;
		if (at < all->names)
			continue;
		all->name[all->names++] = name;
		grew = true;
	}
	free(slot);
	return grew;
}

static bool merge_flag(u32 *all, u32 more)
{
	bool grew = more && !*all;

	*all |= more;
	return grew;
}

bool ranks_merge(struct wire_learnt *all, const struct wire_learnt *more)
{
	bool grew = merge_names(all, more);

	for (u32 i = 0; i < HD_MIN(more->observed, (u32)WIRE_MAX_OBSERVED); i++)
		grew |= add(all->observed_addr, &all->observed, WIRE_MAX_OBSERVED, more->observed_addr[i]);
	for (u32 i = 0; i < HD_MIN(more->property_places, (u32)WIRE_MAX_PROPERTY_PLACES); i++)
		grew |= add(all->property_place, &all->property_places, WIRE_MAX_PROPERTY_PLACES,
			    more->property_place[i]);
	grew |= merge_flag(&all->clock_read, more->clock_read);
	grew |= merge_flag(&all->cancel_used, more->cancel_used);
	grew |= merge_flag(&all->signals_used, more->signals_used);
	grew |= merge_flag(&all->fair, more->fair);
	grew |= merge_flag(&all->peer_time, more->peer_time);
	grew |= merge_flag(&all->heap_reused, more->heap_reused);
	grew |= merge_flag(&all->recycles, more->recycles);
	return grew;
}

struct merging {
	struct wire_learnt *all;
	bool grew;
};

static int take_learnt(void *arg, u32 rank, void *bytes, u64 len)
{
	struct merging *m = arg;

	(void)rank;
	if (len == sizeof(*m->all))
		m->grew |= ranks_merge(m->all, bytes);
	return 0;
}

/* What all have learnt, for the next epoch. False: nothing that was not known at its start. */
static bool learn(const struct session_ranks *r, const struct epoch *e, struct wire_learnt *known)
{
	struct merging m = {.all = known};
	u64 grew;

	m.grew = ranks_merge(known, &e->part.wire->learnt);
	r->gather(r->self, &e->part.wire->learnt, sizeof(*known), take_learnt, &m);
	grew = m.grew;
	r->share(r->self, &grew, sizeof(grew));
	r->share(r->self, known, sizeof(*known));
	return grew;
}

/* ---- an epoch ---- */

static int start(struct epoch *e, const struct session_ranks *r, const struct launch *l, struct problem *p)
{
	if (shared_part_create(&e->part, l, 1, p))
		return -1;
	e->rings = mmap(NULL, sizeof(*e->rings), PROT_READ | PROT_WRITE, MAP_SHARED, e->part.team_fd, 0);
	if (e->rings == MAP_FAILED) {
		e->rings = NULL;
		return problem_set(p, "no memory for messages");
	}
	e->rings->rank = r->rank;
	e->rings->ranks = r->ranks;
	if (sut_start(&e->worker, l, &e->part, 0, p))
		return -1;
	e->started = true;
	return 0;
}

static void end(struct epoch *e, const struct session_observer *observer)
{
	if (e->started) {
		observer->process(observer->self, e->worker.pid, false);
		sut_end(&e->worker);
	}
	if (e->rings)
		munmap(e->rings, sizeof(*e->rings));
	shared_part_free(&e->part);
	memset(e, 0, sizeof(*e));
}

/* Until the worker has something to say, but not for long: nobody wakes this process when MPI has. */
static void rest(struct epoch *e, u32 rounds)
{
	bool waits = __atomic_load_n(&e->rings->in.sleeps, __ATOMIC_RELAXED);
	long ns = waits ? HD_MIN(REST_NS << HD_MIN(rounds / 16, 8u), REST_MAX_NS) : REST_MAX_NS;
	struct spread_ring *r = &e->rings->out;
	u32 seen;

	if (spread_ring_sleeps(r, &seen))
		syscall(SYS_futex, &r->written, FUTEX_WAIT, seen, &(struct timespec){0, ns}, NULL, 0);
	spread_ring_wakes(r);
}

static void wake_worker(struct epoch *e)
{
	if (spread_ring_wants_wake(&e->rings->in))
		syscall(SYS_futex, &e->rings->in.written, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void tick(const struct epoch *e, const struct session_observer *observer, u64 start_ms)
{
	struct session_progress progress = {.elapsed_ms = monotonic_ms() - start_ms,
					    .stats = e->worker.worker->stats};

	observer->tick(observer->self, &progress);
}

/* Until the worker has ended, and all that it said is on its way. What became of this rank's part. */
static u64 serve(struct epoch *e, const struct session_ranks *r, const struct session_observer *observer,
		 u32 number, u64 start_ms)
{
	u64 ticked = 0;
	u32 idle = 0;
	bool asked = false;

	for (;;) {
		enum sut_news news = sut_look(&e->worker);
		bool ended = news == SUT_ENDED || e->worker.ended, moved;

		moved = r->route(r->self, e->rings, number);
		wake_worker(e);
		if (news == SUT_REQUEST || (ended && e->worker.worker->phase != WIRE_DONE)) {
			r->lose(r->self);
			return news == SUT_REQUEST ? EPOCH_NETWORK : EPOCH_LOST;
		}
		if (r->lost(r->self))
			return EPOCH_LOST;
		if (ended && !moved)
			return e->rings->why;
		if (monotonic_ms() - ticked >= TICK_EVERY_MS) {
			ticked = monotonic_ms();
			tick(e, observer, start_ms);
		}
		if (observer->stop_requests(observer->self) && !asked) {
			asked = true;
			sut_ask_to_stop(&e->worker);
			observer->stopping(observer->self);
		}
		idle = moved ? 0 : idle + 1;
		if (!moved)
			rest(e, idle);
	}
}

/* ---- results ---- */

struct collecting {
	struct epoch *epoch;
	struct outcome *outcome;
	struct findings *found;
	struct problem *problem;
	int ret;
};

/* Another rank's part of the wire, as if its worker had been one of ours. */
static int take_result(void *arg, u32 rank, void *bytes, u64 len)
{
	struct collecting *c = arg;
	struct sut other = c->epoch->worker;
	struct wire_worker *w = bytes;

	if (len < sizeof(*w) || w->arena_used > WIRE_WORKER_SIZE - WIRE_ARENA ||
	    len != sizeof(*w) + w->arena_used)
		return c->ret = problem_set(c->problem, "what rank %u sent makes no sense", rank);
	void *memory = mmap(NULL, WIRE_WORKER_SIZE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		return c->ret = problem_set(c->problem, "out of memory");
	memcpy(memory, w, sizeof(*w));
	memcpy((char *)memory + WIRE_ARENA, w + 1, w->arena_used);
	other.worker = memory;
	other.worker->number = rank;
	if (collect_worker(&other, false, c->outcome, c->found, c->problem))
		c->ret = -1;
	munmap(memory, WIRE_WORKER_SIZE);
	return c->ret;
}

static enum ranks_end collect(struct epoch *e, const struct session_ranks *r, const struct launch *l,
			      struct outcome *o, struct findings *found, struct problem *p)
{
	struct collecting c = {e, o, found, p, 0};
	const struct wire_worker *w = e->worker.worker;
	u64 arena = HD_MIN(w->arena_used, WIRE_WORKER_SIZE - WIRE_ARENA), failed;
	char *bytes = NULL;

	if (r->rank) {
		bytes = malloc(sizeof(*w) + arena);
		if (bytes) {
			memcpy(bytes, w, sizeof(*w));
			((struct wire_worker *)bytes)->arena_used = arena;
			memcpy(bytes + sizeof(*w), (const char *)w + WIRE_ARENA, arena);
		}
	} else {
		c.ret = collect_worker(&e->worker, false, o, found, p);
	}
	r->gather(r->self, bytes, bytes ? sizeof(*w) + arena : 0, take_result, &c);
	free(bytes);
	if (!r->rank && !c.ret)
		c.ret = collect_shared(&e->worker, &l->config, o, found, p);
	failed = c.ret != 0;
	r->share(r->self, &failed, sizeof(failed));
	if (failed && r->rank)
		problem_set(p, "rank 0 could not collect the results");
	o->workers = r->ranks;
	return failed ? RANKS_FAILED : r->rank ? RANKS_DONE : RANKS_REPORT;
}

static int take_text(void *arg, u32 rank, void *bytes, u64 len)
{
	struct problem *p = arg;

	if (len && !p->text[0])
		problem_set(
			p, "rank %u has lost its worker (%.*s): nothing of the search counts; start it again",
			rank, (int)HD_MIN(len, 1000), (const char *)bytes);
	return 0;
}

/* Says which rank lost its worker, and how. */
static enum ranks_end tell_lost(struct epoch *e, const struct session_ranks *r, bool mine, struct problem *p)
{
	char how[1024] = "";

	memset(p, 0, sizeof(*p));
	if (mine && e->worker.worker->result.error[0])
		snprintf(how, sizeof(how), "%.1000s", e->worker.worker->result.error);
	else if (mine)
		sut_describe_death(&e->worker, how, sizeof(how));
	if (mine && !r->rank)
		take_text(p, 0, how, strlen(how));
	r->gather(r->self, how, strlen(how), take_text, p);
	if (!p->text[0])
		problem_set(p, "a rank has lost its worker");
	return RANKS_FAILED;
}

struct complaints {
	struct problem *first;
	const char *own; /* rank 0's */
	bool others;     /* a rank has nothing to complain of, or something else */
};

static int take_problem(void *arg, u32 rank, void *bytes, u64 len)
{
	struct complaints *c = arg;

	c->others |= len != strlen(c->own) || memcmp(bytes, c->own, len) != 0;
	if (len && !c->first->text[0])
		problem_set(c->first, "rank %u: %.*s", rank, (int)HD_MIN(len, 1900), (const char *)bytes);
	return 0;
}

/* Rank 0's own problem says whose it is unless all ranks have it: all know of a wrong option. */
int ranks_agree(const struct session_ranks *r, bool failed, struct problem *p)
{
	struct problem own;
	struct complaints c = {.first = p, .own = own.text};

	if (!r)
		return failed ? -1 : 0;
	if (!failed)
		p->text[0] = 0;
	if (!r->largest(r->self, failed))
		return 0;
	own = *p;
	r->gather(r->self, p->text, strlen(p->text), take_problem, &c);
	if (!r->rank && own.text[0] && c.others)
		problem_set(p, "rank 0: %.1900s", own.text);
	return -1;
}

int ranks_same_start(const struct session_ranks *r, const struct launch *l,
		     const struct session_observer *observer, struct problem *p)
{
	struct fingerprint print = {0, 0}, first;
	char identity[sizeof(l->program->identity)];
	bool differs;

	memcpy(identity, l->program->identity, sizeof(identity));
	r->share(r->self, identity, sizeof(identity));
	differs = strcmp(identity, l->program->identity) != 0;
	if (differs)
		problem_set(p,
			    "%.200s is another program here than on rank 0 (build-ids %.70s and %.70s): copy "
			    "the same file to all machines",
			    l->program->path, l->program->identity, identity);
	if (ranks_agree(r, differs, p) || ranks_agree(r, session_fingerprint(l, observer, &print, p) != 0, p))
		return -1;
	first = print;
	r->share(r->self, &first, sizeof(first));
	differs = first.lo != print.lo || first.hi != print.hi;
	if (differs)
		problem_set(p, "the program does not start as on rank 0 (the initial states differ): it "
			       "needs the same files, libraries, working folder and environment everywhere");
	return ranks_agree(r, differs, p);
}

enum ranks_end ranks_search(const struct session_ranks *r, struct launch *l,
			    const struct session_observer *observer, struct outcome *o,
			    struct findings *found, struct problem *p)
{
	static struct wire_learnt known; /* large; one session runs at a time */
	enum ranks_end ret = RANKS_FAILED;
	u64 start_ms = monotonic_ms();

	memset(p, 0, sizeof(*p));
	memset(&known, 0, sizeof(known));
	if (ranks_same_start(r, l, observer, p))
		return RANKS_FAILED;
	for (u32 number = 1;; number++) {
		struct epoch e = {0};
		u64 outcome;

		if (ranks_agree(r, start(&e, r, l, p) != 0, p)) {
			end(&e, observer);
			return RANKS_FAILED;
		}
		observer->process(observer->self, e.worker.pid, true);
		outcome = r->largest(r->self, serve(&e, r, observer, number, start_ms));
		if (outcome == EPOCH_NETWORK)
			e.part.wire->alone = WIRE_ALONE_NETWORK;
		if (outcome == EPOCH_LOST) {
			bool mine = e.worker.ended && e.worker.worker->phase != WIRE_DONE;

			ret = tell_lost(&e, r, mine, p);
		} else if (outcome == SPREAD_OVER) {
			ret = collect(&e, r, l, o, found, p);
			o->wall_s = (double)(monotonic_ms() - start_ms) / 1000;
		} else if ((outcome == SPREAD_RESTART || outcome == SPREAD_DISAGREE) &&
			   learn(r, &e, &known)) {
			l->learnt = &known;
			end(&e, observer);
			continue;
		} else {
			ret = r->rank ? RANKS_DONE : RANKS_ALONE;
			if (outcome == SPREAD_RESTART || outcome == SPREAD_DISAGREE)
				e.part.wire->alone = WIRE_ALONE_DISAGREE;
			e.part.wire->alone = (u32)r->largest(r->self, e.part.wire->alone);
			workers_note_alone(e.part.wire, o);
		}
		end(&e, observer);
		return ret;
	}
}
