/* html.c: one page without scripts or anything from elsewhere; can be mailed. */
#include <stdlib.h>

#include "report/formats.h"
#include "report/plain_text.h"
#include "report/trees.h"

static const char style[] =
	"body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#222}"
	"pre{background:#f5f5f2;padding:1rem;overflow-x:auto;line-height:1.35}"
	"table{border-collapse:collapse}td,th{padding:.15rem .8rem .15rem "
	"0;text-align:left;vertical-align:top}"
	"td.n{text-align:right}.verified{color:#06623b}.violation{color:#a30000}.bounded,.incomplete{color:#"
	"8a5a00}"
	"@media(prefers-color-scheme:dark){body{background:#181818;color:#ddd}pre{background:#242424}}";

static void print_captured(FILE *f, void (*print)(FILE *, const struct trace *), const struct trace *t)
{
	char *text = NULL;
	size_t size;
	FILE *m = open_memstream(&text, &size);

	if (!m)
		return;
	print(m, t);
	fputs("<pre>", f);
	if (fclose(m) == 0)
		xml_escape(f, text);
	fputs("</pre>\n", f);
	free(text);
}

/* All of it is in trees.bin; a page that a browser can't open helps nobody. */
#define TREES_SHOWN (1u << 20)

static void print_trees(FILE *f, const struct outcome *o)
{
	const struct trees *t = trees_blob_trees(&o->net.trees);
	char *text = NULL;
	size_t size = 0;
	FILE *m = t && trees_count(t) ? open_memstream(&text, &size) : NULL;

	if (!m)
		return;
	trees_text(m, t);
	if (fclose(m) == 0) {
		bool cut = size > TREES_SHOWN;

		if (cut)
			text[TREES_SHOWN] = 0;
		fputs("<p>Communication trees: &gt; was written by the program, &lt; said by the peer.</p>\n"
		      "<details><summary>Show</summary>\n<pre>",
		      f);
		xml_escape(f, text);
		fprintf(f, "</pre></details>\n%s",
			cut ? "<p>Cut here; <code>heddle tree</code> shows the rest.</p>\n" : "");
	}
	free(text);
}

static void print_network(FILE *f, const struct outcome *o)
{
	char *text = NULL;
	size_t size;
	FILE *m = o->net.used ? open_memstream(&text, &size) : NULL;

	if (!m)
		return;
	plain_network(m, o);
	fputs("<h2>Network</h2>\n<pre>", f);
	if (fclose(m) == 0)
		xml_escape(f, text);
	fputs("</pre>\n", f);
	free(text);
	print_trees(f, o);
}

static void print_counts(FILE *f, const struct outcome *o)
{
	const struct search_stats *s = &o->stats;
	const struct {
		const char *name;
		u64 value;
	} rows[] = {
		{"states", s->states},       {"transitions", s->transitions}, {"revisited", s->revisited},
		{"max depth", s->max_depth}, {"end states", s->end_states},   {"memory (bytes)", s->memory},
	};
	char number[40];

	fputs("<table>\n", f);
	for (size_t i = 0; i < HD_ARRAY_LEN(rows); i++) {
		plain_number(rows[i].value, number, sizeof(number));
		fprintf(f, "<tr><th>%s</th><td class=\"n\">%s</td></tr>\n", rows[i].name, number);
	}
	fprintf(f, "<tr><th>time</th><td class=\"n\">%.2f s</td></tr>\n</table>\n", o->wall_s);
}

static void print_profile(FILE *f, const struct outcome *o)
{
	char *text = NULL;
	size_t size;
	FILE *m = profile_has_news(&o->profile) ? open_memstream(&text, &size) : NULL;

	if (!m)
		return;
	profile_print(m, &o->profile);
	fputs("<h2>Where the states come from</h2>\n<pre>", f);
	if (fclose(m) == 0)
		xml_escape(f, text);
	fputs("</pre>\n", f);
	free(text);
}

static void print_refused(FILE *f, const struct outcome *o)
{
	if (o->refused_count)
		fputs("<h2>Refused calls</h2>\n<ul>\n", f);
	for (size_t i = 0; i < o->refused_count; i++) {
		fputs("<li>", f);
		xml_escape(f, o->refused[i].call);
		fputs(" at ", f);
		xml_escape(f, o->refused[i].where);
		fprintf(f, ", %lu times</li>\n", o->refused[i].count);
	}
	if (o->refused_count)
		fputs("</ul>\n", f);
}

static void print_notes(FILE *f, const struct outcome *o)
{
	for (size_t i = 0; i < o->notes; i++) {
		fputs("<p>Note: ", f);
		xml_escape(f, o->note[i]);
		fputs(".</p>\n", f);
	}
}

static void print_words(FILE *f, const char *title, char *const *word, const char *between)
{
	if (!word || !*word)
		return;
	fprintf(f, "<p>%s<code>", title);
	for (; *word; word++) {
		xml_escape(f, *word);
		fputs(word[1] ? between : "", f);
	}
	fputs("</code></p>\n", f);
}

static void print_violation(FILE *f, const struct outcome *o, size_t i)
{
	const struct trace *t = &o->trace[i];

	fprintf(f, "<h2>Violation %zu: %s</h2>\n", i + 1, violation_traits(t->violation.found.kind)->name);
	print_captured(f, plain_violation, t);
	fputs("<details><summary>All steps</summary>\n", f);
	print_captured(f, plain_steps, t);
	fprintf(f, "</details>\n<p>Replay: <code>heddle replay %s</code></p>\n", o->trace[i].name);
}

void html_print(FILE *f, const struct outcome *o)
{
	const char *verdict = verdict_name(outcome_verdict(o));
	char reason[OUTCOME_REASON];

	outcome_reason(o, reason, sizeof(reason));
	fprintf(f,
		"<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>heddle: %s</title>\n"
		"<style>%s</style>\n<h1 class=\"%s\">%s</h1>\n<p>",
		verdict, style, verdict, verdict);
	xml_escape(f, reason);
	fputs(".</p>\n", f);
	print_words(f, "Program: ", o->argv, " ");
	print_words(f, "Options: ", o->setting, "</code> <code>");
	print_counts(f, o);
	print_profile(f, o);
	print_notes(f, o);
	print_refused(f, o);
	for (size_t i = 0; i < o->violations; i++)
		print_violation(f, o, i);
	print_network(f, o);
	fprintf(f, "<p>Granularity %s: %s. heddle %s.</p>\n</html>\n", outcome_granularity(o),
		outcome_assumption(o), HEDDLE_VERSION);
}
