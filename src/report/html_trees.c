/* html_trees.c: communication trees as drawings: the text of trees_text.c with lines along its ways. */
#include <stdlib.h>
#include <string.h>

#include "report/html_priv.h"
#include "report/trees.h"

#define ROW 20
#define STEP 26
#define ROWS_MAX 1500
#define DEPTHS 64
#define CHARS 110

static size_t depth_of(const char *line)
{
	size_t n = strspn(line, " ");

	return n < 2 ? 0 : 1 + HD_MIN((n - 2) / 4, (size_t)DEPTHS - 2);
}

static void draw_line(FILE *f, const char *line, size_t row, int *above)
{
	size_t depth = depth_of(line);
	const char *text = line + strspn(line, " ");
	int x = 10 + STEP * (int)depth, y = ROW * (int)row + 15;
	bool said = text[0] == '<';

	if (depth && above[depth - 1])
		fprintf(f, "<path class=\"tree-line\" d=\"M%d %dV%dh%d\"/>", x - STEP + 6,
			above[depth - 1] + 5, y - 4, STEP - 10);
	for (size_t i = depth; i < DEPTHS; i++)
		above[i] = i == depth ? y : 0;
	fprintf(f, "<text class=\"mono%s\" x=\"%d\" y=\"%d\">",
		said    ? " tree-said"
		: depth ? ""
			: " lane",
		x, y);
	html_cut(f, said ? "← " : text[0] == '>' ? "→ " : "", 8);
	html_cut(f, said || text[0] == '>' ? text + 2 : text, CHARS);
	fputs("</text>\n", f);
}

void html_trees(FILE *f, const struct trees *t)
{
	char *text = NULL, *rest, *line;
	size_t size = 0, rows = 0, widest = 0;
	int above[DEPTHS] = {0};
	FILE *m = open_memstream(&text, &size);

	if (!m)
		return;
	trees_text(m, t);
	if (fclose(m)) {
		free(text);
		return;
	}
	for (const char *c = text; *c && rows < ROWS_MAX; rows++) {
		size_t len = strcspn(c, "\n");

		widest = HD_MAX(widest, STEP * depth_of(c) + 8 * HD_MIN(len, (size_t)CHARS));
		c += len + (c[len] == '\n');
	}
	fprintf(f,
		"<div class=\"scroll\" tabindex=\"0\"><svg role=\"img\" aria-label=\"communication trees\" "
		"width=\"%zu\" "
		"height=\"%zu\" xmlns=\"http://www.w3.org/2000/svg\">\n",
		widest + 40, ROW * rows + 14);
	rest = text;
	for (size_t row = 0; row < rows && (line = strsep(&rest, "\n")); row++)
		draw_line(f, line, row, above);
	fputs("</svg></div>\n", f);
	if (rest && *rest)
		fputs("<p>Cut here; <code>heddle tree</code> shows the rest.</p>\n", f);
	free(text);
}
