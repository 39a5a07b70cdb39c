#include <stdio.h>
#include <string.h>

#include "property/property_priv.h"

#define LONGEST 64

/* How many letters must be changed, added or left out. */
static u32 distance(const char *a, const char *b)
{
	u32 row[LONGEST + 1];
	size_t n = strlen(a), m = strlen(b);

	if (n > LONGEST || m > LONGEST)
		return LONGEST;
	for (size_t j = 0; j <= m; j++)
		row[j] = (u32)j;
	for (size_t i = 1; i <= n; i++) {
		u32 corner = row[0];

		row[0] = (u32)i;
		for (size_t j = 1; j <= m; j++) {
			u32 above = row[j], change = corner + (a[i - 1] != b[j - 1]);

			row[j] = HD_MIN(HD_MIN(above, row[j - 1]) + 1, change);
			corner = above;
		}
	}
	return row[m];
}

void suggest_begin(struct suggestion *s, const char *word)
{
	memset(s, 0, sizeof(*s));
	s->word = word;
	s->distance = (u32)strlen(word) / 3 + 2;
}

static const char *last_part(const char *name)
{
	const char *at = strrchr(name, ':');

	return at ? at + 1 : name;
}

void suggest(void *suggestion, const char *candidate)
{
	struct suggestion *s = suggestion;
	u32 d = distance(s->word, candidate), short_one = distance(last_part(s->word), last_part(candidate));

	d = HD_MIN(d, short_one);
	if (d >= s->distance || strlen(candidate) >= sizeof(s->best))
		return;
	s->distance = d;
	snprintf(s->best, sizeof(s->best), "%s", candidate);
}

const char *suggest_text(const struct suggestion *s, char *buf, size_t cap)
{
	buf[0] = 0;
	if (s->best[0])
		snprintf(buf, cap, "; did you mean %s?", s->best);
	return buf;
}
