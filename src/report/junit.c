/* junit.c: one test suite, one case per violation; for CI systems that show test results. */
#include "report/formats.h"
#include "report/plain_text.h"

#include <stdlib.h>

static void print_name(FILE *f, const struct outcome *o)
{
	char *const *arg;

	for (arg = o->argv; *arg; arg++) {
		if (arg != o->argv)
			putc(' ', f);
		xml_escape(f, *arg);
	}
}

/* The text goes through memory, because it needs escaping. */
static void print_steps(FILE *f, const struct trace *t)
{
	char *text = NULL;
	size_t size;
	FILE *m = open_memstream(&text, &size);

	if (!m)
		return;
	plain_violation(m, t);
	if (fclose(m) == 0)
		xml_escape(f, text);
	free(text);
}

static void print_failure(FILE *f, const struct outcome *o, size_t i)
{
	const struct trace *t = &o->trace[i];

	fprintf(f, "    <testcase classname=\"heddle\" name=\"%s at ",
		violation_traits(t->violation.found.kind)->name);
	xml_escape(f, t->violation.where);
	fprintf(f, "\">\n      <failure type=\"%s\" message=\"",
		violation_traits(t->violation.found.kind)->name);
	xml_escape(f, t->violation.message);
	fprintf(f, "\">");
	print_steps(f, t);
	fprintf(f, "</failure>\n    </testcase>\n");
}

/* Not verified is not passed: it shows as skipped, with the reason. */
static void print_verdict_case(FILE *f, const struct outcome *o)
{
	char reason[OUTCOME_REASON];

	outcome_reason(o, reason, sizeof(reason));
	fprintf(f, "    <testcase classname=\"heddle\" name=\"verdict\" time=\"%.3f\">", o->wall_s);
	if (outcome_verdict(o) != VERDICT_VERIFIED) {
		fprintf(f, "<skipped message=\"%s: ", verdict_name(outcome_verdict(o)));
		xml_escape(f, reason);
		fprintf(f, "\"/>");
	}
	fprintf(f, "</testcase>\n");
}

void junit_print(FILE *f, const struct outcome *o)
{
	bool verified = outcome_verdict(o) == VERDICT_VERIFIED;

	fprintf(f, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"");
	print_name(f, o);
	fprintf(f, "\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%d\" time=\"%.3f\">\n",
		o->violations ? o->violations : 1, o->violations, !o->violations && !verified, o->wall_s);
	for (size_t i = 0; i < o->violations; i++)
		print_failure(f, o, i);
	if (!o->violations)
		print_verdict_case(f, o);
	fprintf(f, "  </testsuite>\n</testsuites>\n");
}
