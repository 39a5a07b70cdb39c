/*
 * html.c: one page with all it needs in it; can be mailed. The verdict and the story of each violation come
 * first, then the execution, drawn and to step through (page.js; it reads without scripts, too), then how the
 * search went.
 */
#include <stdlib.h>
#include <string.h>

#include "report/explain.h"
#include "report/formats.h"
#include "report/html_priv.h"
#include "report/plain_text.h"
#include "report/trees.h"

/* Texts of other reports, as they are. */
static void print_captured(FILE *f, void (*print)(FILE *, const struct outcome *), const struct outcome *o)
{
	char *text = NULL;
	size_t size;
	FILE *m = open_memstream(&text, &size);

	if (!m)
		return;
	print(m, o);
	fputs("<pre>", f);
	if (fclose(m) == 0)
		xml_escape(f, text);
	fputs("</pre>\n", f);
	free(text);
}

static void print_network(FILE *f, const struct outcome *o)
{
	const struct trees *t = o->net.used ? trees_blob_trees(&o->net.trees) : NULL;

	if (!o->net.used)
		return;
	fputs("<details><summary>Network</summary>\n", f);
	print_captured(f, plain_network, o);
	fputs("</details>\n", f);
	if (!t || !trees_count(t))
		return;
	fputs("<details><summary>Communication trees</summary>\n<p>What was ever said on each connection: → "
	      "was "
	      "written by the program, ← said by the peer. A fork is where executions say different things."
	      "</p>\n",
	      f);
	html_trees(f, t);
	fputs("</details>\n", f);
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

	fputs("<table class=\"facts\">\n", f);
	for (size_t i = 0; i < HD_ARRAY_LEN(rows); i++) {
		plain_number(rows[i].value, number, sizeof(number));
		fprintf(f, "<tr><th>%s</th><td>%s</td></tr>\n", rows[i].name, number);
	}
	fprintf(f, "<tr><th>time</th><td>%.2f s</td></tr>\n</table>\n", o->wall_s);
}

static void profile_of(FILE *f, const struct outcome *o)
{
	profile_print(f, &o->profile);
}

static void print_profile(FILE *f, const struct outcome *o)
{
	if (!profile_has_news(&o->profile))
		return;
	fputs("<details><summary>Where the states come from</summary>\n", f);
	print_captured(f, profile_of, o);
	fputs("</details>\n", f);
}

