#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cc.h"
#include "cli/cli.h"
#include "cli/check_options.h"
#include "launch/similar.h"

static const struct verb {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *topic; /* of heddle help, for --help behind the verb */
	bool (*asks_help)(int argc, char **argv);
} verbs[] = {
	{"check", verb_check, "check", check_options_ask_help},
	{"replay", verb_replay, "replay", help_asked},
	{"show", verb_show, "show", help_asked},
	{"shrink", verb_shrink, "shrink", help_asked},
	{"tree", verb_tree, "tree", help_asked},
	{"certify", verb_certify, "certify", help_asked},
	{"partition", verb_partition, "partition", help_asked},
	{"init", verb_init, "init", help_asked},
	{"doctor", verb_doctor, "doctor", help_asked},
	{"fingerprint", verb_fingerprint, "check", check_options_ask_help},
	{"inetd", verb_inetd, "inetd", help_asked_first},
	{"cc", verb_cc, "cc", help_asked_first},
	{"c++", verb_cxx, "c++", help_asked_first},
	{"help", verb_help, "help", help_asked},
	{"--help", verb_help, "help", help_asked},
	{"-h", verb_help, "help", help_asked},
};

static int run_verb(const struct verb *v, int argc, char **argv)
{
	if (v->asks_help(argc, argv))
		return verb_help(2, (char *[]){"help", (char *)v->topic, NULL});
	return v->run(argc, argv);
}

/* It may also be a program: heddle ./prog. */
static int complain_verb(const char *word)
{
	static const struct {
		const char *word, *meant;
	} elsewhere[] = {{"run", "heddle check -- PROGRAM"},
			 {"verify", "heddle check -- PROGRAM"},
			 {"explore", "heddle check -- PROGRAM"},
			 {"test", "heddle check -- PROGRAM"},
			 {"debug", "heddle replay TRACE --gdb"},
			 {"gdb", "heddle replay TRACE --gdb"},
			 {"version", "heddle --version"},
			 {"compile", "heddle cc"},
			 {"gcc", "heddle cc"},
			 {"g++", "heddle c++"}};
	struct similar best = SIMILAR_NONE;
	char meant[64];

	for (size_t i = 0; i < HD_ARRAY_LEN(elsewhere); i++)
		if (!strcmp(word, elsewhere[i].word))
			return complain_usage(NULL, "unknown verb %s (did you mean %s?)", word,
					      elsewhere[i].meant);
	if (word[0] == '-') {
		similar_try(&best, word, strlen(word), "--version");
		similar_try(&best, word, strlen(word), "--help");
		return complain_usage(NULL, "unknown option %s%s; options of a verb come after it", word,
				      similar_text(&best, "heddle ", meant, sizeof(meant)));
	}
	for (size_t i = 0; i < HD_ARRAY_LEN(verbs); i++)
		similar_try(&best, word, strlen(word), verbs[i].name);
	if (!best.word && strchr(word, '/') && access(word, X_OK) == 0)
		return complain_usage(NULL, "unknown verb %s; to explore a program: heddle check -- %s", word,
				      word);
	return complain_usage(NULL, "unknown verb %s%s", word,
			      similar_text(&best, "heddle ", meant, sizeof(meant)));
}

int main(int argc, char **argv)
{
	if (argc > 0 && argv[0])
		cli_command = argv[0];
	/* For tools that want a compiler in one word, or have its name built in. */
	if (cc_called_as(cli_command) != CC_NAME_NONE)
		return cc_under_another_name(argc, argv);
	/* Debug information is what lies on this machine; no lookups elsewhere. */
	unsetenv("DEBUGINFOD_URLS");
	/* A file that would grow beyond ulimit -f is an error like others. */
	signal(SIGXFSZ, SIG_IGN);
	if (argc < 2)
		return complain_usage(NULL, "what to do? heddle check -- PROGRAM explores a program");
	if (!strcmp(argv[1], "--version")) {
		printf("heddle %s\n", HEDDLE_VERSION);
		return 0;
	}
	for (size_t i = 0; i < HD_ARRAY_LEN(verbs); i++)
		if (!strcmp(argv[1], verbs[i].name))
			return run_verb(&verbs[i], argc - 1, argv + 1);
	return complain_verb(argv[1]);
}
