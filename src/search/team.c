/*
 * Layout of the memory:
 *
 *   0          struct team
 *   UNITS      UNIT_SLOTS units of TEAM_UNIT_BYTES
 *   NOTES      the notes
 *   LEFT       of each worker what it had still to do when the search was saved
 *   TABLES     the region of the table of visited states
 *
 * All of it is sparse. Zero means: no worker, no work, no call, an empty table.
 */
#include "search/team.h"

#include <asm-generic/errno-base.h>
#include <linux/mman.h>
#include <sys/syscall.h>

#include "base/shared_lock.h"
#include "base/sys.h"

void *memcpy(void *to, const void *from, size_t n);

#define UNIT_SLOTS 64u
#define DISAGREE_MAX 2u
#define UNITS (1UL << 30)
#define NOTES (1UL << 31)
#define TABLES (1UL << 33)
#define LEFT (TABLES - WIRE_MAX_WORKERS * TEAM_UNIT_BYTES)
#define NOTES_MAX ((LEFT - NOTES) / sizeof(u64)) /* words */
_Static_assert(UNITS + UNIT_SLOTS * TEAM_UNIT_BYTES <= NOTES, "units and notes");
_Static_assert(TABLES + SHARED_VISITED_REGION <= WIRE_TEAM_SIZE, "the table's region");

/* What different workers write lies in different cache lines. NOLINTNEXTLINE(*.Padding) */
struct team {
	struct shared_lock lock;
	u32 bell; /* goes up when those who wait should look again */
	u32 members;
	u32 numbers; /* above the highest number of a worker */
	/* Read by busy workers, hence together. */
	u32 call; /* enum team_call */
	u32 idle, queued;
	/* Meetings. */
	u32 meets;   /* 1: one is under way */
	u32 arrived; /* at the present point of it */
	u32 point;   /* goes up when all have arrived */
	u32 decided; /* enum team_call */
	u32 end;     /* enum search_end + 1; 0: nobody called TEAM_END */
	u32 over;    /* TEAM_END or TEAM_ALONE was decided */
	u32 begun;   /* team_begin */
	u32 started; /* `initial` is known */
	struct fingerprint initial;
	u32 first_unit; /* of `queued` */
	u64 unit_bytes[UNIT_SLOTS];
	u64 notes;        /* words */
	u64 search_notes; /* how many there were when this search began */
	u64 filter_bytes; /* TEAM_FILTER */
	u64 filtered_from;
	u32 disagreed; /* how often workers did, without a reason */
	/* Saving. */
	u32 spoilt;  /* somebody's unit is too long */
	u32 revived; /* the search goes on from a saved one, and was not started again since */
	u64 left_bytes[WIRE_MAX_WORKERS];
	u64 relied_from;                         /* notes from there on were said when the search was saved */
	u64 former_notes;                        /* notes below were said by workers of the saved search */
	u64 former_states;                       /* of the saved search */
	u64 states __attribute__((aligned(64))); /* team_count_state */
	struct shared_visited visited __attribute__((aligned(64)));
	struct {
		u64 states, memory;
	} __attribute__((aligned(64))) worker[WIRE_MAX_WORKERS];
};

static void lock(struct team *t)
{
	shared_lock_take(&t->lock);
}

static void unlock(struct team *t)
{
	shared_lock_free(&t->lock);
}

/* With the lock held. */
static void ring(struct team *t)
{
	__atomic_fetch_add(&t->bell, 1, __ATOMIC_RELEASE);
	shared_word_wake(&t->bell, WIRE_MAX_WORKERS);
}

/* With the lock held, which is free in between. */
static void wait(struct team *t)
{
	u32 heard = __atomic_load_n(&t->bell, __ATOMIC_ACQUIRE);
	unlock(t);
	shared_word_wait(&t->bell, heard);
	lock(t);
}

bool team_join(struct team_member *m, void *memory, u32 number)
{
	struct team *t = memory;
	hd_assert(number < WIRE_MAX_WORKERS);
	*m = (struct team_member){
		.team = t, .number = number, .table = {&t->visited, (char *)memory + TABLES}};
	lock(t);
	while (t->meets)
		wait(t);
	m->joined = !t->over;
	t->members += m->joined;
	t->numbers = HD_MAX(t->numbers, number + 1);
	unlock(t);
	return m->joined;
}

