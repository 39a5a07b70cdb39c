/* trees_text.c: an indented tree. > is what the program under test wrote, < what the peer said. */
#include <string.h>

#include "base/text.h"
#include "report/plain_text.h"
#include "report/trees.h"
#include "report/trees_joint.h"
#include "report/trees_walk.h"

/* What is shown of one piece of data, and how much of it on a line. */
#define MOST_BYTES 4096
#define LINE_BYTES 96
/* Deeper forks are not indented further: "way 2 of 3, behind 17 bytes" tells them apart. */
#define MOST_DEPTH 24

struct text_printer {
	FILE *f;
	u32 depth;
	bool joint; /* symbols of a client with several connections */
	struct tree_visitor *visitor;
};

static void indent(const struct text_printer *p)
{
	fprintf(p->f, "%*s", 2 + 4 * (int)HD_MIN(p->depth, MOST_DEPTH), "");
}

/* Up to and with the end of the line. */
static u64 line_length(const u8 *bytes, u64 n)
{
	u64 i;

	for (i = 0; i < HD_MIN(n, LINE_BYTES); i++)
		if (bytes[i] == '\n')
			return i + 1;
	return i;
}

/* head: before each line. */
static void print_data(const struct text_printer *p, char side, const char *head, const struct tree_event *e)
{
	char text[4 * LINE_BYTES + 1], more[32];
	struct text readable;
	u64 at = 0, n;

	while (at < HD_MIN(e->len, MOST_BYTES)) {
		n = line_length(e->bytes + at, e->len - at);
		text_init(&readable, text, sizeof(text));
		text_escaped(&readable, e->bytes + at, n);
		indent(p);
		fprintf(p->f, "%c %s\"%s\"\n", side, head, text);
		at += n;
	}
	if (at == e->len)
		return;
	plain_number(e->len - at, more, sizeof(more));
	indent(p);
	fprintf(p->f, "%c … %s more bytes (--format pcap has them)\n", side, more);
}

struct joint_printer {
	const struct text_printer *p;
	char side;
};

static void print_joint_part(void *self, const struct joint_part *part)
{
	const struct joint_printer *j = self;
	char head[16], address[512];
	struct tree_event run = {.bytes = part->bytes, .len = part->len};

	snprintf(head, sizeof(head), "[%u] ", part->number);
	if (!part->event) {
		print_data(j->p, j->side, head, &run);
		return;
	}
	indent(j->p);
	fprintf(j->p->f, "%c %s%s", j->side, part->number ? head : "", joint_event_words(part->event));
	if (part->to.family) {
		tree_address(&part->to, address, sizeof(address));
		fprintf(j->p->f, " to %s", address);
	}
	putc('\n', j->p->f);
}

/* How sure the end of an answer is. */
static void print_flags(const struct text_printer *p, u32 flags)
{
	if (flags & NET_GUESSED) {
		indent(p);
		fputs("  (its end was guessed from silence)\n", p->f);
	} else if (flags & NET_TIMED) {
		indent(p);
		fputs("  (the peer waits with a time-out: it may say more later)\n", p->f);
	}
}

static void print_event(void *self, const struct tree_event *e)
{
	static const char *const words[] = {
		[TREE_ENDED] = "> end of writing",
		[TREE_CLOSED] = "< end: the peer closed",
		[TREE_RESET] = "< reset by the peer",
		[TREE_SILENT] = "< nothing yet",
		[TREE_UNHEARD] = "? the peer was not waited for here",
	};
	const struct text_printer *p = self;

	if (e->kind == TREE_WRITTEN || e->kind == TREE_SAID) {
		struct joint_printer j = {p, e->kind == TREE_WRITTEN ? '>' : '<'};

		if (p->joint)
			joint_take_apart(&p->visitor->token, e->bytes, e->len, print_joint_part, &j);
		else
			print_data(p, e->kind == TREE_WRITTEN ? '>' : '<', "", e);
	} else {
		indent(p);
		fprintf(p->f, "%s\n", words[e->kind]);
	}
	print_flags(p, e->flags);
}

static void print_way(void *self, u32 n, u32 of, u64 at, u32 depth)
{
	struct text_printer *p = self;

	p->depth = depth - 1;
	indent(p);
	fprintf(p->f, "way %u of %u, behind %lu byte%s\n", n, of, at, at == 1 ? "" : "s");
	p->depth = depth;
}

/* Is there anything but a refusal? */
static bool print_refusal(FILE *f, const struct trees *t, u32 tree)
{
	u32 error, at = tree_refusal(t, tree, &error);

	if (at > 1)
		fprintf(f, "  (%u connections at a time; a further one is refused: %s)\n", at - 1,
			strerror((int)error));
	else if (at)
		fprintf(f, "  refused: %s\n", strerror((int)error));
	return at != 1;
}

static bool print_tree(struct text_printer *p, const struct trees *t, u32 tree)
{
	struct tree_visitor v = {.self = p, .event = print_event, .way = print_way};
	u32 traces = tree_traces(t, tree);
	char title[640];

	tree_title(tree_key_of(t, tree), title, sizeof(title));
	fprintf(p->f, "%s: %u trace%s\n", title, traces, traces == 1 ? "" : "s");
	p->depth = 0;
	p->joint = tree_key_of(t, tree)->joint;
	p->visitor = &v;
	bool done = !print_refusal(p->f, t, tree) || tree_walk(t, tree, &v);
	p->visitor = NULL;
	return done;
}

bool trees_text(FILE *f, const struct trees *t)
{
	struct text_printer p = {.f = f};

	for (u32 i = 0; i < trees_count(t); i++) {
		if (i)
			putc('\n', f);
		if (!print_tree(&p, t, i))
			return false;
	}
	return true;
}
