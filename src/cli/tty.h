/*
 * tty.h: text for people who sit before a terminal: lines are broken at words, and what matters has a
 * colour. Into files and pipes it goes as it is.
 */
#ifndef HEDDLE_CLI_TTY_H
#define HEDDLE_CLI_TTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* How standard error is. */
struct tty {
	size_t columns; /* 0: lines are not broken */
	bool colour;    /* never with NO_COLOR, or TERM=dumb */
};
struct tty tty_of_stderr(void);

/*
 * Lines that begin with "  replay: " stay whole: they are there to be copied. The rest of a broken line is
 * indented by four more than its beginning.
 */
void tty_print(FILE *f, const struct tty *t, const char *text);

#endif
