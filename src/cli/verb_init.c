#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/check_options.h"
#include "cli/cli.h"
#include "launch/program.h"
#include "report/file.h"

/* A word as YAML takes it, whatever is in it. */
static void print_word(FILE *f, const char *word)
{
	putc('"', f);
	for (; *word; word++)
		if (*word == '"' || *word == '\\')
			fprintf(f, "\\%c", *word);
		else if ((u8)*word < ' ')
			fprintf(f, "\\x%02x", (u8)*word);
		else
			putc(*word, f);
	putc('"', f);
}

static void print_sut(FILE *f, char *const *argv)
{
	fputs("# The program and its arguments. Build it with -g, or with heddle-cc to have data races "
	      "found.\n"
	      "sut: [",
	      f);
	for (size_t i = 0; argv[i]; i++) {
		fputs(i ? ", " : "", f);
		print_word(f, argv[i]);
	}
	fputs("]\n", f);
}

static const char rest[] =
	"\n"
	"# When to stop looking. Without limits: when every schedule was seen.\n"
	"limits: {time: 5m}\n"
	"\n"
	"# What counts as a violation besides crashes, failed asserts, deadlocks, livelocks and data races.\n"
	"#properties: {exit-status: yes, fds: yes}\n"
	"\n"
	"# Reports beside result.json: text, junit, sarif, html, github.\n"
	"#format: [html]\n"
	"#out: heddle-out\n"
	"#keep-going: yes\n"
	"\n"
	"# Who the program talks to. {port} and {port:N} become free ports.\n"
	"#client: \"nc 127.0.0.1 {port}\"\n"
	"#clients: 2\n"
	"#server: \"./backend {port:8080}\"\n"
	"\n"
	"# Every option of heddle check is a key; names of files count from this file's folder.\n";

static int write_file(const char *path, char *const *argv, struct problem *p)
{
	struct file f;

	if (access(path, F_OK) == 0)
		return problem_set(p, "%s is there already; change it, or remove it first", path);
	if (file_create(&f, path, p))
		return -1;
	fputs("# heddle check, without a program, reads this file: here, or in a folder below.\n", f.stream);
	print_sut(f.stream, argv);
	fputs(rest, f.stream);
	return file_commit(&f, p);
}

int verb_init(int argc, char **argv)
{
	char *given[] = {NULL, NULL}, *example[] = {"./my-program", NULL};
	struct verb_words words;
	struct program program;
	struct problem p;

	if (option_parse_verb(&no_option_list, NULL, argc, argv, &words, &p) ||
	    (words.operand && words.program && problem_set(&p, "one program, after --")))
		return complain_usage("init", "%s", p.text);
	given[0] = (char *)words.operand;
	if (words.operand && !words.program)
		words.program = given;
	if (words.program && program_open(words.program[0], &program, &p))
		return complain(&p);
	if (write_file(SCENARIO_NAME, words.program ? words.program : example, &p))
		return complain(&p);
	say("%s is written; %s", SCENARIO_NAME,
	    words.program ? "heddle check runs it"
			  : "put the name of your program behind sut:, then: heddle check");
	return 0;
}
