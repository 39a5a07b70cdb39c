/*
 * html_diagram.c: an execution as a sequence diagram in SVG. A lane for each thread and each peer; a row for
 * each step, in order, with what was done beside it. The line along the nodes is the processor: where it
 * changes its lane, another thread runs.
 */
#include <stdlib.h>
#include <string.h>

#include "report/formats.h"
#include "report/html_priv.h"
#include "wire/op_kinds.h"

#define LANES 40
#define LEFT 46
#define HEADINGS 42 /* a drawing of their own: they stay while the rest scrolls */
#define HEAD 4
#define ROW 27
#define THREAD_WIDTH 78
#define PEER_WIDTH 112
#define TEXT_CHARS 92
#define TEXT_WIDTH 600

struct lane {
	u32 thread; /* 0: a peer */
	int x;
	char peer[64];      /* "client 2", "127.0.0.1:7777" */
	size_t first, last; /* rows */
};

struct diagram {
	FILE *f;
	const struct execution_log *log;
	struct lane lane[LANES];
	size_t lanes, rows;
	int right; /* of all lanes */
};

void html_cut(FILE *f, const char *text, size_t max)
{
	char part[8] = {0};

	for (size_t n = 0; *text; n++) {
		size_t len = 1;

		while (len < 4 && ((u8)text[len] & 0xc0) == 0x80)
			len++;
		if (n + 1 >= max && text[len]) {
			fputs("…", f);
			return;
		}
		memcpy(part, text, len);
		part[len] = 0;
		xml_escape(f, part);
		text += len;
	}
}

static size_t lane_of_thread(struct diagram *d, u32 thread)
{
	for (size_t i = 0; i < d->lanes; i++)
		if (d->lane[i].thread == thread)
			return i;
	return LANES;
}

static void add_lane(struct diagram *d, u32 thread, const char *peer, size_t row)
{
	for (size_t i = 0; i < d->lanes; i++) {
		struct lane *l = &d->lane[i];

		if (thread ? l->thread == thread : !l->thread && !strcmp(l->peer, peer)) {
			l->first = HD_MIN(l->first, row);
			l->last = HD_MAX(l->last, row);
			return;
		}
	}
	if (d->lanes == LANES)
		return;
	d->lane[d->lanes] = (struct lane){.thread = thread, .first = row, .last = row};
	snprintf(d->lane[d->lanes++].peer, sizeof(d->lane[0].peer), "%s", peer);
}

/* The peer that a step speaks to, from its words; false: none. */
static bool peer_of(const struct log_entry *l, char *out, size_t cap)
{
	const char *at;

	if (l->op != OP_CONNECT && l->op != OP_ACCEPT && l->op != OP_RECV && l->op != OP_SEND &&
	    l->op != OP_SHUTDOWN)
		return false;
	if ((at = strstr(l->text, "(client ")) || (at = strstr(l->text, "accepts client "))) {
		at = strstr(at, "client ");
		snprintf(out, cap, "client %lu", strtoul(at + 7, NULL, 10));
		return true;
	}
	at = strstr(l->text, " to ");
	if (!at || !strncmp(l->text, "waits to", 8))
		at = at ? strstr(at + 4, " to ") : NULL;
	if (!at)
		return false;
	snprintf(out, cap, "%.*s", (int)strcspn(at + 4, " ,"), at + 4);
	at = strrchr(out, ':');
	if (at && !at[1])
		out[at - out] = 0; /* "…:7777: 5 bytes" */
	return out[0] != 0;
}

/* Threads in the order of their numbers, then peers as they come. */
static void find_lanes(struct diagram *d)
{
	const struct execution_log *s = d->log;
	u32 highest = s->violation.thread;
	size_t row = 0;
	char peer[64];

	for (size_t i = 0; i < s->lines; i++)
		highest = HD_MAX(highest, s->line[i].kind == WIRE_EV_STEP ? s->line[i].thread : 0);
	for (size_t i = 0; i < s->fibers; i++)
		highest = HD_MAX(highest, s->fiber[i].thread);
	for (u32 thread = 1; thread <= highest && thread < 4096; thread++) {
		row = 0;
		for (size_t i = 0; i < s->lines; i++) {
			if (s->line[i].kind == WIRE_EV_STEP && s->line[i].thread == thread)
				add_lane(d, thread, "", row);
			row += s->line[i].kind == WIRE_EV_STEP;
		}
		for (size_t i = 0; i < s->fibers; i++)
			if (s->fiber[i].thread == thread)
				add_lane(d, thread, "", row);
	}
	d->rows = row = 0;
	for (size_t i = 0; i < s->lines; i++) {
		if (s->line[i].kind != WIRE_EV_STEP)
			continue;
		if (peer_of(&s->line[i], peer, sizeof(peer)))
			add_lane(d, 0, peer, row);
		row++;
	}
	for (size_t i = 0; i < s->fibers; i++)
		if (peer_of(&s->fiber[i], peer, sizeof(peer)))
			add_lane(d, 0, peer, row);
	d->rows = row;
}

