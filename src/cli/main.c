#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/check_options.h"

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
	{"doctor", verb_doctor, "doctor", help_asked},
	{"fingerprint", verb_fingerprint, "check", check_options_ask_help},
	{"inetd", verb_inetd, "inetd", help_asked_first},
	{"cc", verb_cc, "cc", help_asked_first},
	{"c++", verb_cxx, "c++", help_asked_first},
	{"help", verb_help, "help", help_asked},
	{"--help", verb_help, "help", help_asked},
	{"-h", verb_help, "help", help_asked},
};

/* heddle-cc and heddle-c++ are this program, for tools that want a compiler in one word. */
static int compiler_name(const char *command)
{
	const char *slash = strrchr(command, '/'), *name = slash ? slash + 1 : command;

	return !strcmp(name, "heddle-cc") ? 1 : !strcmp(name, "heddle-c++") ? 2 : 0;
}

static int run_verb(const struct verb *v, int argc, char **argv)
{
	if (v->asks_help(argc, argv))
		return verb_help(2, (char *[]){"help", (char *)v->topic, NULL});
	return v->run(argc, argv);
}

int main(int argc, char **argv)
{
	if (argc > 0 && argv[0])
		cli_command = argv[0];
	if (compiler_name(cli_command))
		return compiler_name(cli_command) == 1 ? verb_cc(argc, argv) : verb_cxx(argc, argv);
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
	return complain_usage(NULL, "unknown verb %s", argv[1]);
}
