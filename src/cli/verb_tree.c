#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "report/file.h"
#include "report/trace.h"
#include "report/trees.h"
#include "report/trees_file.h"

struct tree_options {
	const char *from, *to; /* to NULL: standard output */
	const struct trees_format *format;
};

static int parse(struct tree_options *o, int argc, char **argv)
{
	int i;

	o->format = trees_format_by_name("text");
	for (i = 1; i < argc; i++) {
		const char *word = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;

		if (!strcmp(word, "--format") || !strcmp(word, "-o") || !strcmp(word, "--output")) {
			if (!value)
				return complain_usage("tree", "%s needs a value", word);
			if (word[1] == 'o' || word[2] == 'o')
				o->to = value;
			else if (!(o->format = trees_format_by_name(value)))
				return complain_usage("tree", "--format is text, dot or pcap, not %s", value);
			i++;
		} else if (word[0] == '-' && word[1]) {
			return complain_usage("tree", "unknown option %s", word);
		} else if (o->from) {
			return complain_usage("tree", "%s: one report folder or file at a time", word);
		} else {
			o->from = word;
		}
	}
	if (!o->from)
		return complain_usage("tree", "a report folder, a trace or a file with trees is expected");
	if (o->format->binary && !o->to && isatty(STDOUT_FILENO))
		return complain_usage("tree", "%s is not for terminals: -o FILE says where to",
				      o->format->name);
	return 0;
}

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

static int print(const struct tree_options *o, const struct trees *t, struct problem *p)
{
	struct file f;
	bool ok;

	if (!o->to) {
		ok = o->format->print(stdout, t);
		if (fflush(stdout) || ferror(stdout))
			return problem_set(p, "the output cannot be written: %s", strerror(errno));
		return ok ? 0 : problem_set(p, "out of memory");
	}
	if (file_create(&f, o->to, p))
		return -1;
	ok = o->format->print(f.stream, t);
	if (file_commit(&f, p))
		return -1;
	return ok ? 0 : problem_set(p, "out of memory: %s is not complete", o->to);
}

int verb_tree(int argc, char **argv)
{
	struct tree_options o = {0};
	struct trees_blob b;
	struct problem p;
	int code = parse(&o, argc, argv);

	if (code || !o.from)
		return code;
	if (load(o.from, &b, &p))
		return complain(&p);
	code = print(&o, trees_blob_trees(&b), &p) ? complain(&p) : 0;
	trees_blob_free(&b);
	return code;
}
