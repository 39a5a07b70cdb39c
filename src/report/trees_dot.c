/*
 * trees_dot.c: a graph for dot -Tsvg: a cluster per connection, boxes for what was written, rounded ones
 * for answers.
 */
#include "base/text.h"
#include "report/trees.h"
#include "report/trees_joint.h"
#include "report/trees_walk.h"

/* A node shows this much of its data. */
#define SHOWN_BYTES 160

struct dot_printer {
	FILE *f;
	struct tree_visitor
		*visitor; /* its token is the last node on the way here, and (joint) half a symbol */
	u64 nodes;
	bool joint;
};

/* dot reads backslashes and quotes itself. */
static void print_label(FILE *f, const char *text)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putc('\\', f);
		putc(*text, f);
	}
}

/* The token: the node below, half a symbol in the uppermost byte. */
#define TOKEN_NODE ((1ul << 56) - 1)

static void node_begin(struct dot_printer *p)
{
	fprintf(p->f, "    n%lu [label=\"", p->nodes);
}

static void node_end(struct dot_printer *p, const char *style)
{
	u64 token = p->visitor->token;

	fprintf(p->f, "\"%s];\n    n%lu -> n%lu;\n", style, token & TOKEN_NODE, p->nodes);
	p->visitor->token = (token & ~TOKEN_NODE) | p->nodes++;
}

/* A line of the label per line of data, left-aligned. */
static void print_data(FILE *f, const struct tree_event *e)
{
	char text[4 * SHOWN_BYTES + 1];
	struct text readable;
	u64 at = 0, n, shown = HD_MIN(e->len, SHOWN_BYTES);

	while (at < shown) {
		for (n = 0; at + n < shown && (!n || e->bytes[at + n - 1] != '\n'); n++)
			;
		text_init(&readable, text, sizeof(text));
		text_escaped(&readable, e->bytes + at, n);
		print_label(f, text);
		fputs("\\l", f);
		at += n;
	}
	if (shown < e->len)
		fprintf(f, "… %lu bytes more\\l", e->len - shown);
}

static void print_joint_part(void *self, const struct joint_part *part)
{
	struct dot_printer *p = self;
	struct tree_event run = {.bytes = part->bytes, .len = part->len};
	char address[512];

	if (part->number)
		fprintf(p->f, "[%u] ", part->number);
	if (!part->event) {
		print_data(p->f, &run);
		return;
	}
	fputs(joint_event_words(part->event), p->f);
	if (part->to.family) {
		tree_address(&part->to, address, sizeof(address));
		fputs(" to ", p->f);
		print_label(p->f, address);
	}
	fputs("\\l", p->f);
}

static void print_joint(struct dot_printer *p, const struct tree_event *e)
{
	u64 pending = p->visitor->token >> 56;

	joint_take_apart(&pending, e->bytes, e->len, print_joint_part, p);
	p->visitor->token = (p->visitor->token & TOKEN_NODE) | pending << 56;
}

static void print_event(void *self, const struct tree_event *e)
{
	static const char *const words[] = {
		[TREE_ENDED] = "end of writing",    [TREE_CLOSED] = "the peer closed",
		[TREE_RESET] = "reset by the peer", [TREE_SILENT] = "nothing yet",
		[TREE_UNHEARD] = "not waited for",
	};
	struct dot_printer *p = self;
	bool ours = e->kind == TREE_WRITTEN || e->kind == TREE_ENDED;

	node_begin(p);
	if (e->kind != TREE_WRITTEN && e->kind != TREE_SAID)
		fputs(words[e->kind], p->f);
	else if (p->joint)
		print_joint(p, e);
	else
		print_data(p->f, e);
	node_end(p, ours ? ", shape=box" : ", shape=box, style=\"rounded,filled\", fillcolor=\"#eef3e8\"");
}

static bool print_tree(struct dot_printer *p, const struct trees *t, u32 tree)
{
	struct tree_visitor v = {.self = p, .event = print_event};
	char title[640];

	tree_title(tree_key_of(t, tree), title, sizeof(title));
	fprintf(p->f, "  subgraph cluster_%u {\n    label=\"", tree);
	print_label(p->f, title);
	fprintf(p->f, "\";\n    n%lu [label=\"open\", shape=circle];\n", p->nodes);
	p->joint = tree_key_of(t, tree)->joint;
	p->visitor = &v;
	v.token = p->nodes++;
	if (!tree_walk(t, tree, &v))
		return false;
	fputs("  }\n", p->f);
	return true;
}

bool trees_dot(FILE *f, const struct trees *t)
{
	struct dot_printer p = {.f = f};

	fputs("digraph trees {\n  node [fontname=\"monospace\", fontsize=10];\n  edge [arrowsize=0.6];\n", f);
	for (u32 i = 0; i < trees_count(t); i++)
		if (!print_tree(&p, t, i))
			return false;
	fputs("}\n", f);
	return true;
}
