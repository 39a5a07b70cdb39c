#include "cli/similar.h"

#include <stdio.h>
#include <string.h>

#define LONGEST 40

/* Damerau's distance: letters changed, added, dropped, or swapped with their neighbours. */
static size_t distance(const char *a, size_t n, const char *b, size_t m)
{
	size_t row[3][LONGEST + 1];
	size_t *before = row[0], *last = row[1], *now = row[2];

	for (size_t j = 0; j <= m; j++)
		last[j] = j;
	memcpy(before, last, sizeof(row[0]));
	for (size_t i = 1; i <= n; i++) {
		size_t *spare = before;

		now[0] = i;
		for (size_t j = 1; j <= m; j++) {
			size_t least = last[j - 1] + (a[i - 1] != b[j - 1]);

			least = HD_MIN(least, HD_MIN(last[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				least = HD_MIN(least, before[j - 2] + 1);
			now[j] = least;
		}
		before = last;
		last = now;
		now = spare;
	}
	return last[m];
}

void similar_try(struct similar *best, const char *word, size_t len, const char *known)
{
	size_t m = strlen(known), d;

	if (!len || len > LONGEST || m > LONGEST)
		return;
	d = distance(word, len, known, m);
	/* The beginning of a longer word is what people write who do not remember the rest. */
	if (len >= 3 && m > len && !strncmp(known, word, len))
		d = 1;
	if (d > HD_MAX(1ul, len / 3) || (best->word && best->distance <= d))
		return;
	*best = (struct similar){known, d};
}

const char *similar_text(const struct similar *best, const char *prefix, char *out, size_t cap)
{
	out[0] = 0;
	if (best->word)
		snprintf(out, cap, " (did you mean %s%s?)", prefix, best->word);
	return out;
}
