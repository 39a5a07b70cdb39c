/* html_data.c: an execution as JSON for the page's script. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "report/html_priv.h"
#include "report/json.h"

/* Source lines kept around each place, and files at most. */
#define AROUND 8
#define FILES 64
#define LINES_MAX 200000

struct source {
	char path[256];
	u8 *wanted; /* by line */
};

struct sources {
	struct source file[FILES];
	size_t n;
};

static void want(struct sources *s, const struct frame *at)
{
	struct source *file = NULL;

	if (!at || !at->file[0] || frame_is_library(at) || at->line <= 0 || at->line > LINES_MAX - AROUND - 1)
		return;
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->file[i].path, at->file))
			file = &s->file[i];
	if (!file && s->n < FILES) {
		file = &s->file[s->n];
		file->wanted = calloc(LINES_MAX, 1);
		if (!file->wanted)
			return;
		snprintf(file->path, sizeof(file->path), "%s", at->file);
		s->n++;
	}
	for (int n = HD_MAX(at->line - AROUND, 1); file && n <= at->line + AROUND; n++)
		file->wanted[n] = 1;
}

/*
 * A program that was built elsewhere names files that are not here. They may lie beside it, or above: the end
 * of the path is looked for in each folder on the way to the program, the longest end first.
 */
static FILE *open_source(const char *path, const char *program)
{
	char folder[PATH_MAX], there[2 * PATH_MAX];
	FILE *f = fopen(path, "re");

	for (const char *end = path; !f && (end = strchr(end, '/')); end++) {
		if (!strncmp(end, "/../", 4))
			continue;
		snprintf(folder, sizeof(folder), "%s", program);
		for (char *slash; !f && (slash = strrchr(folder, '/'));) {
			*slash = 0;
			snprintf(there, sizeof(there), "%s%s", folder, end);
			f = fopen(there, "re");
		}
	}
	return f;
}

static json_t *lines_of(const struct source *file, const char *program)
{
	FILE *f = open_source(file->path, program);
	json_t *lines = json_object();
	char *line = NULL, key[16];
	size_t room = 0;
	ssize_t len;

	for (int n = 1; f && n < LINES_MAX && (len = getline(&line, &room, f)) >= 0; n++) {
		if (!file->wanted[n])
			continue;
		line[strcspn(line, "\r\n")] = 0;
		snprintf(key, sizeof(key), "%d", n);
		json_object_set_new(lines, key, json_text(line));
	}
	free(line);
	if (f)
		fclose(f);
	return lines;
}

static json_t *sources_json(struct sources *s, const char *program)
{
	json_t *files = json_object();

	for (size_t i = 0; i < s->n; i++) {
		json_object_set_new(files, s->file[i].path, lines_of(&s->file[i], program));
		free(s->file[i].wanted);
	}
	return files;
}

static void set_place(json_t *j, const struct log_entry *l, struct sources *sources)
{
	const struct frame *at = frames_source(l->frame, l->frames);
	char text[512];
	json_t *stack = json_array();

	for (u32 i = 0; i < l->frames; i++) {
		frame_text(&l->frame[i], text, sizeof(text));
		json_array_append_new(stack, json_text(text));
	}
	json_object_set_new(j, "stack", stack);
	if (!at)
		return;
	frame_text(at, text, sizeof(text));
	json_object_set_new(j, "at", json_text(text));
	json_object_set_new(j, "file", json_text(at->file));
	json_object_set_new(j, "line", json_integer(at->line));
	want(sources, at);
}

static json_t *split(const char *lines)
{
	json_t *list = json_array();
	char *copy = strdup(lines ? lines : ""), *rest = copy, *line;

	while (copy && (line = strsep(&rest, "\n")))
		if (*line)
			json_array_append_new(list, json_text(line));
	free(copy);
	return list;
}

static json_t *step_json(const struct execution_log *s, size_t at, struct sources *sources)
{
	const struct log_entry *l = &s->line[at];
	json_t *asides = json_array(), *out = json_array(), *j;

	for (size_t i = at + 1; i < s->lines && s->line[i].kind != WIRE_EV_STEP; i++) {
		if (s->line[i].kind == WIRE_EV_ASIDE)
			json_array_append_new(asides, json_text(s->line[i].text));
		else if (s->line[i].kind == WIRE_EV_OUTPUT)
			json_array_append_new(
				out, json_pack("[i, o]", (int)s->line[i].arg, json_text(s->line[i].text)));
	}
	j = json_pack("{s:I, s:i, s:o, s:o, s:o, s:o}", "n", (json_int_t)l->step, "thread", (int)l->thread,
		      "text", json_text(l->text), "asides", asides, "changed", split(l->changed), "out", out);
	if (j)
		set_place(j, l, sources);
	return j;
}

/* A row behind the last step: the failure, with its message, or where a thread stands. */
static json_t *end_json(const struct log_entry *l, const char *message, struct sources *sources)
{
	char who[64], words[1400];
	json_t *j;

	log_entry_thread(l, who, sizeof(who));
	if (message)
		snprintf(words, sizeof(words), "%s", message);
	else
		snprintf(words, sizeof(words), "%s %.1300s", who, l->text[0] ? l->text : "runs");
	j = json_pack("{s:b, s:i, s:o}", "end", 1, "thread", (int)l->thread, "text", json_text(words));
	if (j)
		set_place(j, l, sources);
	return j;
}

static json_t *threads_json(const struct execution_log *s)
{
	json_t *threads = json_object();
	char key[16], heading[256];

	for (size_t i = 0; i < s->lines + s->fibers; i++) {
		u32 thread = i < s->lines ? s->line[i].thread : s->fiber[i - s->lines].thread;

		snprintf(key, sizeof(key), "%u", thread);
		if (json_object_get(threads, key))
			continue;
		execution_log_heading(s, thread, heading, sizeof(heading));
		if (strstr(heading, ", runs "))
			*strstr(heading, ", runs ") = 0;
		json_object_set_new(threads, key, json_text(heading));
	}
	return threads;
}

/* In a page, "</script>" must not be in it, whatever the program says. */
static void write_json(FILE *f, const json_t *j)
{
	char *text = json_dumps(j, JSON_COMPACT | JSON_ENSURE_ASCII);

	for (const char *c = text; c && *c; c++)
		if (*c == '<' || *c == '>' || *c == '&')
			fprintf(f, "\\u%04x", (u8)*c);
		else
			putc(*c, f);
	free(text);
}

void html_data(FILE *f, const struct trace *t)
{
	struct sources *sources = calloc(1, sizeof(*sources));
	json_t *steps = json_array(), *j;
	size_t failure;

	if (!sources)
		return;
	for (size_t i = 0; i < t->log.lines; i++)
		if (t->log.line[i].kind == WIRE_EV_STEP)
			json_array_append_new(steps, step_json(&t->log, i, sources));
	failure = json_array_size(steps);
	json_array_append_new(steps, end_json(execution_log_culprit(&t->log), t->violation.message, sources));
	for (int patient = 0; patient < 2; patient++)
		for (size_t i = 0; i < t->log.fibers; i++)
			if (t->log.fiber[i].patient == patient)
				json_array_append_new(steps, end_json(&t->log.fiber[i], NULL, sources));
	j = json_pack("{s:o, s:o, s:I, s:o}", "steps", steps, "threads", threads_json(&t->log), "failure",
		      (json_int_t)failure, "files", sources_json(sources, t->program.path));
	fputs("<script type=\"application/json\">", f);
	write_json(f, j);
	fputs("</script>\n", f);
	json_decref(j);
	free(sources);
}
