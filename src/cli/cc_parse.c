/*
 * cc_parse.c: what a compiler's command line asks for, as far as a wrapper must know: which words are
 * sources, which take the next word as their value, and how far the work goes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cc.h"

#define RESPONSE_DEPTH 20

/* One word of a response file, as gcc reads it: blanks separate, quotes and backslashes protect. */
static char *response_word(const char **at, char *word)
{
	const char *c = *at;
	char quote = 0, *out = word;

	for (; *c && (quote || !strchr(" \t\r\n\f\v", *c)); c++) {
		if (*c == '\\' && c[1])
			*out++ = *++c;
		else if (quote ? *c == quote : *c == '\'' || *c == '"')
			quote = quote ? 0 : *c;
		else
			*out++ = *c;
	}
	*out = 0;
	*at = c;
	return word;
}

static char *read_whole(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t room = 0;

	if (!f)
		return NULL;
	if (getdelim(&text, &room, 0, f) < 0) {
		free(text);
		text = ferror(f) ? NULL : strdup("");
	}
	fclose(f);
	return text;
}

/* The word itself, or all words of the file that @file names. A file that can't be read is a word. */
static void expand(struct words *out, const char *word, int depth)
{
	char *text = word[0] == '@' && depth < RESPONSE_DEPTH ? read_whole(word + 1) : NULL;
	char *one = text ? malloc(strlen(text) + 1) : NULL;
	const char *at = text;

	if (!one)
		words_add(out, word);
	while (one && *(at += strspn(at, " \t\r\n\f\v")))
		expand(out, response_word(&at, one), depth + 1);
	free(one);
	free(text);
}

static bool is_one_of(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(word, *list))
			return true;
	return false;
}

static bool begins_with_one_of(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (!strncmp(word, *list, strlen(*list)))
			return true;
	return false;
}

/* Options whose value is the next word. */
static const char *const with_value[] = {"-o",
					 "-x",
					 "-I",
					 "-D",
					 "-U",
					 "-A",
					 "-B",
					 "-F",
					 "-include",
					 "-imacros",
					 "-isystem",
					 "-iquote",
					 "-idirafter",
					 "-iprefix",
					 "-iwithprefix",
					 "-iwithprefixbefore",
					 "-isysroot",
					 "--sysroot",
					 "-imultilib",
					 "-MF",
					 "-MT",
					 "-MQ",
					 "-MJ",
					 "-Xassembler",
					 "-Xpreprocessor",
					 "-Xclang",
					 "-mllvm",
					 "--param",
					 "-target",
					 "--target",
					 "-arch",
					 "-aux-info",
					 "-wrapper",
					 "-dumpbase",
					 "-dumpdir",
					 "-dumpbase-ext",
					 "-gcc-toolchain",
					 "--gcc-toolchain",
					 "-specs",
					 "--include",
					 "-Xlinker",
					 "-L",
					 "-l",
					 "-T",
					 "-u",
					 "-z",
					 "-e",
					 "-h",
					 "-R",
					 "-G",
					 "-Tbss",
					 "-Tdata",
					 "-Ttext",
					 "--entry",
					 NULL};
static const char *const link_options[] = {"-Xlinker",
					   "-T",
					   "-u",
					   "-z",
					   "-e",
					   "-h",
					   "-R",
					   "-Tbss",
					   "-Tdata",
					   "-Ttext",
					   "--entry",
					   "-shared",
					   "--shared",
					   "-static",
					   "-static-pie",
					   "-pie",
					   "-no-pie",
					   "-rdynamic",
					   "-s",
					   "-nostdlib",
					   "-nodefaultlibs",
					   "-nostartfiles",
					   "-nolibc",
					   "-r",
					   "-symbolic",
					   "-static-libgcc",
					   "-static-libstdc++",
					   "-shared-libgcc",
					   "-nostdlib++",
					   NULL};
static const char *const link_prefixes[] = {"-l", "-L", "-Wl,", "-fuse-ld=", "--ld-path=", "-T", NULL};
static const char *const dependencies[] = {"-MD", "-MMD", "-MP", "-MG", "-MF", "-MT", "-MQ", "-MV", NULL};
static const char *const no_link[] = {
	"-c",        "-S",        "-E",        "-M",         "-MM",          "-fsyntax-only",
	"--analyze", "-emit-ast", "--compile", "--assemble", "--preprocess", NULL};
static const char *const questions[] = {"--version",
					"--help",
					"-dumpmachine",
					"-dumpversion",
					"-dumpfullversion",
					"-dumpspecs",
					"--target-help",
					"-###",
					NULL};
static const char *const question_prefixes[] = {"-print-", "--print-", "--help=", NULL};

static const char *const source_endings[] = {".c",   ".i",   ".ii",  ".cc", ".cp", ".cxx", ".cpp",
					     ".CPP", ".c++", ".C",   ".s",  ".S",  ".sx",  ".m",
					     ".mm",  ".mi",  ".mii", ".M",  ".ll", ".bc",  NULL};
static const char *const header_endings[] = {".h",   ".hh",  ".H",   ".hp",  ".hxx",
					     ".hpp", ".HPP", ".h++", ".tcc", NULL};

/* Sanitizers that bring a runtime or an instrumentation of their own. */
static const char *const foreign_sanitizers[] = {
	"address",       "hwaddress", "kernel-address", "kernel-hwaddress", "leak",  "memory",
	"kernel-memory", "dataflow",  "fuzzer",         "fuzzer-no-link",   "scudo", "safe-stack",
	"memtag",        "realtime",  "type",           "numerical",        NULL};