bool team_same_start(struct team_member *m, struct fingerprint initial)
{
	struct team *t = m->team;
	lock(t);
	if (!t->started)
		t->initial = initial;
	t->started = 1;
	bool same = t->initial.lo == initial.lo && t->initial.hi == initial.hi;
	unlock(t);
	return same;
}

/* ---- looks ---- */

u32 team_called(const struct team_member *m)
{
	return __atomic_load_n(&m->team->call, __ATOMIC_ACQUIRE);
}

bool team_is_hungry(const struct team_member *m)
{
	const struct team *t = m->team;
	return __atomic_load_n(&t->idle, __ATOMIC_RELAXED) > __atomic_load_n(&t->queued, __ATOMIC_RELAXED);
}

u64 team_states(const struct team_member *m)
{
	u64 states = m->team->former_states;
	for (u32 i = 0; i < m->team->numbers; i++)
		states += __atomic_load_n(&m->team->worker[i].states, __ATOMIC_RELAXED);
	return states;
}

void team_publish(struct team_member *m, u64 states, u64 memory)
{
	__atomic_store_n(&m->team->worker[m->number].states, states, __ATOMIC_RELAXED);
	__atomic_store_n(&m->team->worker[m->number].memory, memory, __ATOMIC_RELAXED);
}

u64 team_memory(const struct team_member *m)
{
	u64 bytes = 0;
	for (u32 i = 0; i < m->team->numbers; i++)
		bytes += __atomic_load_n(&m->team->worker[i].memory, __ATOMIC_RELAXED);
	return bytes;
}

u64 team_count_state(struct team_member *m)
{
	return __atomic_fetch_add(&m->team->states, 1, __ATOMIC_RELAXED);
}

/* ---- meetings ---- */

static void call_locked(struct team *t, u32 why, u32 end)
{
	if (why & TEAM_END && !t->end)
		t->end = end + 1;
	__atomic_fetch_or(&t->call, why, __ATOMIC_RELEASE);
	ring(t);
}

void team_call(struct team_member *m, u32 why, u32 end)
{
	lock(m->team);
	call_locked(m->team, why, end);
	unlock(m->team);
}

void team_call_filter(struct team_member *m, u64 bytes)
{
	lock(m->team);
	m->team->filter_bytes = bytes;
	call_locked(m->team, TEAM_FILTER, 0);
	unlock(m->team);
}

u64 team_filtered_from(const struct team_member *m)
{
	return m->team->filtered_from;
}

/* All workers come here before anybody goes on; the last one does what is to be done. */
static void arrive(struct team_member *m, void (*last)(struct team_member *m))
{
	struct team *t = m->team;
	lock(t);
	u32 point = t->point;
	t->meets = 1;
	if (++t->arrived == t->members) {
		if (last)
			last(m);
		t->arrived = 0;
		t->point++;
		ring(t);
	}
	while (t->point == point)
		wait(t);
	unlock(t);
}

static void start_again(struct team_member *m)
{
	struct team *t = m->team;
	shared_visited_reset(&m->table);
	t->begun = t->queued = t->first_unit = t->end = 0;
	t->search_notes = t->notes;
	t->filtered_from = 0;
	t->states = t->former_states = t->revived = 0;
	for (u32 i = 0; i < WIRE_MAX_WORKERS; i++)
		t->worker[i].states = 0;
}

