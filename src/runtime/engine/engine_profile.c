#include "runtime/engine/engine_profile.h"

#include "base/table.h"
#include "base/text.h"
#include "runtime/engine/engine_audit.h"
#include "runtime/engine/engine_priv.h"
#include "runtime/rt.h"
#include "runtime/sched/access.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/owner.h"
#include "state/fingerprint.h"
#include "state/track.h"
#include "wire/wire.h"

/* One of so many is looked at, without --profile. A power of two. */
#define SPARSELY 64u
/* Words and places beyond these are left out. */
#define WORDS_MAX 16384u
#define PLACES_MAX 4096u
#define LOCKS_MAX 4096u

/* An operation of the program: what, on what, and from where it was called. */
struct call_site {
	u64 key;
	u64 pc;
	u64 threads;
	u64 fresh;         /* new states that it led to */
	u64 met, outcomes; /* states in which it was possible, and in how many ways */
	char what[WIRE_PROFILE_WHAT];
};

/*
 * A word that changes. The number of its values is estimated: of n hashes that are spread evenly, the k-th
 * smallest is about k / n of the way up (Bar-Yossef and others: Counting distinct elements in a data stream,
 * 2002). Up to k it is exact.
 */
#define KEPT 16u
struct word {
	u64 address;
	u64 changed; /* bits */
	u64 pc;      /* where the thread stood before the step that changed it last */
	u64 changes;
	u32 grew, shrank;
	u32 kept;
	u64 hash[KEPT]; /* the smallest ones, in ascending order */
};

struct lock {
	u64 object;
	u32 slot;
	bool several; /* threads */
	u64 uses;
};

/* Engine memory: never rolled back. */
static struct profiler {
	u64 every;
	u64 steps, states; /* seen; of them every `every`-th is looked at */
	u64 fresh, met;    /* sums over all places */
	struct table places, words, locks;
	u64 here; /* key of the place that the step under way is of; 0: it is not looked at */
	u64 pc;
} profile;

static struct call_site *place_of(u32 slot)
{
	const struct fiber *f = &model->fiber[slot];
	u64 pc = engine_program_pc(slot), at[3] = {f->op.kind, f->op.object, pc};
	u64 key = XXH3_64bits(at, sizeof(at)) | 1;
	struct call_site *p = profile.places.count < PLACES_MAX ? table_add(&profile.places, key)
								: table_find(&profile.places, key);
	if (!p)
		return NULL;
	if (!p->what[0]) {
		struct text t;
		text_init(&t, p->what, sizeof(p->what));
		op_describe(f, &f->op, 0, &t);
		p->pc = pc;
	}
	p->threads |= 1ull << HD_MIN(slot, 63u);
	return p;
}

/* Who waits for a lock, or is about to take it, uses it, too. */
static void count_pending_locks(void)
{
	for (u32 slot = 0; slot < sched_fiber_limit(); slot++) {
		const struct fiber *f = &model->fiber[slot];
		bool alive = f->life == FIBER_ALIVE && f->op.object;
		struct lock *l = alive ? table_find(&profile.locks, f->op.object) : NULL;
		if (l)
			l->several |= l->slot != slot;
	}
}

/* The actions of a fiber follow each other. */
static enum move on_enter(void *self, struct search *s, const u32 *actions, u32 n)
{
	(void)self;
	(void)s;
	if (profile.every == 1)
		count_pending_locks();
	if (profile.states++ & (profile.every - 1) || n < 2)
		return MOVE_KNOWN;
	for (u32 i = 0; i < n;) {
		u32 slot = ACTION_FIBER(actions[i]), first = i;
		while (i < n && ACTION_FIBER(actions[i]) == slot)
			i++;
		struct call_site *p = place_of(slot);
		if (!p)
			continue;
		p->met++;
		p->outcomes += i - first;
		profile.met++;
	}
	return MOVE_KNOWN;
}

static enum move on_step(void *self, struct search *s, u32 action)
{
	(void)self;
	(void)s;
	profile.here = 0;
	if (profile.steps++ & (profile.every - 1))
		return MOVE_KNOWN;
	const struct call_site *p = place_of(ACTION_FIBER(action));
	profile.here = p ? p->key : 0;
	profile.pc = p ? p->pc : 0;
	return MOVE_KNOWN;
}

static void count_value(struct word *w, u64 value)
{
	u64 hash = XXH3_64bits(&value, sizeof(value));
	u32 at = w->kept;
	while (at && w->hash[at - 1] >= hash)
		at--;
	if (at == KEPT || (at < w->kept && w->hash[at] == hash))
		return;
	w->kept = HD_MIN(w->kept + 1, KEPT);
	for (u32 i = w->kept - 1; i > at; i--)
		w->hash[i] = w->hash[i - 1];
	w->hash[at] = hash;
}

static u64 values_of(const struct word *w)
{
	if (w->kept < KEPT)
		return w->kept;
	u64 part = w->hash[KEPT - 1] / (KEPT - 1);
	return part ? ~0ull / part : w->changes;
}

static void on_word(void *self, u64 address, u64 was, u64 is)
{
	(void)self;
	if (address - LAYOUT_KSTACK_BASE < LAYOUT_MAX_FIBERS * LAYOUT_KSTACK_STRIDE)
		return;
	struct word *w = profile.words.count < WORDS_MAX ? table_add(&profile.words, address)
							 : table_find(&profile.words, address);
	if (!w)
		return;
	w->changed |= was ^ is;
	w->pc = profile.pc;
	w->changes++;
	w->grew += was && is > was; /* the first value says nothing */
	w->shrank += was && is < was;
	count_value(w, is);
}

