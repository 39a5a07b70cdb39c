#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/option_parse.h"
#include "cli/verb_options.h"
#include "report/file.h"
#include "report/trace.h"
#include "report/trees.h"
#include "report/trees_file.h"

/* A trace is JSON; a file with trees is not. */
static bool is_trace(const char *path)
{
	FILE *f = fopen(path, "re");
	int first = f ? getc(f) : EOF;

	if (f)
		fclose(f);
	return first == '{';
}

static int load_from_trace(const char *path, struct trees_blob *out, struct problem *p)
{
	struct trace t;

	if (trace_load(&t, path, p))
		return -1;
	if (!t.trees) {
		trace_free(&t);
		return problem_set(p, "%s has no communication in it", path);
	}
	*out = (struct trees_blob){t.trees, t.trees_len};
	t.trees = NULL;
	trace_free(&t);
	return 0;
}

static int load(const char *from, struct trees_blob *out, struct problem *p)
{
	struct net_config ignored;
	char path[4096];
	struct stat st;

	if (stat(from, &st))
		return problem_set(p, "%s cannot be read: %s", from, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return is_trace(from) ? load_from_trace(from, out, p)
				      : trees_file_load(from, out, &ignored, p);
	snprintf(path, sizeof(path), "%s/trees.bin", from);
	if (access(path, F_OK) && errno == ENOENT)
		return problem_set(
			p, "%s has no trees.bin: was it written by heddle check, of a program with peers?",
			from);
	return trees_file_load(path, out, &ignored, p);
}

static int print(const struct trees_format *format, const char *to, const struct trees *t, struct problem *p)
{
	struct file f;
	bool ok;

	if (!to) {
		ok = format->print(stdout, t);
		if (fflush(stdout) || ferror(stdout))
			return problem_set(p, "the output cannot be written: %s", strerror(errno));
		return ok ? 0 : problem_set(p, "out of memory");
	}
	if (file_create(&f, to, p))
		return -1;
	ok = format->print(f.stream, t);
	if (file_commit(&f, p))
		return -1;
	return ok ? 0 : problem_set(p, "out of memory: %s is not complete", to);
}

static int parse(struct tree_options *o, int argc, char **argv, struct verb_words *words,
		 const struct trees_format **format, struct problem *p)
{
	if (option_parse_verb(&tree_option_list, o, argc, argv, words, p))
		return -1;
	*format = trees_format_by_name(o->format ? o->format : "text");
	if (!*format)
		return problem_set(p, "--format: %s is none of text, dot, pcap", o->format);
	if (!words->operand || words->program)
		return problem_set(p, "one report folder, trace or file with trees is expected");
	if ((*format)->binary && !o->output && isatty(STDOUT_FILENO))
		return problem_set(p, "%s is not for terminals: -o FILE says where to", o->format);
	return 0;
}

int verb_tree(int argc, char **argv)
{
	const struct trees_format *format;
	struct tree_options o = {0};
	struct verb_words words;
	struct trees_blob b;
	struct problem p;
	int code;

	if (parse(&o, argc, argv, &words, &format, &p))
		return complain_usage("tree", "%s", p.text);
	if (load(words.operand, &b, &p))
		return complain(&p);
	code = print(format, o.output, trees_blob_trees(&b), &p) ? complain(&p) : 0;
	trees_blob_free(&b);
	return code;
}