static int x_of(const struct diagram *d, size_t lane)
{
	return d->lane[lane].x;
}

static int y_of(size_t row)
{
	return HEAD + ROW * (int)row + ROW / 2;
}

static int text_x(const struct diagram *d)
{
	return d->right + 14;
}

/* What fits below a thread: without the first parts of its path, but for what a closure is in. */
static const char *short_function(const char *function)
{
	const char *next;

	while (strlen(function) > 11 && (next = strstr(function, "::")) && strncmp(next, "::{{", 4) != 0)
		function = next + 2;
	return function;
}

/* A thread goes by its name, if it has one; its number and first function are below. */
static void draw_heading(struct diagram *d, size_t i)
{
	const struct lane *l = &d->lane[i];
	char heading[256], *name, *function, number[32] = "peer", colour[16];

	snprintf(colour, sizeof(colour), " c%zu", i % 8);
	execution_log_heading(d->log, l->thread, heading, sizeof(heading));
	function = strstr(heading, ", runs ");
	if (function)
		*function = 0;
	name = strchr(heading, '(');
	if (l->thread && name) {
		name++;
		name[strcspn(name, ")")] = 0;
		snprintf(number, sizeof(number), "thread %u", l->thread);
	}
	fputs("<g><title>", d->f);
	xml_escape(d->f, !l->thread ? l->peer : function ? function + 7 : heading);
	fprintf(d->f, "</title><text class=\"lane%s\" text-anchor=\"middle\" x=\"%d\" y=\"18\">",
		l->thread ? colour : "", l->x);
	html_cut(d->f, !l->thread ? l->peer : name ? name : heading, l->thread ? 10 : 16);
	fprintf(d->f, "</text><text class=\"sub\" text-anchor=\"middle\" x=\"%d\" y=\"34\">", l->x);
	html_cut(d->f, !l->thread || name ? number : function ? short_function(function + 7) : "", 11);
	fputs("</text></g>\n", d->f);
}

static void draw_lanes(struct diagram *d, size_t end)
{
	for (size_t i = 0; i < d->lanes; i++) {
		const struct lane *l = &d->lane[i];
		bool alive = !l->thread || l->last >= d->rows || l->thread == d->log->violation.thread;
		int bottom = alive ? HEAD + ROW * (int)end : y_of(l->last) + ROW / 2 - 2;

		fprintf(d->f, "<line class=\"life\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>", x_of(d, i),
			l->thread ? y_of(l->first) - ROW / 2 : HEAD, x_of(d, i), bottom);
		if (!alive)
			fprintf(d->f, "<line class=\"end\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>",
				x_of(d, i) - 6, bottom, x_of(d, i) + 6, bottom);
	}
}

/* The processor's way through the rows: thick where a thread goes on, dashed where another one follows. */
static void draw_switches(struct diagram *d)
{
	size_t row = 0, before = LANES;

	for (size_t i = 0; i < d->log->lines; i++) {
		size_t lane;

		if (d->log->line[i].kind != WIRE_EV_STEP)
			continue;
		lane = lane_of_thread(d, d->log->line[i].thread);
		if (row && lane < LANES && before < LANES && lane == before)
			fprintf(d->f, "<line class=\"run c%lu\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>",
				lane % 8, x_of(d, lane), y_of(row - 1), x_of(d, lane), y_of(row));
		else if (row && lane < LANES && before < LANES)
			fprintf(d->f, "<line class=\"switch\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>",
				x_of(d, before), y_of(row - 1), x_of(d, lane), y_of(row));
		before = lane;
		row++;
	}
	putc('\n', d->f);
}

static void draw_arrow(struct diagram *d, size_t from, size_t to, size_t row, const char *class,
		       const char *tip)
{
	int x1 = x_of(d, from), x2 = x_of(d, to), y = y_of(row), away = x2 > x1 ? -1 : 1;

	fprintf(d->f,
		"<line class=\"%s\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/><path class=\"%s\" d=\"M%d "
		"%dl%d -5v10z\"/>",
		class, x1 - 6 * away, y, x2 + 8 * away, y, tip, x2 + 2 * away, y, 9 * away);
}

