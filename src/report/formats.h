/*
 * formats.h: the report formats. Each writes one outcome; adding one means a file here, a line in the
 * table of formats.c and a word in the man page.
 */
#ifndef HEDDLE_REPORT_FORMATS_H
#define HEDDLE_REPORT_FORMATS_H

#include <stdio.h>

#include "launch/problem.h"
#include "report/outcome.h"

struct format {
	const char *name;                                /* as in --format */
	const char *file;                                /* in the output folder; NULL: standard output */
	void (*print)(FILE *f, const struct outcome *o); /* NULL: result.json, which is always written */
};
/* NULL: no such format. */
const struct format *format_by_name(const char *name);
/* The n-th, NULL behind the last. */
const struct format *format_at(size_t n);
/* Into `dir`, atomically. */
int format_write(const struct format *format, const struct outcome *o, const char *dir, struct problem *p);

/* DIR/result.json, schema in docs. */
int result_json_write(const struct outcome *o, const char *dir, struct problem *p);

void plain_print(FILE *f, const struct outcome *o);
void junit_print(FILE *f, const struct outcome *o);
void sarif_print(FILE *f, const struct outcome *o);
void html_print(FILE *f, const struct outcome *o);
void github_print(FILE *f, const struct outcome *o);

/* Any bytes as text of XML or HTML: & < > " ' are escaped, what is no UTF-8 becomes U+FFFD. */
void xml_escape(FILE *f, const char *text);

#endif
