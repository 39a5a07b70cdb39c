#include "report/execution_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wire/wire.h"

static void line_free(struct log_entry *l)
{
	free(l->text);
	free(l->changed);
	free(l->frame);
}

static bool line_copy(struct log_entry *to, const struct log_entry *from)
{
	*to = *from;
	to->text = strdup(from->text ? from->text : "");
	to->changed = from->changed ? strdup(from->changed) : NULL;
	to->frame = malloc((from->frames ? from->frames : 1) * sizeof(*to->frame));
	if (!to->text || !to->frame || (from->changed && !to->changed)) {
		line_free(to);
		memset(to, 0, sizeof(*to));
		return false;
	}
	if (from->frames)
		memcpy(to->frame, from->frame, from->frames * sizeof(*to->frame));
	return true;
}

static bool push(struct log_entry **list, size_t *n, size_t *room, const struct log_entry *l)
{
	if (*n == *room) {
		size_t more = *room ? *room * 2 : 64;
		struct log_entry *grown = realloc(*list, more * sizeof(**list));

		if (!grown)
			return false;
		*list = grown;
		*room = more;
	}
	if (!line_copy(*list + *n, l))
		return false;
	(*n)++;
	return true;
}

/* Twice the lines are let in before half of them go, so that dropping costs little. */
static void forget_old(struct execution_log *s)
{
	size_t drop = s->lines - EXECUTION_LOG_ENTRIES;

	for (size_t i = 0; i < drop; i++)
		line_free(&s->line[i]);
	memmove(s->line, s->line + drop, EXECUTION_LOG_ENTRIES * sizeof(*s->line));
	s->lines = EXECUTION_LOG_ENTRIES;
	s->omitted += drop;
}

bool execution_log_add(struct execution_log *s, const struct log_entry *l)
{
	switch (l->kind) {
	case WIRE_EV_FIBER:
		return push(&s->fiber, &s->fibers, &s->fiber_room, l);
	case WIRE_EV_VIOLATION:
		line_free(&s->violation);
		return line_copy(&s->violation, l);
	default:
		if (s->lines == 2 * EXECUTION_LOG_ENTRIES)
			forget_old(s);
		return push(&s->line, &s->lines, &s->line_room, l);
	}
}

void execution_log_forget_fibers(struct execution_log *s)
{
	for (size_t i = 0; i < s->fibers; i++)
		line_free(&s->fiber[i]);
	s->fibers = 0;
}

void execution_log_changed(struct execution_log *s, char *text)
{
	for (size_t i = s->lines; i-- > 0;) {
		if (s->line[i].kind != WIRE_EV_STEP)
			continue;
		free(s->line[i].changed);
		s->line[i].changed = text;
		return;
	}
	free(text);
}

void execution_log_free(struct execution_log *s)
{
	for (size_t i = 0; i < s->lines; i++)
		line_free(&s->line[i]);
	execution_log_forget_fibers(s);
	line_free(&s->violation);
	free(s->line);
	free(s->fiber);
	memset(s, 0, sizeof(*s));
}

/* Who waits for a thread's end, or for clients, is not to blame. */
static bool may_be_culprit(const struct log_entry *l)
{
	return !l->patient && l->frames;
}

const struct log_entry *execution_log_culprit(const struct execution_log *s)
{
	const struct log_entry *first = NULL;

	for (size_t i = 0; violation_traits(s->violation_kind)->concerns_all_threads && i < s->fibers; i++) {
		if (!may_be_culprit(&s->fiber[i]))
			continue;
		if (s->fiber[i].thread == s->violation.thread)
			return &s->fiber[i];
		if (!first)
			first = &s->fiber[i];
	}
	return first ? first : &s->violation;
}

void log_entry_thread(const struct log_entry *l, char *out, size_t cap)
{
	if (l->name[0])
		snprintf(out, cap, "thread %u (%s)", l->thread, l->name);
	else
		snprintf(out, cap, "thread %u", l->thread);
}

/* The outermost function of the program's own code that any line of the thread stands in. */
static const char *first_function(const struct log_entry *l)
{
	for (u32 i = l->frames; i-- > 0;)
		if (l->frame[i].function[0] && l->frame[i].file[0] && !frame_is_library(&l->frame[i]))
			return l->frame[i].function;
	return NULL;
}

static void look_at_line(const struct log_entry *l, u32 thread, const char **name, const char **function)
{
	if (l->thread != thread || l->kind == WIRE_EV_OUTPUT)
		return;
	if (l->name[0])
		*name = l->name;
	if (first_function(l))
		*function = first_function(l);
}

/* The file of a frame of this execution whose name ends so: what the compiler was told may be relative. */
static const char *known_file(const struct execution_log *s, const char *name, size_t len)
{
	for (size_t i = 0; i < s->lines; i++)
		for (u32 k = 0; k < s->line[i].frames; k++) {
			const char *file = s->line[i].frame[k].file;
			size_t all = strlen(file);

			if (all > len && file[all - len - 1] == '/' && !strncmp(file + all - len, name, len))
				return file;
		}
	return NULL;
}

bool execution_log_place_panic(struct execution_log *s)
{
	static const char mark[] = " panicked at ";
	const char *name = s->violation.text ? strstr(s->violation.text, mark) : NULL, *known;
	struct frame *at;
	size_t len;
	long line;

	if (!name || s->violation.frames)
		return true;
	name += sizeof(mark) - 1;
	len = strcspn(name, ":");
	line = name[len] ? strtol(name + len + 1, NULL, 10) : 0;
	if (!len || line <= 0)
		return true;
	at = calloc(1, sizeof(*at));
	if (!at)
		return false;
	known = known_file(s, name, len);
	snprintf(at->function, sizeof(at->function), "panic");
	snprintf(at->file, sizeof(at->file), "%.*s", known ? (int)strlen(known) : (int)len,
		 known ? known : name);
	at->line = (int)line;
	free(s->violation.frame);
	s->violation.frame = at;
	s->violation.frames = 1;
	return true;
}

void execution_log_heading(const struct execution_log *s, u32 thread, char *out, size_t cap)
{
	const char *name = NULL, *function = NULL, *ignored = NULL;

	for (size_t i = 0; i < s->lines; i++)
		look_at_line(&s->line[i], thread, &name, &function);
	for (size_t i = 0; i < s->fibers; i++)
		look_at_line(&s->fiber[i], thread, &name, &function);
	if (s->violation.text) /* the place of a panic is no stack */
		look_at_line(&s->violation, thread, &name,
			     s->violation.frames && !s->violation.frame->pc ? &ignored : &function);
	snprintf(out, cap, "thread %u%s%s%s%s%s%s", thread, name ? " (" : "", name ? name : "",
		 name ? ")" : "", function ? ", runs " : "", function ? function : "",
		 function && !strchr(function, '(') ? "()" : "");
}
