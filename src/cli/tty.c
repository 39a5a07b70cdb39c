#include "cli/tty.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/base.h"

#define NARROWEST 30

struct tty tty_of_stderr(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
	struct tty t = {0};
	struct winsize w;

	if (!isatty(STDERR_FILENO))
		return t;
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col)
		t.columns = HD_MAX((size_t)w.ws_col, NARROWEST);
	t.colour = !(no && *no) && term && *term && strcmp(term, "dumb");
	return t;
}

/* The colour of a line by its beginning; NULL: none. */
static const char *colour_of(const char *line, size_t n)
{
	static const struct {
		const char *begins, *colour;
	} table[] = {
		{"heddle: violation ", "\033[1;31m"}, {"heddle: Violation", "\033[1;31m"},
		{"heddle: Verified", "\033[1;32m"},   {"heddle: Not verified", "\033[1;33m"},
		{"  replay: ", "\033[36m"},
	};

	for (size_t i = 0; i < HD_ARRAY_LEN(table); i++)
		if (n >= strlen(table[i].begins) && !memcmp(line, table[i].begins, strlen(table[i].begins)))
			return table[i].colour;
	return memmem(line, n, ": error: ", 9) ? "\033[1m" : NULL;
}

/* How many bytes fit, up to a blank where there is one; columns are characters, not bytes. */
static size_t fitting(const char *line, size_t n, size_t columns)
{
	size_t used = 0, blank = 0;

	for (size_t i = 0; i < n; i++) {
		used += ((u8)line[i] & 0xc0) != 0x80;
		if (line[i] == ' ' && i && line[i - 1] != ' ')
			blank = i;
		if (used > columns)
			return blank ? blank : i;
	}
	return n;
}

static void print_line(FILE *f, const struct tty *t, const char *line, size_t n)
{
	const char *colour = t->colour ? colour_of(line, n) : NULL;
	size_t indent = 0, room = t->columns, part;
	bool whole = !room || (n > 10 && !memcmp(line, "  replay: ", 10));

	while (indent < n && line[indent] == ' ')
		indent++;
	indent = indent + 4 < t->columns / 2 ? indent + 4 : 4;
	if (colour)
		fputs(colour, f);
	for (bool first = true; n || first; first = false) {
		part = whole ? n : fitting(line, n, first ? room : room - indent);
		fprintf(f, "%*s", first ? 0 : (int)indent, "");
		fwrite(line, 1, part, f);
		line += part;
		n -= part;
		while (n && *line == ' ')
			line++, n--;
		if (n)
			putc('\n', f);
	}
	fputs(colour ? "\033[0m\n" : "\n", f);
}

void tty_print(FILE *f, const struct tty *t, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		print_line(f, t, text, n);
		text += n + (text[n] == '\n');
	}
}
