#include "session/profile_names.h"

#include <stdio.h>

/* Where the main thread begins is no place in the program. */
#define FIRST_ADDRESS 0x10000u

static void add_place(struct wire_profile *all, const struct wire_profile_place *one)
{
	u32 i = 0;

	while (i < all->places && all->place[i].key != one->key)
		i++;
	if (i == WIRE_PROFILE_MAX)
		return;
	if (i == all->places) {
		all->place[i] = *one;
		all->place[i].what[sizeof(one->what) - 1] = 0;
		all->places++;
		return;
	}
	all->place[i].threads |= one->threads;
	all->place[i].fresh += one->fresh;
	all->place[i].met += one->met;
	all->place[i].outcomes += one->outcomes;
}

/* How many values two workers saw in all is not known: at least as many as one of them. */
static void add_word(struct wire_profile *all, const struct wire_profile_word *one)
{
	u32 i = 0;

	while (i < all->words && all->word[i].address != one->address)
		i++;
	if (i == WIRE_PROFILE_MAX)
		return;
	if (i == all->words) {
		all->word[i] = *one;
		all->word[i].what[sizeof(one->what) - 1] = 0;
		all->words++;
		return;
	}
	all->word[i].values = HD_MAX(all->word[i].values, one->values);
	all->word[i].changes += one->changes;
	all->word[i].only_grows &= one->only_grows;
	all->word[i].only_shrinks &= one->only_shrinks;
}

/* thread 0: several use it. */
static void add_lock(struct wire_profile *all, const struct wire_profile_lock *one)
{
	u32 i = 0;

	while (i < all->locks && all->lock[i].object != one->object)
		i++;
	if (i == WIRE_PROFILE_MAX)
		return;
	if (i == all->locks) {
		all->lock[all->locks++] = *one;
		all->lock[i].workers = 1;
		return;
	}
	all->lock[i].workers++;
	all->lock[i].uses += one->uses;
	if (all->lock[i].thread != one->thread)
		all->lock[i].thread = 0;
}

void profile_add(struct wire_profile *all, const struct wire_profile *one)
{
	all->workers++;
	all->every = one->every;
	all->fresh += one->fresh;
	all->met += one->met;
	for (u32 i = 0; i < HD_MIN(one->places, (u32)WIRE_PROFILE_MAX); i++)
		add_place(all, &one->place[i]);
	for (u32 i = 0; i < HD_MIN(one->words, (u32)WIRE_PROFILE_MAX); i++)
		add_word(all, &one->word[i]);
	for (u32 i = 0; i < HD_MIN(one->locks, (u32)WIRE_PROFILE_MAX); i++)
		add_lock(all, &one->lock[i]);
}

bool profile_wanted(const struct wire_profile *p, const struct outcome *o)
{
	if (!p->places && !p->words)
		return false;
	switch (o->end) {
	case SEARCH_LIMIT_STATES:
	case SEARCH_LIMIT_TIME:
	case SEARCH_LIMIT_MEMORY:
	case SEARCH_INTERRUPTED:
		return true;
	default:
		return o->profile.asked;
	}
}

static void line_of(struct symbols *symbols, u64 pc, char *out, size_t cap)
{
	struct frame frames[FRAMES_MAX];
	size_t n = pc >= FIRST_ADDRESS ? symbols_locate(symbols, pc, true, frames, FRAMES_MAX) : 0;

	out[0] = 0;
	if (n)
		frames_where(frames, n, out, cap);
}

static void name_place(const struct wire_profile_place *from, struct symbols *symbols,
		       struct profile_place *to)
{
	symbols_expand(symbols, from->what, to->what, sizeof(to->what));
	line_of(symbols, from->pc, to->where, sizeof(to->where));
	to->threads = from->threads;
	to->fresh = from->fresh;
	to->met = from->met;
	to->outcomes = from->outcomes;
}

static void name_word(const struct wire_profile_word *from, struct symbols *symbols, struct profile_word *to)
{
	to->values = from->values;
	to->only_grows = from->only_grows;
	to->only_shrinks = from->only_shrinks;
	if (from->what[0]) {
		snprintf(to->what, sizeof(to->what), "%s", from->what);
		line_of(symbols, from->pc, to->where, sizeof(to->where));
		return;
	}
	symbols_name(symbols, from->address, to->what, sizeof(to->what));
	to->declared = symbols_declared(symbols, from->address, to->where, sizeof(to->where));
	if (!to->declared)
		line_of(symbols, from->pc, to->where, sizeof(to->where));
}

void profile_name(const struct wire_profile *from, struct symbols *symbols, struct profile *to)
{
	to->every = from->every;
	to->fresh = from->fresh;
	to->met = from->met;
	for (u32 i = 0; i < from->places; i++)
		name_place(&from->place[i], symbols, &to->place[i]);
	to->places = from->places;
	for (u32 i = 0; i < from->words; i++)
		name_word(&from->word[i], symbols, &to->word[i]);
	to->words = from->words;
	for (u32 i = 0; i < from->locks; i++) {
		struct profile_lock *l = &to->lock[to->locks];

		/* A worker that does not tell of it may have seen a second thread. */
		if (!from->lock[i].thread || from->lock[i].workers != from->workers)
			continue;
		symbols_name(symbols, from->lock[i].object & 0xffffffffffffffUL, l->what, sizeof(l->what));
		l->thread = from->lock[i].thread;
		l->uses = from->lock[i].uses;
		to->locks++;
	}
	to->named = true;
}
