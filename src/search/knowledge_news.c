/*
 * What is known of a program, handed on to other workers (parallel.h): the same words that knowledge.c is
 * told. Control points go by their keys, which are the same everywhere. A point is told before anything about
 * it.
 */
#include "search/reduction_priv.h"

enum news {
	NEWS_POINT, /* fiber, joins, coarse, key */
	NEWS_EDGE,  /* from, to, objects that the step made … */
	NEWS_PRINT, /* kind, world, point, uses … */
	NEWS_PAIR,  /* point, object */
	NEWS_FAILED,
};

bool reduction_fail(struct reduction *r)
{
	const u64 word[] = {NEWS_FAILED};
	bool told = r->failed;
	r->failed = true;
	if (r->say && !told)
		r->say(r->to, word, HD_ARRAY_LEN(word));
	return false;
}

static bool is_silent(const struct reduction *r)
{
	return hd_likely(!r->say) || r->hearing;
}

void knowledge_say_point(const struct reduction *r, u32 point)
{
	if (is_silent(r))
		return;
	const struct control_point *p = point_at(r, point);
	const u64 word[] = {NEWS_POINT, (u64)p->fiber << 32 | p->joins, p->coarse, p->key};
	r->say(r->to, word, HD_ARRAY_LEN(word));
}

void knowledge_say_edge(const struct reduction *r, u32 from, u32 to, const struct footprint *by)
{
	if (is_silent(r))
		return;
	u64 word[3 + FOOTPRINT_MAX] = {NEWS_EDGE, point_at(r, from)->key, point_at(r, to)->key};
	u32 n = 3;
	for (u32 i = 0; i < by->count; i++)
		if (by->access[i].mode == ACCESS_MAKE)
			word[n++] = by->access[i].object;
	r->say(r->to, word, n);
}

void knowledge_say_print(const struct reduction *r, u32 point, const struct footprint *f, enum fact_kind kind)
{
	if (is_silent(r))
		return;
	u64 word[3 + 2 * FOOTPRINT_MAX] = {NEWS_PRINT | (u64)kind << 8, f->world, point_at(r, point)->key};
	u32 n = 3;
	for (u32 i = 0; i < f->count; i++) {
		word[n++] = f->access[i].object;
		word[n++] = (u64)f->access[i].bytes << 32 | f->access[i].mode;
	}
	r->say(r->to, word, n);
}

void knowledge_say_pair(const struct reduction *r, u32 point, u64 object)
{
	if (is_silent(r))
		return;
	const u64 word[] = {NEWS_PAIR, point_at(r, point)->key, object};
	r->say(r->to, word, HD_ARRAY_LEN(word));
}

u32 knowledge_told_point(const struct reduction *r, u64 key)
{
	const struct key_index *k = table_find(&r->point_table, key);
	hd_assert(k);
	return k->index - 1;
}

static void hear_edge(struct reduction *r, const u64 *word, u32 words)
{
	struct footprint by = {.count = words - 3};
	for (u32 i = 0; i < by.count; i++)
		by.access[i] = (struct access){word[3 + i], 1, ACCESS_MAKE};
	knowledge_edge(r, knowledge_told_point(r, word[1]), knowledge_told_point(r, word[2]), &by);
}

static void hear_print(struct reduction *r, const u64 *word, u32 words)
{
	struct footprint f = {.count = (words - 3) / 2, .world = (u32)word[1]};
	for (u32 i = 0; i < f.count; i++)
		f.access[i] = (struct access){word[3 + 2 * i], (u32)(word[4 + 2 * i] >> 32),
					      (u32)word[4 + 2 * i]};
	knowledge_print(r, knowledge_told_point(r, word[2]), &f, word[0] >> 8 & 0xff);
}

void knowledge_hear(struct reduction *r, const u64 *word, u32 words)
{
	switch ((enum news)(word[0] & 0xff)) {
	case NEWS_POINT:
		knowledge_heard_point(r, (u32)(word[1] >> 32), (u32)word[1], word[2], word[3]);
		break;
	case NEWS_EDGE:
		hear_edge(r, word, words);
		break;
	case NEWS_PRINT:
		hear_print(r, word, words);
		break;
	case NEWS_PAIR:
		knowledge_pair(r, knowledge_told_point(r, word[1]), word[2]);
		break;
	case NEWS_FAILED:
		if (r->hearing)
			r->failed = true; /* those who told it have told all */
		else
			reduction_fail(r);
		break;
	}
}

static bool is_point(const struct reduction *r, u64 key)
{
	return key && table_find(&r->point_table, key);
}

/* Only memory has ranges: others would be gone through byte by byte. */
static bool is_use(u64 object, u32 bytes, u32 mode)
{
	return mode < ACCESS_MODES && (object_class(object) == OBJECT_MEMORY || bytes <= WIDE_BYTES);
}

bool reduction_makes_sense(const struct reduction *r, const u64 *word, u32 words)
{
	if (!words)
		return false;
	switch (word[0] & 0xff) {
	case NEWS_POINT:
		return words == 4 && word[0] == NEWS_POINT && word[1] >> 32 < TARGET_MAX_ACTIONS && word[2] &&
		       word[3];
	case NEWS_EDGE:
		return words >= 3 && words <= 3 + FOOTPRINT_MAX && word[0] == NEWS_EDGE &&
		       is_point(r, word[1]) && is_point(r, word[2]);
	case NEWS_PRINT:
		break;
	case NEWS_PAIR:
		return words == 3 && word[0] == NEWS_PAIR && is_point(r, word[1]) && word[2];
	default:
		return false;
	}
	if (words < 3 || words > 3 + 2 * FOOTPRINT_MAX || !(words & 1) || word[0] >> 8 >= FACT_KINDS ||
	    word[1] > (FOOTPRINT_WORLD | FOOTPRINT_ENDS) || !is_point(r, word[2]))
		return false;
	for (u32 i = 3; i < words; i += 2)
		if (!is_use(word[i], (u32)(word[i + 1] >> 32), (u32)word[i + 1]))
			return false;
	return true;
}
