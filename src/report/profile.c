#include "report/profile.h"

#include <string.h>

#include "report/json.h"
#include "report/plain_text.h"

bool profile_has_news(const struct profile *p)
{
	return p->named && (p->asked || p->places || p->words);
}

static double percent(u64 part, u64 whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* "2, 3 and 5", main is 1. */
static void thread_list(u64 threads, char *out, size_t cap)
{
	size_t n = 0;

	out[0] = 0;
	for (u32 i = 0; i < 64 && n + 1 < cap; i++) {
		u64 left = i < 63 ? threads >> (i + 1) : 0;

		if (!(threads >> i & 1))
			continue;
		if (i == 63)
			n += (size_t)snprintf(out + n, cap - n, "others");
		else
			n += (size_t)snprintf(out + n, cap - n, "%u%s", i + 1,
					      !left               ? ""
					      : left & (left - 1) ? ", "
								  : " and ");
	}
}

static void place_text(const struct profile_place *l, char *out, size_t cap)
{
	char threads[300];

	thread_list(l->threads, threads, sizeof(threads));
	snprintf(out, cap, "%s%s%s (thread%s %s)", l->what, l->where[0] ? " at " : "", l->where,
		 l->threads & (l->threads - 1) ? "s" : "", threads);
}

static void word_text(const struct profile *p, const struct profile_word *w, char *out, size_t cap)
{
	char values[32];

	plain_number(w->values, values, sizeof(values));
	snprintf(out, cap, "%s%s%s%s %s: %s values%s", w->what,
		 !w->where[0]  ? ""
		 : w->declared ? " at "
			       : ", changed behind ",
		 w->where, w->where[0] && !w->declared ? "," : "",
		 w->only_grows     ? "only grows"
		 : w->only_shrinks ? "only shrinks"
				   : "hardly ever has a value twice",
		 values, p->every > 1 ? " in a sample" : "");
}

static void print_in_short(FILE *f, const struct profile *p)
{
	char text[1200];

	if (p->places && p->fresh) {
		place_text(&p->place[0], text, sizeof(text));
		fprintf(f, "  most states: %.0f %% are first reached when a thread %s\n",
			percent(p->place[0].fresh, p->fresh), text);
	}
	if (p->words) {
		word_text(p, &p->word[0], text, sizeof(text));
		fprintf(f, "  never the same: %s\n", text);
	}
	fputs("  heddle check --profile tells more of where the states come from.\n", f);
}

static void print_places(FILE *f, const struct profile *p)
{
	char text[1200];

	if (!p->places)
		return;
	fputs("    new states  choices  outcomes  when a thread\n", f);
	for (u32 i = 0; i < p->places; i++) {
		const struct profile_place *l = &p->place[i];

		place_text(l, text, sizeof(text));
		fprintf(f, "    %8.1f %%  %5.1f %%  %8.2f  %s\n", percent(l->fresh, p->fresh),
			percent(l->met, p->met), l->met ? (double)l->outcomes / (double)l->met : 0, text);
	}
}

static void print_words(FILE *f, const struct profile *p)
{
	char text[1200];

	fputs(p->words ? "    Values that make states different:\n"
		       : "    No word of memory has a new value again and again.\n",
	      f);
	for (u32 i = 0; i < p->words; i++) {
		word_text(p, &p->word[i], text, sizeof(text));
		fprintf(f, "      %s\n", text);
	}
}

static void print_locks(FILE *f, const struct profile *p)
{
	if (p->locks)
		fputs("    Locks that no second thread was seen to use:\n", f);
	for (u32 i = 0; i < p->locks; i++) {
		char uses[32];

		plain_number(p->lock[i].uses, uses, sizeof(uses));
		fprintf(f, "      %s, by thread %u, %s time%s\n", p->lock[i].what, p->lock[i].thread, uses,
			p->lock[i].uses == 1 ? "" : "s");
	}
}

void profile_print(FILE *f, const struct profile *p)
{
	if (!profile_has_news(p))
		return;
	if (!p->asked) {
		print_in_short(f, p);
		return;
	}
	fputs("  where the states come from:\n", f);
	print_places(f, p);
	print_words(f, p);
	print_locks(f, p);
}

static json_t *threads_json(u64 threads)
{
	json_t *list = json_array();

	for (u32 i = 0; i < 63; i++)
		if (threads >> i & 1)
			json_array_append_new(list, json_integer((json_int_t)i + 1));
	return list;
}

static json_t *places_json(const struct profile *p)
{
	json_t *list = json_array();

	for (u32 i = 0; i < p->places; i++) {
		const struct profile_place *l = &p->place[i];

		json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:f, s:f, s:f}", "operation",
						      json_text(l->what), "where", json_text(l->where),
						      "threads", threads_json(l->threads), "new_states",
						      percent(l->fresh, p->fresh) / 100, "choices",
						      percent(l->met, p->met) / 100, "outcomes",
						      l->met ? (double)l->outcomes / (double)l->met : 0.0));
	}
	return list;
}

static json_t *words_json(const struct profile *p)
{
	json_t *list = json_array();

	for (u32 i = 0; i < p->words; i++) {
		const struct profile_word *w = &p->word[i];
		const char *how = w->only_grows ? "grows" : w->only_shrinks ? "shrinks" : "changes";

		json_array_append_new(list, json_pack("{s:o, s:o, s:s, s:I}", "variable", json_text(w->what),
						      "where", json_text(w->where), "how", how, "values",
						      (json_int_t)w->values));
	}
	return list;
}

static json_t *locks_json(const struct profile *p)
{
	json_t *list = json_array();

	for (u32 i = 0; i < p->locks; i++)
		json_array_append_new(list, json_pack("{s:o, s:i, s:I}", "lock", json_text(p->lock[i].what),
						      "thread", (int)p->lock[i].thread, "uses",
						      (json_int_t)p->lock[i].uses));
	return list;
}

json_t *profile_json(const struct profile *p)
{
	return json_pack("{s:i, s:o, s:o, s:o}", "every", (int)p->every, "operations", places_json(p),
			 "values", words_json(p), "lonely_locks", locks_json(p));
}
