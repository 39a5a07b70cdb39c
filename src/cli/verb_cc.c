/*
 * verb_cc.c: heddle cc and heddle c++. Compiling adds instrumentation; linking adds heddle's hooks in place
 * of ThreadSanitizer's library. A command that does both becomes one per source and one that links, with
 * temporary objects.
 */
#include "cli/cc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

static int make_folder(char *out, size_t cap, struct problem *p)
{
	const char *tmp = getenv("TMPDIR");

	if (snprintf(out, cap, "%s/heddle-cc.XXXXXX", tmp && *tmp ? tmp : "/tmp") >= (int)cap ||
	    !mkdtemp(out))
		return problem_set(p, "no folder for temporary objects in %s: %s", tmp && *tmp ? tmp : "/tmp",
				   strerror(errno));
	return 0;
}

static int compile_sources(const struct cc_tools *t, const struct cc_command *c, const char *folder,
			   char **object)
{
	struct words command;
	int status = 0;

	for (size_t i = 0; i < c->count && !status; i++) {
		if (c->word[i].kind != CC_SOURCE)
			continue;
		if (asprintf(&object[i], "%s/%zu.o", folder, i) < 0) {
			object[i] = NULL;
			return EXIT_TOOL_ERROR;
		}
		memset(&command, 0, sizeof(command));
		cc_compile_one(&command, t, c, &c->word[i], object[i]);
		status = cc_run(&command);
		words_free(&command);
	}
	return status;
}

static void remove_objects(const char *folder, char **object, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (object[i])
			unlink(object[i]);
		free(object[i]);
	}
	free(object);
	rmdir(folder);
}

static int link_once(const struct cc_tools *t, const struct cc_command *c, char *const *object,
		     const struct words *own)
{
	struct words command = {0};
	int status;

	cc_link(&command, t, c, object, own);
	status = cc_run(&command);
	words_free(&command);
	return status;
}

/* An object that names the code which is not instrumented; NULL: there is none. */
static char *note_plain(const struct cc_tools *t, const struct words *plain, const char *folder,
			struct problem *p)
{
	struct words command = {0};
	char *source = NULL, *object = NULL;

	if (!plain->count || asprintf(&source, "%s/plain.s", folder) < 0)
		return NULL;
	if (asprintf(&object, "%s/plain.o", folder) < 0)
		object = NULL;
	for (size_t i = 0; i < t->compiler.count; i++)
		words_add(&command, t->compiler.list[i]);
	words_add(&command, "-c");
	words_add(&command, source);
	words_add(&command, "-o");
	words_add(&command, object ? object : "");
	if (cc_write_plain(plain, source, p) || cc_run(&command)) {
		free(object);
		object = NULL;
	}
	unlink(source);
	free(source);
	words_free(&command);
	return object;
}

/*
 * A program may have a function of its own that is called like one of the C library's: index, send. Who
 * defines what is known when it is linked; then it is linked once more, without redirecting those. So is one
 * with code that is not instrumented, which it is to name.
 */
static int link_objects(const struct cc_tools *t, const struct cc_command *c, char **object,
			const char *folder, struct problem *p)
{
	struct words own = {0}, plain = {0};
	int status = link_once(t, c, object, &own);

	if (!status && !c->relocatable) {
		cc_find_own(c->output ? c->output : "a.out", &own);
		if (cc_may_link_plain(c))
			cc_find_plain(t, c, object, &own, &plain);
		object[c->count] = note_plain(t, &plain, folder, p);
	}
	if (own.count || object[c->count])
		status = link_once(t, c, object, &own);
	words_free(&own);
	words_free(&plain);
	return status;
}

static int build(const struct cc_tools *t, const struct cc_command *c, struct problem *p)
{
	char folder[4096], **object = calloc(c->count + 1, sizeof(*object)); /* the last: see note_plain */
	int status;

	if (!object)
		return problem_set(p, "out of memory");
	if (make_folder(folder, sizeof(folder), p)) {
		free(object);
		return -1;
	}
	status = compile_sources(t, c, folder, object);
	if (!status)
		status = link_objects(t, c, object, folder, p);
	remove_objects(folder, object, c->count + 1);
	return status;
}

static int in_one_go(const struct cc_tools *t, const struct cc_command *c)
{
	struct words command = {0};
	int status;

	if (c->stage == CC_COMPILE)
		cc_compile(&command, t, c);
	else
		cc_ask(&command, t, c);
	status = cc_run(&command);
	words_free(&command);
	return status;
}

/* A compiler that was found in PATH under our name called us (ccache does), or HEDDLE_CC=gcc is our link. */
static int pass_through(const char *hidden, int argc, char **argv)
{
	struct words command = {0};
	int status;

	words_add(&command, hidden);
	for (int i = 1; i < argc; i++)
		words_add(&command, argv[i]);
	status = cc_run(&command);
	words_free(&command);
	return status;
}

static int wrap(int argc, char **argv, bool cxx, const char *hidden)
{
	struct cc_command c = {0};
	struct cc_tools t = {0};
	struct problem p;
	int status;

	if (getenv("HEDDLE_CC_RUNS") && hidden)
		return pass_through(hidden, argc, argv);
	if (getenv("HEDDLE_CC_RUNS")) {
		say("HEDDLE_CC or HEDDLE_CXX names heddle cc itself; it must name a compiler (gcc, clang)");
		return EXIT_TOOL_ERROR;
	}
	setenv("HEDDLE_CC_RUNS", "1", 1);
	if (cc_parse(&c, argc - 1, argv + 1, &p) || cc_tools_find(&t, cxx, hidden, &p))
		status = -1;
	else
		status = c.stage == CC_LINK ? build(&t, &c, &p) : in_one_go(&t, &c);
	cc_command_free(&c);
	cc_tools_free(&t);
	return status < 0 ? complain(&p) : status;
}

int verb_cc(int argc, char **argv)
{
	return wrap(argc, argv, false, NULL);
}

int verb_cxx(int argc, char **argv)
{
	return wrap(argc, argv, true, NULL);
}

int cc_under_another_name(int argc, char **argv)
{
	enum cc_name name = cc_called_as(argv[0]);
	char hidden[4096];

	if (name == CC_NAME_C || name == CC_NAME_CXX)
		return wrap(argc, argv, name == CC_NAME_CXX, NULL);
	if (!cc_behind_us(argv[0], hidden, sizeof(hidden))) {
		say("%s is heddle here, and PATH has no other %s behind it", argv[0], argv[0]);
		return EXIT_TOOL_ERROR;
	}
	return wrap(argc, argv, name == CC_NAME_AS_CXX, hidden);
}
