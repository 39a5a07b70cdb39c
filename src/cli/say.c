#include <stdarg.h>
#include <string.h>

#include "cli/cli.h"

const char *cli_command = "heddle";

void say(const char *format, ...)
{
	va_list args;

	fputs("heddle: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	putc('\n', stderr);
}

int complain(const struct problem *p)
{
	say("%s", p->text);
	return EXIT_TOOL_ERROR;
}

int complain_usage(const char *verb, const char *format, ...)
{
	va_list args;

	fputs("heddle: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "; see heddle help%s%s\n", verb ? " " : "", verb ? verb : "");
	return EXIT_TOOL_ERROR;
}

void print_shell_word(FILE *f, const char *word)
{
	if (word[0] &&
	    !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%+,-./:=@_")]) {
		fputs(word, f);
		return;
	}
	putc('\'', f);
	for (const char *c = word; *c; c++)
		fputs(*c == '\'' ? "'\\''" : (char[]){*c, 0}, f);
	putc('\'', f);
}