static const char *ending(const char *path)
{
	const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');

	return dot ? dot : "";
}

/* -fsanitize=LIST without thread, which the wrapper adds where it belongs. NULL: nothing is left. */
static int filter_sanitizers(const char *list, char *out, size_t cap, struct problem *p)
{
	char *copy = strdup(list), *rest = copy, *one;
	size_t at = 0;
	int ret = 0;

	out[0] = 0;
	while (!ret && (one = strsep(&rest, ","))) {
		if (is_one_of(one, foreign_sanitizers))
			ret = problem_set(p,
					  "-fsanitize=%s cannot be combined with heddle cc, which "
					  "instruments the program itself; "
					  "build without it",
					  one);
		else if (*one && strcmp(one, "thread") && at < cap)
			at += (size_t)snprintf(out + at, cap - at, "%s%s", at ? "," : "-fsanitize=", one);
	}
	free(copy);
	return ret;
}

static enum cc_kind kind_of(const char *w, const char *language)
{
	if (w[0] != '-' || !w[1])
		return language || is_one_of(ending(w), source_endings) ? CC_SOURCE : CC_INPUT;
	if (w[1] == 'o')
		return CC_OUTPUT;
	if (w[1] == 'x')
		return CC_LANGUAGE;
	if (is_one_of(w, dependencies) || !strncmp(w, "-MF", 3) || !strncmp(w, "-MT", 3) ||
	    !strncmp(w, "-MQ", 3))
		return CC_DEPENDENCY;
	if (is_one_of(w, link_options) || begins_with_one_of(w, link_prefixes))
		return CC_LINK_OPTION;
	return CC_OPTION;
}

struct progress_of_parse {
	const char *language;
	bool asks, inputs, header, stops;
	bool is_static;
};

static void note_option(struct cc_command *c, const struct cc_word *w, struct progress_of_parse *s)
{
	if (is_one_of(w->text, questions) || begins_with_one_of(w->text, question_prefixes))
		s->asks = true;
	if (is_one_of(w->text, no_link))
		s->stops = true;
	if (!strcmp(w->text, "-r"))
		c->relocatable = true;
	if (!strcmp(w->text, "-static") || !strcmp(w->text, "-static-pie") || !strcmp(w->text, "--static"))
		s->is_static = true;
	if (w->text[0] == '-' && w->text[1] == 'g' && strncmp(w->text, "-gcc-", 5) &&
	    strncmp(w->text, "-gno-", 5))
		c->debug = true;
	if (!strncmp(w->text, "-MF", 3))
		c->dependency_file = true;
	if (!strncmp(w->text, "-MT", 3) || !strncmp(w->text, "-MQ", 3))
		c->dependency_target = true;
	if (!strcmp(w->text, "-MD") || !strcmp(w->text, "-MMD"))
		c->dependencies = w->text;
}

static void note(struct cc_command *c, struct cc_word *w, struct progress_of_parse *s)
{
	switch (w->kind) {
	case CC_LANGUAGE:
		s->language = w->value ? w->value : w->text + 2;
		if (!strcmp(s->language, "none"))
			s->language = NULL;
		else if (strstr(s->language, "-header"))
			s->header = true;
		break;
	case CC_OUTPUT:
		c->output = w->value ? w->value : w->text + 2;
		break;
	case CC_SOURCE:
		w->language = s->language;
		s->inputs = true;
		break;
	case CC_INPUT:
		s->inputs = true;
		if (is_one_of(ending(w->text), header_endings))
			s->header = true;
		break;
	default:
		note_option(c, w, s);
	}
}

static int settle(struct cc_command *c, struct progress_of_parse *s, struct problem *p)
{
	c->stage = s->asks || !s->inputs ? CC_ASK : s->stops || s->header ? CC_COMPILE : CC_LINK;
	if (c->stage == CC_LINK && s->is_static)
		return problem_set(
			p, "-static: heddle checks dynamically linked programs only; link without it");
	return 0;
}

int cc_parse(struct cc_command *c, int argc, char **argv, struct problem *p)
{
	struct progress_of_parse s = {0};
	char kept[4096];

	memset(c, 0, sizeof(*c));
	for (size_t i = 0; i < (size_t)argc; i++)
		expand(&c->words, argv[i], 0);
	c->word = calloc(c->words.count + 1, sizeof(*c->word));
	if (!c->word)
		return problem_set(p, "out of memory");
	for (size_t i = 0; i < c->words.count; i++) {
		struct cc_word *w = &c->word[c->count];

		if (!strncmp(c->words.list[i], "-fsanitize=", 11)) {
			if (filter_sanitizers(c->words.list[i] + 11, kept, sizeof(kept), p))
				return -1;
			if (!kept[0])
				continue;
			free(c->words.list[i]);
			c->words.list[i] = strdup(kept);
		}
		w->text = c->words.list[i];
		w->kind = kind_of(w->text, s.language);
		if (is_one_of(w->text, with_value) && i + 1 < c->words.count)
			w->value = c->words.list[++i];
		note(c, w, &s);
		c->count++;
	}
	return settle(c, &s, p);
}

void cc_command_free(struct cc_command *c)
{
	words_free(&c->words);
	free(c->word);
	memset(c, 0, sizeof(*c));
}