/* Between the quotes: what was said. */
static void draw_bytes(struct diagram *d, const struct log_entry *l, size_t from, size_t to, size_t row)
{
	const char *begin = strchr(l->text, '"'), *end = begin ? strrchr(begin + 1, '"') : NULL;
	int room = abs(x_of(d, to) - x_of(d, from)) - 24, x = (x_of(d, to) + x_of(d, from)) / 2;
	size_t chars = room > 0 ? (size_t)room / 7 : 0, shown;
	char text[128];

	if (!end || chars < 4)
		return;
	snprintf(text, sizeof(text), "%.*s", (int)HD_MIN((size_t)(end - begin - 1), sizeof(text) - 1),
		 begin + 1);
	shown = HD_MIN(strlen(text), chars);
	fprintf(d->f, "<rect class=\"bytesbg\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"13\"/>",
		x - (int)(shown * 7 + 4) / 2, y_of(row) - 7, (int)(shown * 7 + 4));
	fprintf(d->f, "<text class=\"bytes\" x=\"%d\" y=\"%d\">", x, y_of(row) + 4);
	html_cut(d->f, text, chars);
	fputs("</text>", d->f);
}

static void draw_message(struct diagram *d, const struct log_entry *l, size_t lane, size_t row)
{
	bool in = l->op == OP_RECV || l->op == OP_ACCEPT;
	char peer[64];

	if (!peer_of(l, peer, sizeof(peer)) || strstr(l->text, "nothing"))
		return;
	for (size_t i = 0; i < d->lanes; i++) {
		if (d->lane[i].thread || strcmp(d->lane[i].peer, peer))
			continue;
		draw_arrow(d, in ? i : lane, in ? lane : i, row, "arrow", "tip");
		draw_bytes(d, l, lane, i, row);
	}
}

static void draw_wake(struct diagram *d, const struct log_entry *l, size_t lane, size_t row)
{
	const char *at = strstr(l->text, ", wakes thread ");
	size_t to = at ? lane_of_thread(d, (u32)strtoul(at + 15, NULL, 10)) : LANES;

	if (to < LANES && to != lane)
		draw_arrow(d, lane, to, row, "wake", "waketip");
}

static void begin_row(struct diagram *d, size_t row)
{
	fprintf(d->f, "<g class=\"row\" data-k=\"%zu\">", row);
}

/* Behind everything else: what is chosen shines through. */
static void draw_bands(struct diagram *d, size_t end)
{
	for (size_t row = 0; row < end; row++)
		fprintf(d->f,
			"<rect class=\"hit\" data-k=\"%zu\" x=\"0\" y=\"%d\" width=\"100%%\" height=\"%d\"/>",
			row, HEAD + ROW * (int)row, ROW);
	putc('\n', d->f);
}

static size_t characters(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((u8)*text & 0xc0) != 0x80;
	return n;
}

static void draw_words(struct diagram *d, size_t line, size_t row)
{
	const struct execution_log *s = d->log;
	const struct log_entry *l = &s->line[line];
	const struct frame *at = frames_source(l->frame, l->frames);
	size_t used = characters(l->text) + 1;

	fprintf(d->f, "<text%s x=\"%d\" y=\"%d\">", at && frame_is_library(at) ? " class=\"sub\"" : "",
		text_x(d), y_of(row) + 4);
	html_cut(d->f, l->text, TEXT_CHARS);
	if (l->changed && used + 8 < TEXT_CHARS) {
		char first[256];

		snprintf(first, sizeof(first), "%.*s", (int)strcspn(l->changed, "\n"), l->changed);
		fputs("<tspan class=\"chg\" dx=\"10\">", d->f);
		html_cut(d->f, first, TEXT_CHARS - used);
		used += characters(first) + 2;
		fputs(strchr(l->changed, '\n') ? " …</tspan>" : "</tspan>", d->f);
	}
	for (size_t i = line + 1; i < s->lines && s->line[i].kind != WIRE_EV_STEP; i++) {
		if (s->line[i].kind != WIRE_EV_ASIDE || used + 8 >= TEXT_CHARS)
			continue;
		fputs("<tspan class=\"aside\" dx=\"10\">", d->f);
		html_cut(d->f, s->line[i].text, TEXT_CHARS - used);
		fputs("</tspan>", d->f);
		used += characters(s->line[i].text) + 2;
	}
	fputs("</text>", d->f);
}

