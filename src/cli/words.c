#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cc.h"

static void take(struct words *w, char *owned)
{
	char **grown = owned ? realloc(w->list, (w->count + 2) * sizeof(*grown)) : NULL;

	if (!grown) {
		fputs("heddle: out of memory\n", stderr);
		exit(2);
	}
	w->list = grown;
	w->list[w->count++] = owned;
	w->list[w->count] = NULL;
}

void words_add(struct words *w, const char *text)
{
	take(w, strdup(text));
}

void words_addf(struct words *w, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	take(w, text);
}

void words_free(struct words *w)
{
	for (size_t i = 0; i < w->count; i++)
		free(w->list[i]);
	free(w->list);
	memset(w, 0, sizeof(*w));
}