static void count_locks(u32 slot)
{
	const struct footprint *f = access_footprint();
	for (u32 i = 0; i < f->count; i++) {
		const struct access *a = &f->access[i];
		if (object_class(a->object) != OBJECT_MEMORY ||
		    (a->mode != ACCESS_ACQUIRE && a->mode != ACCESS_TRY && a->mode != ACCESS_RELEASE))
			continue;
		struct lock *l = profile.locks.count < LOCKS_MAX ? table_add(&profile.locks, a->object)
								 : table_find(&profile.locks, a->object);
		if (!l)
			continue;
		if (!l->uses)
			l->slot = slot;
		l->several |= l->slot != slot;
		l->uses += a->mode != ACCESS_RELEASE;
	}
}

static enum move on_edge(void *self, struct search *s, u32 action, enum edge to)
{
	(void)self;
	(void)s;
	if (profile.every == 1)
		count_locks(ACTION_FIBER(action)); /* "by one thread only" must be true */
	if (hd_likely(!profile.here) || to == EDGE_KNOWN || to == EDGE_DEAD)
		return MOVE_KNOWN;
	struct call_site *p = table_find(&profile.places, profile.here);
	p->fresh++;
	profile.fresh++;
	if (track_mark())
		track_changed(track_mark() - 1, on_word, NULL);
	return MOVE_KNOWN;
}

static void *on_begin(struct search *s)
{
	(void)s;
	table_free(&profile.places);
	table_free(&profile.words);
	table_free(&profile.locks);
	profile = (struct profiler){.every = rt_wire->config.profile ? 1 : SPARSELY,
				    .places = TABLE_OF(struct call_site),
				    .words = TABLE_OF(struct word),
				    .locks = TABLE_OF(struct lock)};
	/* Where states come from is no question of who follows a script, unless it is asked. */
	u32 script = rt_worker->task.script;
	bool follows = script == WIRE_SCRIPT_FOLLOW || script == WIRE_SCRIPT_TRUST;
	return follows && !rt_wire->config.profile ? NULL : &profile;
}

static u64 memory_of(const void *self)
{
	(void)self;
	return table_bytes(&profile.places) + table_bytes(&profile.words) + table_bytes(&profile.locks);
}

const struct observer engine_profile = {
	.begin = on_begin,
	.enter = on_enter,
	.step = on_step,
	.edge = on_edge,
	.memory = memory_of,
};

/* --- the foremost --- */

/* The entry of the greatest weight below that of the one before (its key decides between equals), not 0. */
static const void *next_by(const struct table *t, u64 (*weight)(const void *), u64 *last, u64 *last_key)
{
	const void *best = NULL;
	u64 most = 0, key = 0;
	for (const void *e = NULL; (e = table_next(t, e)) != NULL;) {
		u64 w = weight(e), k = *(const u64 *)e;
		if (!w || w > *last || (w == *last && k >= *last_key))
			continue;
		if (w > most || (w == most && k > key)) {
			best = e;
			most = w;
			key = k;
		}
	}
	*last = most;
	*last_key = key;
	return best;
}

static u64 weight_of_place(const void *e)
{
	const struct call_site *p = e;
	return p->fresh * 1024 + HD_MIN(p->met, 1023ul);
}

/* With few values it is no reason. A thread's own record holds where it stands, not what the program does. */
static u64 weight_of_word(const void *e)
{
	const struct word *w = e;
	struct owner o;
	u64 values = values_of(w);
	if (values < WIRE_PROFILE_VALUES || values * 16 < w->changes)
		return 0;
	if (engine_in_model(w->address) && engine_owner_of(w->address, &o) &&
	    object_class(o.object) == OBJECT_THREAD)
		return 0;
	return values;
}

static u64 weight_of_lock(const void *e)
{
	const struct lock *l = e;
	return l->several ? 0 : l->uses;
}

static void write_place(const struct call_site *p, struct wire_profile_place *to)
{
	*to = (struct wire_profile_place){.key = p->key,
					  .pc = p->pc,
					  .threads = p->threads,
					  .fresh = p->fresh,
					  .met = p->met,
					  .outcomes = p->outcomes};
	str_copy(to->what, sizeof(to->what), p->what);
}

static void write_word(const struct word *w, struct wire_profile_word *to)
{
	struct owner o;
	u32 byte = w->changed ? (u32)__builtin_ctzll(w->changed) / 8 : 0;
	*to = (struct wire_profile_word){.address = w->address + (byte & ~3u),
					 .pc = w->pc,
					 .changes = w->changes,
					 .values = HD_MIN(values_of(w), w->changes),
					 .only_grows = !w->shrank,
					 .only_shrinks = !w->grew};
	if (!engine_in_model(w->address))
		return;
	to->only_grows = to->only_shrinks = 0; /* not what a word of a record does counts */
	str_copy(to->what, sizeof(to->what),
		 engine_owner_of(w->address, &o) ? o.what : "the state of the system");
}

void profile_write(void)
{
	struct wire_profile *out = &rt_worker->result.profile;
	u64 last = ~0ull, key = ~0ull;
	const struct call_site *p;
	const struct word *w;
	const struct lock *l;
	*out = (struct wire_profile){.every = (u32)profile.every, .fresh = profile.fresh, .met = profile.met};
	while (out->places < WIRE_PROFILE_MAX && (p = next_by(&profile.places, weight_of_place, &last, &key)))
		write_place(p, &out->place[out->places++]);
	for (last = key = ~0ull;
	     out->words < WIRE_PROFILE_MAX && (w = next_by(&profile.words, weight_of_word, &last, &key));)
		write_word(w, &out->word[out->words++]);
	for (last = key = ~0ull;
	     out->locks < WIRE_PROFILE_MAX && (l = next_by(&profile.locks, weight_of_lock, &last, &key));)
		out->lock[out->locks++] = (struct wire_profile_lock){l->object, l->uses, l->slot + 1, 0};
}