static void draw_step(struct diagram *d, size_t line, size_t row)
{
	const struct log_entry *l = &d->log->line[line];
	size_t lane = lane_of_thread(d, l->thread);

	begin_row(d, row);
	fprintf(d->f, "<text class=\"num\" x=\"%d\" y=\"%d\">%lu</text>", LEFT - 12, y_of(row) + 4, l->step);
	if (lane < LANES) {
		draw_message(d, l, lane, row);
		draw_wake(d, l, lane, row);
		for (size_t i = line + 1; i < d->log->lines && d->log->line[i].kind != WIRE_EV_STEP; i++)
			if (d->log->line[i].kind == WIRE_EV_ASIDE)
				draw_wake(d, &d->log->line[i], lane, row);
		fprintf(d->f, "<circle class=\"node c%lu\" cx=\"%d\" cy=\"%d\" r=\"6\"/>", lane % 8,
			x_of(d, lane), y_of(row));
	}
	draw_words(d, line, row);
	fputs("</g>\n", d->f);
}

/* At the end: the failure, and for each thread what it waits for. */
static void draw_failure(struct diagram *d, const struct trace *t, size_t row)
{
	const struct violation_traits *traits = violation_traits(t->violation.found.kind);
	size_t lane = traits->concerns_all_threads ? LANES : lane_of_thread(d, d->log->violation.thread);

	begin_row(d, row);
	if (lane < LANES)
		fprintf(d->f, "<path class=\"cross\" d=\"M%d %dl12 12m0 -12l-12 12\"/>", x_of(d, lane) - 6,
			y_of(row) - 6);
	fprintf(d->f, "<text class=\"fail\" x=\"%d\" y=\"%d\">%s%s", text_x(d), y_of(row) + 4,
		html_kind(t->violation.found.kind), t->violation.where[0] ? " at " : "");
	html_cut(d->f, t->violation.where, TEXT_CHARS);
	fputs("</text></g>\n", d->f);
}

static void draw_wait(struct diagram *d, const struct log_entry *f, size_t row)
{
	size_t lane = lane_of_thread(d, f->thread), to = LANES;
	char peer[64], who[64];

	begin_row(d, row);
	if (f->waits == WIRE_WAITS_THREAD && f->waits_thread)
		to = lane_of_thread(d, f->waits_thread);
	else if (f->waits == WIRE_WAITS_PEER && peer_of(f, peer, sizeof(peer)))
		for (size_t i = 0; i < d->lanes; i++)
			if (!d->lane[i].thread && !strcmp(d->lane[i].peer, peer))
				to = i;
	if (lane < LANES && to < LANES && to != lane)
		draw_arrow(d, lane, to, row, "wait", "waittip");
	if (lane < LANES)
		fprintf(d->f, "<circle class=\"node c%lu\" cx=\"%d\" cy=\"%d\" r=\"4\"/>", lane % 8,
			x_of(d, lane), y_of(row));
	log_entry_thread(f, who, sizeof(who));
	fprintf(d->f, "<text x=\"%d\" y=\"%d\">", text_x(d), y_of(row) + 4);
	html_cut(d->f, who, 30);
	putc(' ', d->f);
	html_cut(d->f, f->text[0] ? f->text : "runs", TEXT_CHARS - 20);
	fputs("</text></g>\n", d->f);
}

void html_diagram(FILE *f, const struct trace *t)
{
	struct diagram d = {.f = f, .log = &t->log};
	size_t row = 0, end;

	find_lanes(&d);
	d.right = LEFT;
	for (size_t i = 0; i < d.lanes; i++) {
		int width = d.lane[i].thread ? THREAD_WIDTH : PEER_WIDTH;

		d.lane[i].x = d.right + width / 2;
		d.right += width;
	}
	end = d.rows + 1 + t->log.fibers;
	fprintf(f, "<svg class=\"heads\" width=\"%d\" height=\"%d\" xmlns=\"http://www.w3.org/2000/svg\">\n",
		text_x(&d) + TEXT_WIDTH, HEADINGS);
	for (size_t i = 0; i < d.lanes; i++)
		draw_heading(&d, i);
	fprintf(f,
		"</svg>\n<svg role=\"img\" aria-label=\"sequence diagram\" width=\"%d\" height=\"%d\" "
		"xmlns=\"http://www.w3.org/2000/svg\">\n",
		text_x(&d) + TEXT_WIDTH, HEAD + ROW * (int)end + 10);
	draw_bands(&d, end);
	draw_lanes(&d, end);
	draw_switches(&d);
	for (size_t i = 0; i < t->log.lines; i++)
		if (t->log.line[i].kind == WIRE_EV_STEP)
			draw_step(&d, i, row++);
	draw_failure(&d, t, row++);
	for (int patient = 0; patient < 2; patient++)
		for (size_t i = 0; i < t->log.fibers; i++)
			if (t->log.fiber[i].patient == patient)
				draw_wait(&d, &t->log.fiber[i], row++);
	fputs("</svg>\n", f);
}