static void decide(struct team_member *m)
{
	struct team *t = m->team;
	u32 call = t->call;
	t->decided = 0;
	if (call & TEAM_ALONE)
		t->decided = TEAM_ALONE;
	else if (call & (TEAM_RESTART | TEAM_PASS))
		t->decided = call & TEAM_RESTART ? TEAM_RESTART : TEAM_PASS;
	else if (call & TEAM_DISAGREE)
		t->decided = ++t->disagreed > DISAGREE_MAX ? TEAM_ALONE : TEAM_RESTART;
	else if (call & TEAM_LIVELOCK)
		t->decided = TEAM_ALONE;
	else if (call & TEAM_END)
		t->decided = TEAM_END;
	else if (call & TEAM_FILTER && !m->table.shared->poured)
		t->decided = TEAM_FILTER;
	else if (call & TEAM_GROW && team_states(m) > shared_visited_limit(&m->table))
		t->decided = shared_visited_grow(&m->table) == 0 ? TEAM_GROW : TEAM_END;
	else if ((call & (TEAM_SAVE | TEAM_UNREADY)) == TEAM_SAVE)
		t->decided = TEAM_SAVE;
	if (t->decided == TEAM_END && !t->end)
		t->end = SEARCH_LIMIT_MEMORY + 1;
	if (t->decided == TEAM_RESTART || t->decided == TEAM_PASS)
		start_again(m);
	if (t->decided == TEAM_ALONE)
		shared_visited_reset(&m->table);
	t->over = t->decided == TEAM_END || t->decided == TEAM_ALONE;
	t->call = 0;
	if (t->decided == TEAM_FILTER) {
		shared_visited_filter(&m->table, t->filter_bytes);
		t->filtered_from = team_states(m);
	}
	if (t->decided == TEAM_SAVE) {
		t->spoilt = 0;
		t->relied_from = t->notes;
	}
	if (t->decided != TEAM_GROW && t->decided != TEAM_SAVE && t->decided != TEAM_FILTER)
		t->meets = 0;
}

static void poured(struct team_member *m)
{
	shared_visited_poured(&m->table);
	m->team->meets = 0;
}

void team_filter_end(struct team_member *m)
{
	arrive(m, poured);
}

static void grown(struct team_member *m)
{
	shared_visited_grown(&m->table);
	m->team->meets = 0;
}

u32 team_meet(struct team_member *m, u32 (*check)(void *self, u32 called, u32 end), void *self, u32 *end)
{
	struct team *t = m->team;
	arrive(m, NULL);
	/* Nobody learns anything any more. Those who are here may still add to the call. */
	u32 called = __atomic_load_n(&t->call, __ATOMIC_ACQUIRE);
	u32 more = check(self, called, t->end ? t->end - 1 : 0);
	if (more)
		__atomic_fetch_or(&t->call, more, __ATOMIC_RELEASE);
	arrive(m, decide);
	u32 decided = t->decided;
	*end = t->end ? t->end - 1 : 0;
	if (decided != TEAM_GROW)
		return decided;
	shared_visited_move(&m->table);
	arrive(m, grown);
	return decided;
}

/* ---- work ---- */

static char *unit_at(struct team *t, u32 slot)
{
	return (char *)t + UNITS + slot * TEAM_UNIT_BYTES;
}

bool team_begin(struct team_member *m)
{
	lock(m->team);
	bool first = !m->team->begun;
	m->team->begun = 1;
	unlock(m->team);
	return first;
}

bool team_give(struct team_member *m, const void *unit, size_t bytes)
{
	struct team *t = m->team;
	hd_assert(bytes <= TEAM_UNIT_BYTES);
	lock(t);
	bool wanted = t->idle > t->queued && t->queued < UNIT_SLOTS;
	if (wanted) {
		u32 slot = (t->first_unit + t->queued) % UNIT_SLOTS;
		memcpy(unit_at(t, slot), unit, bytes);
		t->unit_bytes[slot] = bytes;
		t->queued++;
		ring(t);
	}
	unlock(t);
	return wanted;
}

static int take_first(struct team *t, struct pages_vec *out)
{
	u32 slot = t->first_unit;
	char *to = pages_vec_push(out, t->unit_bytes[slot]);
	if (!to)
		return -ENOMEM;
	memcpy(to, unit_at(t, slot), t->unit_bytes[slot]);
	t->first_unit = (slot + 1) % UNIT_SLOTS;
	t->queued--;
	return 1;
}

int team_take(struct team_member *m, struct pages_vec *out)
{
	struct team *t = m->team;
	int got = 0;
	lock(t);
	t->idle++;
	while (!got && !t->call) {
		if (t->queued)
			got = take_first(t, out);
		else if (t->idle == t->members && t->begun && !t->meets)
			call_locked(t, TEAM_END, SEARCH_COMPLETE);
		else
			wait(t);
	}
	t->idle--;
	unlock(t);
	return got;
}

