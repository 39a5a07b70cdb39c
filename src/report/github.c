/* github.c: workflow commands of GitHub Actions, on standard output: annotations at the lines of a change. */
#include "report/formats.h"
#include "report/source_place.h"

/* A property ends at a comma or colon, a command at the end of its line. */
static void escape(FILE *f, const char *text, bool property)
{
	for (; *text; text++)
		if (*text == '%' || *text == '\r' || *text == '\n' ||
		    (property && (*text == ':' || *text == ',')))
			fprintf(f, "%%%02X", (u8)*text);
		else
			putc((u8)*text < ' ' && *text != '\t' ? '?' : *text, f);
}

static void print_violation(FILE *f, const struct trace *t)
{
	const struct log_entry *who = execution_log_culprit(&t->log);
	const struct frame *at = frames_source(who->frame, who->frames);
	const char *kind = violation_traits(t->violation.found.kind)->name;
	char file[4096];

	fputs("::error ", f);
	if (at && at->file[0] && source_from_root(at->file, file, sizeof(file))) {
		fputs("file=", f);
		escape(f, file, true);
		fprintf(f, ",line=%d,", at->line);
	}
	fprintf(f, "title=heddle%%3A %s::", kind);
	escape(f, t->violation.message, false);
	fprintf(f, "%%0Aheddle replay %s\n", t->name);
}

void github_print(FILE *f, const struct outcome *o)
{
	enum verdict v = outcome_verdict(o);
	char reason[OUTCOME_REASON];

	for (size_t i = 0; i < o->violations; i++)
		print_violation(f, &o->trace[i]);
	if (v == VERDICT_VIOLATION)
		return;
	outcome_reason(o, reason, sizeof(reason));
	fprintf(f, "::%s title=heddle%%3A %s::", v == VERDICT_VERIFIED ? "notice" : "warning",
		verdict_name(v));
	escape(f, o->argv[0], false);
	fputs(": ", f);
	escape(f, reason, false);
	putc('\n', f);
}
