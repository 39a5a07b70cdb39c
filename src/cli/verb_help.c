#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/check_options.h"
#include "launch/similar.h"

static const struct {
	const char *name, *usage, *text;
	const struct option_list *options;
} topics[] = {
	{"check", "heddle check [options] -- PROGRAM ARGUMENTS",
	 "Explores every schedule of the program's threads. Results go to DIR/result.json and "
	 "DIR/violation-N.trace.\n"
	 "Exit status: 0 verified, 1 violation, 2 usage or tool error, 3 no violation but not verified.\n",
	 &check_option_list},
	{"replay", "heddle replay TRACE [options] [-- PROGRAM ARGUMENTS]",
	 "Runs a recorded execution again and shows its steps with the program's output. With --gdb it "
	 "can then be\n"
	 "debugged: in gdb, heddle step, back, goto N, threads, thread N go through it; help heddle tells "
	 "more.\n"
	 "Exit status: 1 when the violation happened again, 2 otherwise.\n",
	 &replay_option_list},
	{"show", "heddle show TRACE | DIR",
	 "Prints a trace, or everything that heddle check left in DIR, for people.\n", NULL},
	{"shrink", "heddle shrink TRACE [options] [-- PROGRAM ARGUMENTS]",
	 "Finds a shorter execution with the same violation, fewer steps and fewer switches between threads, "
	 "and "
	 "puts it in\nthe place of the trace. (heddle check has done so for two seconds.) Exit status 0, or "
	 "2.\n",
	 &shrink_option_list},
	{"tree", "heddle tree DIR | TRACE | FILE [options]",
	 "Prints what was said with peers: every distinct connection as a tree, > by the program, < by the "
	 "peer.\n"
	 "dot is for graphviz, pcap (a conversation per trace) for wireshark. Exit status 0, or 2.\n",
	 &tree_option_list},
	{"certify", "heddle certify SCRIPT [options] -- PROGRAM ARGUMENTS",
	 "Follows a search script (heddle check --script): makes every transition again, checks all "
	 "properties, "
	 "and finds out\nwhether the script is true. SCRIPT may be a part (heddle partition -o); heddle "
	 "certify "
	 "--merge MAP… compares the maps\nof all parts. Options of heddle check that say what the program "
	 "is, and "
	 "what is a violation, are taken, too.\n"
	 "Exit status: 0 certified, 1 violation, 2 usage, or a file that cannot be read, 3 deviation or "
	 "bounded.\n",
	 &certify_option_list},
	{"partition", "heddle partition SCRIPT -k K [options]",
	 "Cuts a script into K parts that can be certified by themselves. Exit status 0, or 2.\n",
	 &partition_option_list},
	{"init", "heddle init [-- PROGRAM ARGUMENTS]",
	 "Writes a heddle.yaml for this program into the current folder. heddle check without a program "
	 "takes the\n"
	 "heddle.yaml that it finds here or in a folder above. Exit status 0, or 2.\n",
	 NULL},
	{"doctor", "heddle doctor",
	 "Says what this machine offers and what is missing, with the remedy. Exit status 0 when programs "
	 "can be checked.\n",
	 NULL},
	{"inetd", "heddle inetd PORT COMMAND [ARG]...",
	 "For --server: waits for one connection at this port and becomes the command, with the connection "
	 "as its "
	 "input and\noutput. So a server that forks for each connection is one process, which can be saved: "
	 "heddle inetd {port:22} dropbear -i\n",
	 NULL},
	{"cc", "heddle cc COMPILER-ARGUMENTS",
	 "Compiles and links like gcc (HEDDLE_CC=clang: like clang), so that heddle check also sees memory "
	 "accesses: data races,\n"
	 "atomics, lock-free code. The program runs natively as before. For make: CC=heddle-cc; for "
	 "CMake: heddle-cc.\n"
	 "Exit status: the compiler's; 2 for what heddle cannot check (-static, -fsanitize=address).\n",
	 NULL},
	{"c++", "heddle c++ COMPILER-ARGUMENTS",
	 "The same for C++: g++, or HEDDLE_CXX; also heddle-c++ in one word.\n", NULL},
	{"help", "heddle help [VERB]", "", NULL},
};

static void print_overview(void)
{
	puts("heddle checks unmodified multi-threaded programs: every schedule, every state once.\n");
	for (size_t i = 0; i < HD_ARRAY_LEN(topics); i++)
		printf("  %s\n", topics[i].usage);
	puts("\nheddle help check lists the options; heddle --version tells the version.");
}

#define OPTION_COLUMN 37

/* What an option does: on a terminal in lines that fit beside its name, elsewhere in one. */
static void print_beside(const char *text)
{
	struct winsize w;
	bool narrow = isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col;
	size_t room = narrow && w.ws_col > OPTION_COLUMN + 20 ? w.ws_col - OPTION_COLUMN - 1u : SIZE_MAX;

	for (size_t used = 0; *text;) {
		size_t n = strcspn(text, " ");

		if (used && used + 1 + n > room) {
			printf("\n%*s", OPTION_COLUMN, "");
			used = 0;
		}
		printf("%s%.*s", used ? " " : "", (int)n, text);
		used += (used > 0) + n;
		text += n + (text[n] == ' ');
	}
	putchar('\n');
}

static void print_options(const struct option_list *l)
{
	char left[64];

	puts("\nOptions:");
	for (size_t i = 0; i < l->count; i++) {
		const struct option_spec *o = &l->spec[i];

		if (!o->help)
			continue;
		snprintf(left, sizeof(left), "%c%c%s--%s%s%s", o->letter ? '-' : ' ',
			 o->letter ? o->letter : ' ', o->letter ? ", " : "  ", o->name, o->value ? " " : "",
			 o->value ? o->value : "");
		printf(strlen(left) > 34 ? "  %s\n  %-34s " : "  %-34s%.0s ", left, "");
		print_beside(o->help);
	}
	if (l == &check_option_list)
		puts("SIZE takes k, M or G; TIME takes ms, s, m or h. Options may also stand in a scenario "
		     "file "
		     "(man heddle-check).");
}

bool help_word(const char *word)
{
	return !strcmp(word, "--help") || !strcmp(word, "-h");
}

bool help_asked_first(int argc, char **argv)
{
	return argc > 1 && help_word(argv[1]);
}

bool help_asked(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (help_word(argv[i]))
			return true;
	return false;
}

int verb_help(int argc, char **argv)
{
	struct similar best = SIMILAR_NONE;
	char meant[64];

	if (argc < 2) {
		print_overview();
		return 0;
	}
	for (size_t i = 0; i < HD_ARRAY_LEN(topics); i++) {
		if (strcmp(argv[1], topics[i].name))
			continue;
		printf("%s\n\n%s", topics[i].usage, topics[i].text);
		if (topics[i].options && topics[i].options->count)
			print_options(topics[i].options);
		return 0;
	}
	for (size_t i = 0; i < HD_ARRAY_LEN(topics); i++)
		similar_try(&best, argv[1], strlen(argv[1]), topics[i].name);
	return complain_usage(NULL, "no help for %s%s", argv[1],
			      similar_text(&best, "heddle help ", meant, sizeof(meant)));
}