/* ---- saving ---- */

static char *left_at(struct team *t, u32 number)
{
	return (char *)t + LEFT + number * TEAM_UNIT_BYTES;
}

void team_deposit(struct team_member *m, const void *unit, size_t bytes)
{
	struct team *t = m->team;
	bool fits = bytes <= TEAM_UNIT_BYTES;
	if (!fits)
		__atomic_store_n(&t->spoilt, 1, __ATOMIC_RELEASE);
	t->left_bytes[m->number] = fits ? bytes : 0;
	if (fits && bytes)
		memcpy(left_at(t, m->number), unit, bytes);
}

bool team_save_begin(struct team_member *m)
{
	arrive(m, NULL);
	return !m->team->spoilt && m->team->queued + m->team->members <= UNIT_SLOTS;
}

static void end_meeting(struct team_member *m)
{
	m->team->meets = 0;
}

void team_save_end(struct team_member *m)
{
	arrive(m, end_meeting);
}

void team_revive(void *memory)
{
	struct team *t = memory;
	t->lock = (struct shared_lock){0};
	t->members = t->call = t->idle = 0;
	t->meets = t->arrived = t->point = t->decided = t->end = t->over = 0;
	t->begun = t->revived = 1;
	t->former_notes = HD_MIN(t->notes, NOTES_MAX);
	for (u32 i = 0; i < t->numbers; i++) {
		t->former_states += t->worker[i].states;
		t->worker[i].states = t->worker[i].memory = 0;
		if (!t->left_bytes[i])
			continue;
		u32 slot = (t->first_unit + t->queued++) % UNIT_SLOTS;
		memcpy(unit_at(t, slot), left_at(t, i), t->left_bytes[i]);
		t->unit_bytes[slot] = t->left_bytes[i];
		t->left_bytes[i] = 0;
	}
	t->numbers = 0;
}

bool team_heard_saved(const struct team_member *m)
{
	const struct team *t = m->team;
	return t->revived && m->heard > t->relied_from && m->heard <= t->former_notes;
}

/* ---- notes ---- */

/* A note is a word that tells of it, written last, and then its own words. */
#define HEAD(kind, from, words) ((u64)(kind) | (u64)(from) << 16 | (u64)(words) << 32)

static u64 *notes(struct team *t)
{
	return (u64 *)((char *)t + NOTES);
}

bool team_say(struct team_member *m, u16 kind, const u64 *word, u32 words)
{
	u64 at = __atomic_fetch_add(&m->team->notes, 1 + words, __ATOMIC_ACQ_REL);
	if (at + 1 + words > NOTES_MAX)
		return false;
	u64 *to = notes(m->team) + at;
	for (u32 w = 0; w < words; w++)
		to[1 + w] = word[w];
	__atomic_store_n(to, HEAD(kind, m->number, words), __ATOMIC_RELEASE);
	return true;
}

void team_each_note(const struct team_member *m, u16 kind, void (*fn)(void *self, const u64 *word, u32 words),
		    void *self)
{
	u64 end = HD_MIN(m->team->notes, NOTES_MAX);
	for (u64 at = m->team->search_notes; at < end;) {
		const u64 *note = notes(m->team) + at;
		u32 words = (u32)(*note >> 32);
		if (!*note) /* it did not fit */
			return;
		if ((u16)*note == kind)
			fn(self, note + 1, words);
		at += 1 + words;
	}
}

const u64 *team_hear(struct team_member *m, u16 *kind, u32 *words)
{
	u64 end = HD_MIN(__atomic_load_n(&m->team->notes, __ATOMIC_ACQUIRE), NOTES_MAX);
	while (m->heard < end) {
		const u64 *note = notes(m->team) + m->heard;
		u64 head = __atomic_load_n(note, __ATOMIC_ACQUIRE);
		if (!head)
			return NULL;
		*kind = (u16)head;
		*words = (u32)(head >> 32);
		m->heard += 1 + *words;
		if ((u16)(head >> 16) != m->number || m->heard <= m->team->former_notes)
			return note + 1;
	}
	return NULL;
}
