#include "report/state_graph.h"

#include <stdlib.h>
#include <string.h>

#include "report/file.h"

#define TEXT_MAX 8192

/* The text behind a record, with names; NULL: no memory. */
static char *text_of(const struct wire_graph_record *r, struct symbols *symbols)
{
	char raw[TEXT_MAX], named[2 * TEXT_MAX];
	size_t n = HD_MIN(r->len, (u32)sizeof(raw) - 1);

	memcpy(raw, r + 1, n);
	raw[n] = 0;
	if (!symbols)
		return strdup(raw);
	symbols_expand(symbols, raw, named, sizeof(named));
	return strdup(named);
}

/* States come before what is said of them. */
static int take_record(struct state_graph *g, const struct wire_graph_record *r, struct symbols *symbols)
{
	struct graph_edge *e = &g->edge[g->edges];

	if (r->kind == WIRE_GRAPH_STATE) {
		if (r->to != g->states)
			return -1;
		g->state[g->states].label = text_of(r, symbols);
		return g->state[g->states++].label ? 0 : -1;
	}
	if (r->to >= g->states || r->from >= g->states)
		return -1;
	switch (r->kind) {
	case WIRE_GRAPH_END:
		g->state[r->to].is_end = true;
		return 0;
	case WIRE_GRAPH_VIOLATION:
		free(g->state[r->to].wrong);
		g->state[r->to].wrong = text_of(r, symbols);
		return g->state[r->to].wrong ? 0 : -1;
	case WIRE_GRAPH_EDGE:
		*e = (struct graph_edge){r->from, r->to, r->thread, text_of(r, symbols)};
		g->edges++;
		return e->label ? 0 : -1;
	default:
		return -1;
	}
}

/* The record at `at`; NULL: there is none, or it does not fit. */
static const struct wire_graph_record *record_at(const void *records, u64 bytes, u64 at)
{
	const struct wire_graph_record *r = (const void *)((const char *)records + at);
	u64 left = bytes - at;

	return left >= sizeof(*r) && left - sizeof(*r) >= HD_ROUND_UP((u64)r->len, 8) ? r : NULL;
}

int state_graph_read(struct state_graph *g, const void *records, u64 bytes, struct symbols *symbols)
{
	u64 count = bytes / sizeof(struct wire_graph_record), at = 0;
	const struct wire_graph_record *r;

	memset(g, 0, sizeof(*g));
	g->state = calloc(count + 1, sizeof(*g->state));
	g->edge = calloc(count + 1, sizeof(*g->edge));
	if (!g->state || !g->edge)
		return -1;
	for (; at < bytes; at += sizeof(*r) + HD_ROUND_UP((u64)r->len, 8)) {
		r = record_at(records, bytes, at);
		if (!r || take_record(g, r, symbols))
			return -1;
	}
	return 0;
}

void state_graph_free(struct state_graph *g)
{
	for (u32 i = 0; i < g->states; i++) {
		free(g->state[i].label);
		free(g->state[i].wrong);
	}
	for (u32 i = 0; i < g->edges; i++)
		free(g->edge[i].label);
	free(g->state);
	free(g->edge);
	memset(g, 0, sizeof(*g));
}

/* dot reads backslashes and quotes itself; \l ends a line that begins at the left. */
static void print_label(FILE *f, const char *text)
{
	for (; *text; text++) {
		if (*text == '\n') {
			fputs("\\l", f);
			continue;
		}
		if (*text == '"' || *text == '\\')
			putc('\\', f);
		putc(*text, f);
	}
}

static void print_state(FILE *f, const struct state_graph *g, u32 i)
{
	const struct graph_state *s = &g->state[i];

	fprintf(f, "  s%u [label=\"%u\\n", i, i);
	print_label(f, s->label);
	fputs("\\l", f);
	if (s->wrong) {
		print_label(f, s->wrong);
		fputs("\\l", f);
	}
	fprintf(f, "\"%s%s%s];\n", i ? "" : ", penwidth=3", s->is_end ? ", peripheries=2" : "",
		s->wrong ? ", style=filled, fillcolor=\"#f4b8b8\"" : "");
}

int state_graph_write(const struct state_graph *g, const char *path, struct problem *p)
{
	struct file f;

	if (file_create(&f, path, p))
		return -1;
	fputs("digraph states {\n  node [shape=box, fontname=\"monospace\", fontsize=10];\n"
	      "  edge [fontname=\"monospace\", fontsize=9, arrowsize=0.6];\n",
	      f.stream);
	if (g->more)
		fprintf(f.stream, "  label=\"only the first %u states\";\n", g->states);
	for (u32 i = 0; i < g->states; i++)
		print_state(f.stream, g, i);
	for (u32 i = 0; i < g->edges; i++) {
		fprintf(f.stream, "  s%u -> s%u [label=\"%u: ", g->edge[i].from, g->edge[i].to,
			g->edge[i].thread);
		print_label(f.stream, g->edge[i].label);
		fputs("\"];\n", f.stream);
	}
	fputs("}\n", f.stream);
	return file_commit(&f, p);
}
