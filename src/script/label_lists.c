#include "script/label_lists.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 1024u
#define ANSWERS 4096u
#define NO_CHANGE (~0u)

/* What a record is: a list, which ascends or does not, or a difference, with the number of those removed. */
enum { IS_LIST, IS_ASCENDING, IS_CHANGE };

/* A question that was asked: from which list, at which place, given what. from 0: none yet. */
struct list_answer {
	u32 from, at, given, answer;
};

bool lists_init(struct label_lists *l)
{
	memset(l, 0, sizeof(*l));
	l->slot = calloc(FIRST_SLOTS, sizeof(*l->slot));
	l->applied = calloc(ANSWERS, sizeof(*l->applied));
	l->changed = calloc(ANSWERS, sizeof(*l->changed));
	l->scratch = malloc(4ul * MODEL_MAX_LIST * sizeof(*l->scratch));
	l->slots = FIRST_SLOTS;
	l->used = 1;
	return l->slot && l->applied && l->changed && l->scratch;
}

void lists_free(struct label_lists *l)
{
	free(l->word);
	free(l->slot);
	free(l->recent);
	free(l->applied);
	free(l->changed);
	free(l->scratch);
	memset(l, 0, sizeof(*l));
}

bool lists_labels(struct label_lists *l, const struct script_label *label, u32 labels)
{
	l->label = label;
	if (labels <= l->recent_room)
		return true;
	u32 room = l->recent_room ? l->recent_room : 64;
	while (room < labels)
		room *= 2;
	u32 *recent = realloc(l->recent, (size_t)room * MODEL_RANKS * sizeof(*recent));
	if (!recent)
		return !(l->failed = true);
	memset(recent + (size_t)l->recent_room * MODEL_RANKS, 0,
	       (size_t)(room - l->recent_room) * MODEL_RANKS * sizeof(*recent));
	l->recent = recent;
	l->recent_room = room;
	return true;
}

void lists_forget(struct label_lists *l)
{
	l->used = 1;
	l->filled = 0;
	memset(l->slot, 0, l->slots * sizeof(*l->slot));
	memset(l->applied, 0, ANSWERS * sizeof(*l->applied));
	memset(l->changed, 0, ANSWERS * sizeof(*l->changed));
	if (l->recent)
		memset(l->recent, 0, (size_t)l->recent_room * MODEL_RANKS * sizeof(*l->recent));
}

/* ---- records ---- */

static u32 hash_of(const u32 *label, u32 n, u32 what)
{
	u64 x = ((u64)n << 32 | what) * 0x9e3779b97f4a7c15ull;

	for (u32 i = 0; i < n; i++)
		x = ((x ^ label[i]) * 0x9fb21c651e98df25ull) ^ x >> 29;
	return (u32)(x >> 32);
}

static bool grow_slots(struct label_lists *l)
{
	u32 slots = 2 * l->slots, *slot = calloc(slots, sizeof(*slot));

	if (!slot)
		return false;
	for (u32 i = 0; i < l->slots; i++) {
		u32 at = l->slot[i];
		if (!at)
			continue;
		u32 k = hash_of(&l->word[at + 2], l->word[at], l->word[at + 1]) & (slots - 1);
		while (slot[k])
			k = (k + 1) & (slots - 1);
		slot[k] = at;
	}
	free(l->slot);
	l->slot = slot;
	l->slots = slots;
	return true;
}

static bool grow_words(struct label_lists *l, u32 more)
{
	if (more > MODEL_MAX_WORDS - l->used)
		return false;
	if (l->used + more <= l->room)
		return true;
	u32 room = l->room ? l->room : 4096;
	while (room < l->used + more)
		room *= 2;
	u32 *word = realloc(l->word, room * sizeof(*word));
	if (!word)
		return false;
	l->word = word;
	l->room = room;
	return true;
}

/* The record of these labels, which are not in l->word. 0: no room. */
static u32 record(struct label_lists *l, const u32 *label, u32 n, u32 what)
{
	u32 i = hash_of(label, n, what) & (l->slots - 1);

	for (; l->slot[i]; i = (i + 1) & (l->slots - 1)) {
		const u32 *there = &l->word[l->slot[i]];
		if (there[0] == n && there[1] == what && !memcmp(there + 2, label, n * sizeof(*label)))
			return l->slot[i];
	}
	u32 at = l->used;
	if (!grow_words(l, n + 2)) {
		l->failed = true;
		return 0;
	}
	l->word[at] = n;
	l->word[at + 1] = what;
	memcpy(&l->word[at + 2], label, n * sizeof(*label));
	l->used += n + 2;
	l->slot[i] = at;
	if (++l->filled > l->slots / 2 && !grow_slots(l)) {
		l->failed = true;
		return 0;
	}
	return at;
}

static bool ascends(const struct label_lists *l, const u32 *label, u32 n)
{
	for (u32 i = 1; i < n; i++)
		if (l->label[label[i - 1]].order >= l->label[label[i]].order)
			return false;
	return true;
}

