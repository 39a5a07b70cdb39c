/* html_priv.h: the parts of the HTML page, shared by html*.c. */
#ifndef HEDDLE_REPORT_HTML_PRIV_H
#define HEDDLE_REPORT_HTML_PRIV_H

#include <stdio.h>

#include "report/outcome.h"

/* The sequence diagram of an execution: threads and peers, a row for each step, and who waits for whom. */
void html_diagram(FILE *f, const struct trace *t);
/* The same execution as JSON for the page's script, with the source lines that steps stand at. */
void html_data(FILE *f, const struct trace *t);
/* Communication trees as drawings. */
void html_trees(FILE *f, const struct trees *t);
/* A kind of violation as a heading says it: "data race". */
const char *html_kind(u32 kind);
/* At most `max` characters of a text, escaped; "…" where it was cut. */
void html_cut(FILE *f, const char *text, size_t max);

/* page.css and page.js, made at build time. */
extern const char html_page_style[], html_page_script[];

#endif
