#include "peer/template.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOLE_TEXT 512 /* of one hole, filled */

static bool hole_at(const char *brace, struct hole *h)
{
	static const struct {
		const char *word;
		enum hole_kind kind;
		bool takes_name;
	} kinds[] = {{"port", HOLE_PORT, true}, {"path", HOLE_PATH, true}, {"n", HOLE_NUMBER, false}};
	size_t word = strcspn(brace + 1, ":}"), i;
	size_t end = strcspn(brace, "}");
	bool named = brace[1 + word] == ':';
	if (!brace[end])
		return false;
	for (i = 0; i < HD_ARRAY_LEN(kinds); i++) {
		if (strlen(kinds[i].word) != word || memcmp(kinds[i].word, brace + 1, word) ||
		    (named && !kinds[i].takes_name))
			continue;
		*h = (struct hole){.kind = kinds[i].kind, .text = brace, .len = end + 1};
		if (named) {
			h->name = brace + word + 2;
			h->name_len = end - word - 2;
		}
		return true;
	}
	return false;
}

bool hole_find(const char *from, struct hole *h)
{
	for (const char *c = from; *c; c++) {
		if (c[0] == '$' && c[1] == '{')
			c++;
		else if (*c == '{' && hole_at(c, h))
			return true;
	}
	return false;
}

int hole_port(const struct hole *h)
{
	int port = 0;
	if (!h->name || h->name_len == 0 || h->name_len > 5)
		return -1;
	for (size_t i = 0; i < h->name_len; i++) {
		if (h->name[i] < '0' || h->name[i] > '9')
			return -1;
		port = port * 10 + (h->name[i] - '0');
	}
	return port > 0 && port <= UINT16_MAX ? port : -1;
}

static int fill_all(FILE *out, const char *text, hole_filler fill, void *self, struct problem *p)
{
	char value[HOLE_TEXT];
	struct hole h;
	while (hole_find(text, &h)) {
		fwrite(text, 1, (size_t)(h.text - text), out);
		if (fill(self, &h, value, sizeof(value), p))
			return -1;
		fputs(value, out);
		text = h.text + h.len;
	}
	fputs(text, out);
	return 0;
}

char *template_fill(const char *text, hole_filler fill, void *self, struct problem *p)
{
	char *filled = NULL;
	size_t size;
	FILE *out = open_memstream(&filled, &size);
	if (!out) {
		problem_set(p, "out of memory");
		return NULL;
	}
	int ret = fill_all(out, text, fill, self, p);
	if (fclose(out) && ret == 0)
		ret = problem_set(p, "out of memory");
	if (ret == 0)
		return filled;
	free(filled);
	return NULL;
}