static void print_refused(FILE *f, const struct outcome *o)
{
	if (o->refused_count)
		fputs("<h2>Calls that heddle does not model</h2>\n<ul>\n", f);
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

/* What a step did in passing, what it changed, what the program wrote. */
static void print_besides(FILE *f, const struct execution_log *s, size_t step)
{
	for (size_t i = step + 1; i < s->lines && s->line[i].kind != WIRE_EV_STEP; i++) {
		const struct log_entry *l = &s->line[i];

		fputs(l->kind == WIRE_EV_OUTPUT ? "<span class=\"sub\">writes: "
						: "<span class=\"sub\">then ",
		      f);
		xml_escape(f, l->text);
		fputs("</span>", f);
	}
	if (!s->line[step].changed)
		return;
	fputs("<span class=\"sub\">", f);
	xml_escape(f, s->line[step].changed);
	fputs("</span>", f);
}

/* All steps as text: what a browser without scripts has, and what can be searched. */
static void print_steps(FILE *f, const struct trace *t)
{
	fputs("<details class=\"all\" open><summary>All steps as text</summary>\n<ol class=\"steps\">\n", f);
	if (t->log.omitted)
		fprintf(f, "<li>… %lu earlier lines are not in the trace</li>\n", t->log.omitted);
	for (size_t i = 0; i < t->log.lines; i++) {
		const struct log_entry *l = &t->log.line[i];
		char text[512] = "";

		if (l->kind != WIRE_EV_STEP)
			continue;
		log_entry_thread(l, text, sizeof(text));
		fprintf(f, "<li>#%lu ", l->step);
		xml_escape(f, text);
		fputs(": ", f);
		xml_escape(f, l->text);
		if (frames_source(l->frame, l->frames)) {
			frame_text(frames_source(l->frame, l->frames), text, sizeof(text));
			fputs(" <code>", f);
			xml_escape(f, text);
			fputs("</code>", f);
		}
		print_besides(f, &t->log, i);
		fputs("</li>\n", f);
	}
	fputs("</ol></details>\n", f);
}

static void print_paragraph(FILE *f, const char *class, const char *text)
{
	if (!text || !*text)
		return;
	fprintf(f, "<p class=\"%s\">", class);
	xml_escape(f, text);
	fputs("</p>\n", f);
}

const char *html_kind(u32 kind)
{
	static const char *const words[] = {
		[VIOLATION_ASSERT] = "assertion fails",
		[VIOLATION_RACE] = "data race",
		[VIOLATION_LOCK_MISUSE] = "lock misused",
		[VIOLATION_COMM_DEADLOCK] = "communication deadlock",
		[VIOLATION_INVARIANT] = "invariant does not hold",
		[VIOLATION_EXIT_STATUS] = "exit status",
	};

	return kind < HD_ARRAY_LEN(words) && words[kind] ? words[kind] : violation_traits(kind)->name;
}

/* "assertion fails in thread 3 at chat-server.c:25" */
static void print_title(FILE *f, const struct trace *t)
{
	char who[64];

	fputs(html_kind(t->violation.found.kind), f);
	if (!violation_traits(t->violation.found.kind)->concerns_all_threads) {
		log_entry_thread(&t->log.violation, who, sizeof(who));
		fputs(" in ", f);
		xml_escape(f, who);
	}
	fputs(t->violation.where[0] ? " at " : "", f);
	xml_escape(f, t->violation.where);
}

static void print_violation(FILE *f, const struct outcome *o, size_t i)
{
	const struct trace *t = &o->trace[i];
	char *story = explain(t);

	fputs("<section class=\"bug\">\n", f);
	if (o->violations > 1) {
		fprintf(f, "<h2>Violation %zu: ", i + 1);
		print_title(f, t);
		fputs("</h2>\n", f);
	}
	print_paragraph(f, "story", story);
	print_paragraph(f, "message", t->violation.message);
	free(story);
	fputs("<div class=\"work\">\n<div class=\"scroll\" tabindex=\"0\">\n", f);
	html_diagram(f, t);
	fputs("</div>\n<aside class=\"panel\" hidden></aside>\n</div>\n", f);
	fputs("<p class=\"hint\">Each column is a thread or a peer, time goes down. A dashed slanted line is "
	      "a switch to "
	      "another thread; blue arrows are messages, green ones wake-ups, red ones who waits for whom at "
	      "the "
	      "end.</p>\n",
	      f);
	print_steps(f, t);
	html_data(f, t);
	fprintf(f,
		"<p>Run it again: <code>heddle replay %s</code>; step through it in a debugger: <code>heddle "
		"replay "
		"--gdb %s</code></p>\n</section>\n",
		o->trace[i].name, o->trace[i].name);
}

static void print_head(FILE *f, const struct outcome *o)
{
	const char *verdict = verdict_name(outcome_verdict(o));
	char reason[OUTCOME_REASON], headline[1024];

	outcome_reason(o, reason, sizeof(reason));
	outcome_headline(o, headline, sizeof(headline));
	fprintf(f,
		"<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
		"'unsafe-inline'; "
		"script-src 'unsafe-inline'\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>heddle: "
		"%s</title>\n"
		"<style>\n%s</style>\n</head>\n<body>\n<header>\n<span class=\"badge %s\">%s</span>\n<h1>",
		verdict, html_page_style, verdict, verdict);
	if (o->violations == 1)
		print_title(f, &o->trace[0]);
	else
		xml_escape(f, headline);
	fputs("</h1>\n", f);
	if (o->violations != 1) {
		fputs("<p>", f);
		xml_escape(f, reason);
		fputs(".</p>\n", f);
	}
	print_words(f, "", o->argv, " ");
	fputs("</header>\n", f);
}

void html_print(FILE *f, const struct outcome *o)
{
	print_head(f, o);
	print_refused(f, o);
	for (size_t i = 0; i < o->violations; i++)
		print_violation(f, o, i);
	print_notes(f, o);
	fputs("<h2>The search</h2>\n", f);
	print_network(f, o);
	fprintf(f, "<details%s><summary>Statistics and options</summary>\n", o->violations ? "" : " open");
	print_counts(f, o);
	print_words(f, "Options: ", o->setting, "</code> <code>");
	fprintf(f, "<p>Granularity %s: %s.</p>\n</details>\n", outcome_granularity(o), outcome_assumption(o));
	print_profile(f, o);
	fprintf(f, "<footer class=\"hint\">heddle %s</footer>\n<script>\n%s</script>\n</body>\n</html>\n",
		HEDDLE_VERSION, html_page_script);
}