u32 lists_number(struct label_lists *l, const u32 *label, u32 n)
{
	return record(l, label, n, ascends(l, label, n) ? IS_ASCENDING : IS_LIST);
}

/* ---- differences ---- */

/*
 * The transitions `from` without the one at `at`: what the next state is expected to have, until it is known
 * better. In l->scratch; false: they don't ascend, or are too many.
 */
static bool base_list(struct label_lists *l, u32 from, u32 at, u32 *n)
{
	const u32 *label = lists_of(l, from);
	u32 count = lists_count(l, from);

	*n = 0;
	if (count > MODEL_MAX_LIST)
		return false;
	for (u32 i = 0; i < count; i++)
		if (i != at)
			l->scratch[(*n)++] = label[i];
	return l->word[from + 1] == IS_ASCENDING || ascends(l, l->scratch, *n);
}

/* What has to be removed and added, by order. NO_CHANGE: that can't be said; 0: no room. */
static u32 find_change(struct label_lists *l, u32 from, u32 at, u32 list)
{
	const u32 *label = lists_of(l, list), *base = l->scratch;
	u32 *removed = l->scratch + MODEL_MAX_LIST, *added = removed + MODEL_MAX_LIST;
	u32 n = lists_count(l, list), left, i = 0, j = 0, removals = 0, additions = 0;

	if (l->word[list + 1] != IS_ASCENDING || n > MODEL_MAX_LIST || !base_list(l, from, at, &left))
		return NO_CHANGE;
	while (i < left || j < n) {
		if (i < left && j < n && base[i] == label[j]) {
			i++;
			j++;
		} else if (j == n || (i < left && l->label[base[i]].order <= l->label[label[j]].order)) {
			removed[removals++] = base[i++];
		} else {
			added[additions++] = label[j++];
		}
	}
	memmove(removed + removals, added, additions * sizeof(*added));
	return record(l, removed, removals + additions, IS_CHANGE + removals);
}

/* The list that such a change makes; 0: none, or no room. */
static u32 apply_change(struct label_lists *l, u32 from, u32 at, u32 change)
{
	const u32 *removed = lists_of(l, change), *base = l->scratch;
	u32 removals = l->word[change + 1] - IS_CHANGE, additions = lists_count(l, change) - removals;
	const u32 *added = removed + removals;
	u32 *to = l->scratch + MODEL_MAX_LIST, left, i = 0, j = 0, gone = 0, n = 0;

	if (!base_list(l, from, at, &left))
		return 0;
	while (i < left || j < additions) {
		if (i < left && gone < removals && base[i] == removed[gone]) {
			i++;
			gone++;
			continue;
		}
		if (n == MODEL_MAX_LIST)
			return 0;
		if (j == additions || (i < left && l->label[base[i]].order < l->label[added[j]].order))
			to[n++] = base[i++];
		else
			to[n++] = added[j++];
	}
	return gone == removals && ascends(l, to, n) ? record(l, to, n, IS_ASCENDING) : 0;
}

static struct list_answer *answer_of(struct list_answer *table, u32 from, u32 at, u32 given)
{
	u32 h = (from * 0x9e3779b1u ^ at * 0x85ebca6bu ^ given) * 0xc2b2ae35u;

	return &table[h >> 20 & (ANSWERS - 1)];
}

static u32 ask(struct label_lists *l, struct list_answer *table, u32 from, u32 at, u32 given,
	       u32 (*find)(struct label_lists *l, u32 from, u32 at, u32 given))
{
	struct list_answer *a = answer_of(table, from, at, given);

	if (hd_likely(a->from == from && a->at == at && a->given == given))
		return a->answer;
	u32 answer = find(l, from, at, given);
	if (answer)
		*a = (struct list_answer){from, at, given, answer};
	return answer;
}

static void move_to_front(u32 *recent, u32 rank)
{
	u32 change = recent[rank];

	for (; rank; rank--)
		recent[rank] = recent[rank - 1];
	recent[0] = change;
}

static u32 *recent_of(struct label_lists *l, u32 from, u32 at)
{
	return &l->recent[(size_t)lists_of(l, from)[at] * MODEL_RANKS];
}

u32 lists_rank(struct label_lists *l, u32 from, u32 at, u32 list)
{
	u32 change = ask(l, l->changed, from, at, list, find_change);
	u32 *recent = recent_of(l, from, at), rank = 0;

	if (!change || change == NO_CHANGE)
		return MODEL_RANKS;
	while (rank < MODEL_RANKS && recent[rank] != change)
		rank++;
	if (rank < MODEL_RANKS) {
		move_to_front(recent, rank);
	} else {
		recent[MODEL_RANKS - 1] = change;
		move_to_front(recent, MODEL_RANKS - 1);
	}
	return rank;
}

u32 lists_ranked(struct label_lists *l, u32 from, u32 at, u32 rank)
{
	u32 *recent = recent_of(l, from, at);
	u32 list = recent[rank] ? ask(l, l->applied, from, at, recent[rank], apply_change) : 0;

	if (list)
		move_to_front(recent, rank);
	return list;
}
