#include "launch/similar.h"

#include "base/text.h"

#define LONGEST 64

/* Damerau's distance: letters changed, added, dropped, or swapped. Beyond `most`: some number beyond it. */
static size_t distance(const char *a, size_t n, const char *b, size_t m, size_t most)
{
	u16 row[3][LONGEST + 1];
	u16 *before = row[0], *last = row[1], *now = row[2];

	for (size_t j = 0; j <= m; j++)
		before[j] = last[j] = (u16)j;
	for (size_t i = 1; i <= n; i++) {
		u16 *spare = before;
		size_t row_least = i;

		now[0] = (u16)i;
		for (size_t j = 1; j <= m; j++) {
			size_t least = (size_t)last[j - 1] + (a[i - 1] != b[j - 1]);

			least = HD_MIN(least, HD_MIN(last[j], now[j - 1]) + 1ul);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				least = HD_MIN(least, before[j - 2] + 1ul);
			now[j] = (u16)least;
			row_least = HD_MIN(row_least, least);
		}
		if (row_least > most + 1) /* a swap looks two rows back, and costs one */
			return row_least;
		before = last;
		last = now;
		now = spare;
	}
	return last[m];
}

/* The beginning of a longer word is what people write who do not remember the rest. */
static bool is_beginning(const char *word, size_t len, const char *known)
{
	size_t i = 0;

	while (i < len && known[i] == word[i])
		i++;
	return i == len && len >= 3 && known[i];
}

void similar_try(struct similar *best, const char *word, size_t len, const char *known)
{
	size_t m = str_len(known), most = HD_MAX(1ul, len / 3), d = 1;

	if (!len || len > LONGEST || m > LONGEST)
		return;
	if (!is_beginning(word, len, known)) {
		/* So many letters have to be added or dropped at least. */
		if ((len > m ? len - m : m - len) > most)
			return;
		d = distance(word, len, known, m, most);
	}
	if (d > most || (best->word && best->distance <= d))
		return;
	*best = (struct similar){known, d};
}

const char *similar_text(const struct similar *best, const char *prefix, char *out, size_t cap)
{
	struct text t;

	text_init(&t, out, cap);
	if (best->word)
		text_fmt(&t, " (did you mean %s%s?)", prefix, best->word);
	return out;
}
