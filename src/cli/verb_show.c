#include <jansson.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "cli/option_parse.h"
#include "report/plain_text.h"
#include "report/trace.h"

static void print_program(const struct trace *t)
{
	char *const *arg;

	fputs("program:", stdout);
	for (arg = t->argv; *arg; arg++) {
		putchar(' ');
		print_shell_word(stdout, *arg);
	}
	printf("\n         %s (%s)\n\n", t->program.path, t->program.identity);
}

static int show_trace(const char *path)
{
	struct trace t;
	struct problem p;

	if (trace_load(&t, path, &p))
		return complain(&p);
	print_program(&t);
	plain_violation(stdout, &t);
	printf("\n  All steps:\n");
	plain_steps(stdout, &t);
	printf("\nreplay: ");
	print_shell_word(stdout, cli_command);
	fputs(" replay ", stdout);
	print_shell_word(stdout, path);
	putchar('\n');
	trace_free(&t);
	return 0;
}

static long number(const json_t *j, const char *key)
{
	return (long)json_integer_value(json_object_get(j, key));
}

static int show_violations(const json_t *list, const char *dir)
{
	int code = 0;

	for (size_t i = 0; i < json_array_size(list) && code == 0; i++) {
		const char *name = json_string_value(json_object_get(json_array_get(list, i), "trace"));
		char path[4096];

		/* A name, not a path: result.json may come from somebody else. */
		if (!name || strchr(name, '/'))
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, name);
		printf("\nviolation %zu\n", i + 1);
		code = show_trace(path);
	}
	return code;
}

static int show_directory(const char *dir)
{
	char path[4096];
	json_error_t error;
	json_t *j;
	const char *verdict, *reason, *headline;
	int code;

	snprintf(path, sizeof(path), "%s/result.json", dir);
	j = json_load_file(path, 0, &error);
	if (!j || !json_is_integer(json_object_get(j, "version"))) {
		say("%s is missing or damaged (%s); was %s written by heddle check?", path,
		    j ? "no version" : error.text, dir);
		json_decref(j);
		return EXIT_TOOL_ERROR;
	}
	verdict = json_string_value(json_object_get(j, "verdict"));
	reason = json_string_value(json_object_get(j, "reason"));
	headline = json_string_value(json_object_get(j, "headline"));
	if (headline)
		printf("%s\n", headline);
	printf("verdict: %s: %s\n%ld states, %ld transitions, depth %ld, %ld end states\n",
	       verdict ? verdict : "?", reason ? reason : "?", number(j, "states"), number(j, "transitions"),
	       number(j, "max_depth"), number(j, "end_states"));
	code = show_violations(json_object_get(j, "violations"), dir);
	json_decref(j);
	return code;
}

int verb_show(int argc, char **argv)
{
	struct verb_words words;
	struct problem p;
	struct stat st;

	if (option_parse_verb(&no_option_list, NULL, argc, argv, &words, &p))
		return complain_usage("show", "%s", p.text);
	if (!words.operand || words.program)
		return complain_usage("show", "one trace or report folder is expected");
	if (stat(words.operand, &st) == 0 && S_ISDIR(st.st_mode))
		return show_directory(words.operand);
	return show_trace(words.operand);
}
