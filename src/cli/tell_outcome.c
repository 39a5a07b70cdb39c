#include "cli/tell_outcome.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/tty.h"
#include "report/plain_text.h"
#include "report/source_place.h"

static const struct frame *place_of(const struct trace *t)
{
	const struct log_entry *who = execution_log_culprit(&t->log);

	return frames_source(who->frame, who->frames);
}

/* As compilers write it: editors and CI systems jump to such lines. */
static void tell_like_gcc(FILE *f, const struct trace *t)
{
	const struct frame *at = place_of(t);
	const char *kind = violation_traits(t->violation.found.kind)->name, *message = t->violation.message;
	bool says_kind = !strncmp(message, kind, strlen(kind));
	char file[4096];

	if (!at || !at->file[0])
		return;
	source_from_here(at->file, file, sizeof(file));
	fprintf(f, "%s:%d: error: %s%s%s\n", file, at->line, says_kind ? "" : kind, says_kind ? "" : ": ",
		message);
}

/* Is there a source line for none of them? */
static bool lacks_debug_information(const struct outcome *o)
{
	for (size_t i = 0; i < o->violations; i++) {
		const struct frame *at = place_of(&o->trace[i]);

		if (!at || at->file[0])
			return false;
	}
	return o->violations > 0;
}

static void tell_violations(FILE *f, const struct check_options *opts, const struct outcome *o)
{
	for (size_t i = 0; i < o->violations; i++) {
		if (opts->verbose)
			plain_steps(f, &o->trace[i]);
		if (opts->verbose && o->trace[i].violation.found.by_walk)
			fputs("heddle: the next violation was found by a random walk, before the search came "
			      "to "
			      "it\n",
			      f);
		tell_like_gcc(f, &o->trace[i]);
		fprintf(f, "heddle: violation %zu: ", i + 1);
		plain_violation(f, &o->trace[i]);
		putc('\n', f);
	}
}

static void tell_all(FILE *f, const struct check_options *opts, const struct outcome *o)
{
	char path[4096];

	tell_violations(f, opts, o);
	fputs("heddle: ", f);
	plain_summary(f, o);
	if (lacks_debug_information(o))
		fputs("  note: the program has no debug information; compile it with -g to see source lines "
		      "and "
		      "names of variables\n",
		      f);
	for (size_t i = 0; i < o->violations; i++) {
		snprintf(path, sizeof(path), "%s/%s", opts->out, o->trace[i].name);
		fputs("  replay: ", f);
		print_shell_word(f, cli_command);
		fputs(" replay ", f);
		print_shell_word(f, path);
		putc('\n', f);
	}
}

void tell_outcome(const struct check_options *opts, const struct outcome *o)
{
	struct tty terminal = tty_of_stderr();
	char *text = NULL;
	size_t size;
	FILE *m = opts->quiet ? NULL : open_memstream(&text, &size);

	if (!m)
		return;
	plain_set_width(terminal.columns);
	tell_all(m, opts, o);
	if (fclose(m) == 0)
		tty_print(stderr, &terminal, text);
	free(text);
}
