/*
 * cc_plain.c: code that goes into a program without having been instrumented: objects and members of static
 * libraries that another compiler made, and assembler files. What it does to memory heddle does not see, and
 * a call of it passes no slot at which it would be noticed. So the linker is asked what it takes, and the
 * names go into the program, where the plugin's are (launch/unseen_places.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cc.h"
#include "launch/plain_object.h"

#define TRACE (4UL << 20) /* bytes of the linker's list that are looked at */

static bool ends_in(const char *text, const char *end)
{
	size_t n = strlen(text), e = strlen(end);

	return n >= e && !strcmp(text + n - e, end);
}

/* What the compiler itself brings: start and end of a program, and its helpers. They share no memory. */
static bool is_compilers(const char *path)
{
	const char *name = cc_base_name(path);

	return !strncmp(name, "crt", 3) || ends_in(name, "crt1.o") || ends_in(name, "_nonshared.a") ||
	       !strncmp(name, "libgcc", 6);
}

static bool is_assembler(const struct cc_word *w)
{
	return w->kind == CC_SOURCE && (w->language ? !strncmp(w->language, "assembler", 9)
						    : ends_in(w->text, ".s") || ends_in(w->text, ".S"));
}

/* Nothing but sources that were just compiled: the linker need not be asked. */
bool cc_may_link_plain(const struct cc_command *c)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct cc_word *w = &c->word[i];

		if (w->kind == CC_INPUT || is_assembler(w) || !strncmp(w->text, "-l", 2) ||
		    !strncmp(w->text, "-Wl,", 4) || !strcmp(w->text, "-Xlinker"))
			return true;
	}
	return false;
}

/* The source that a temporary object was compiled from. */
static const char *source_of(const struct cc_command *c, char *const *object, const char *path)
{
	for (size_t i = 0; i < c->count; i++)
		if (object[i] && !strcmp(object[i], path))
			return c->word[i].text;
	return path;
}

static void add_once(struct words *w, const char *text)
{
	for (size_t i = 0; i < w->count; i++)
		if (!strcmp(w->list[i], text))
			return;
	words_add(w, text);
}

/* A line of the list: "file", "(archive)member" (GNU ld) or "archive(member)" (gold, lld). */
static void look_at(char *line, const struct cc_tools *t, const struct cc_command *c, char *const *object,
		    struct words *plain)
{
	char *path = line, *member = NULL, *close, *name;

	if (line[0] == '(' && (close = strchr(line, ')'))) {
		path = line + 1;
		*close = 0;
		member = close + 1;
	} else if (ends_in(line, ")") && (member = strrchr(line, '('))) {
		line[strlen(line) - 1] = 0;
		*member++ = 0;
	}
	if (!strcmp(path, t->hooks) || is_compilers(path) || !plain_object(path, member))
		return;
	if (asprintf(&name, member ? "%s(%s)" : "%s",
		     member ? cc_base_name(path) : source_of(c, object, path), member) < 0)
		return;
	add_once(plain, name);
	free(name);
}

void cc_find_plain(const struct cc_tools *t, const struct cc_command *c, char *const *object,
		   const struct words *own, struct words *plain)
{
	struct words command = {0};
	char *list = malloc(TRACE), *rest = list, *line;

	if (!list)
		return;
	cc_link(&command, t, c, object, own);
	words_add(&command, "-Wl,-t,-t"); /* twice: members of archives, too */
	if (cc_read(&command, true, list, TRACE) == 0) {
		if (strlen(list) == TRACE - 1)
			add_once(plain, "more files than heddle cc has looked at");
		while ((line = strsep(&rest, "\n")))
			if (*line)
				look_at(line, t, c, object, plain);
	}
	words_free(&command);
	free(list);
}

int cc_write_plain(const struct words *plain, const char *path, struct problem *p)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return problem_set(p, "%s can't be written", path);
	fputs("\t.section heddle_unseen,\"aR\",@progbits\n", f);
	for (size_t i = 0; i < plain->count; i++) {
		fputs("\t.string \"+", f);
		for (const char *at = plain->list[i]; *at; at++)
			fprintf(f, *at == '"' || *at == '\\' ? "\\%c" : "%c", *at);
		fputs("\"\n", f);
	}
	fputs("\t.section .note.GNU-stack,\"\",@progbits\n", f);
	return fclose(f) ? problem_set(p, "%s can't be written", path) : 0;
}
