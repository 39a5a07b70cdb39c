/*
 * cli.h: what the verbs share. This folder is the only one that prints, parses options and exits.
 */
#ifndef HEDDLE_CLI_CLI_H
#define HEDDLE_CLI_CLI_H

#include <stdio.h>
#include <sys/types.h>

#include "launch/problem.h"

/* Exit codes of the contract; verdicts have theirs in report/outcome.h. */
#define EXIT_TOOL_ERROR 2

/* One file per verb. argv[0] is the verb; the result is the exit code. */
int verb_check(int argc, char **argv);
int verb_replay(int argc, char **argv);
int verb_show(int argc, char **argv);
int verb_shrink(int argc, char **argv);
int verb_tree(int argc, char **argv);
int verb_init(int argc, char **argv);
int verb_doctor(int argc, char **argv);
int verb_help(int argc, char **argv);
int verb_fingerprint(int argc, char **argv);
int verb_certify(int argc, char **argv);
int verb_partition(int argc, char **argv);
int verb_inetd(int argc, char **argv);
int verb_cc(int argc, char **argv);
int verb_cxx(int argc, char **argv);
/* argv[0] is heddle-cc, gcc … (cc_called_as). */
int cc_under_another_name(int argc, char **argv);

/* --help or -h. */
bool help_word(const char *word);
/* Is there one among a verb's words, before any --? For compilers only the first word counts: the others
 * are the compiler's. (check has check_options_ask_help.) */
bool help_asked(int argc, char **argv);
bool help_asked_first(int argc, char **argv);

/* The command as the user called it, for lines to copy. */
extern const char *cli_command;

/* "heddle: …" and a newline on stderr. */
void say(const char *format, ...) HD_PRINTF(1, 2);
/* The same; returns EXIT_TOOL_ERROR. */
int complain(const struct problem *p);
/* Usage error: the sentence, and where to read on. */
int complain_usage(const char *verb, const char *format, ...) HD_PRINTF(2, 3);
/* A word for the shell, quoted where needed. */
void print_shell_word(FILE *f, const char *word);

/* ^C and SIGTERM: once asks, twice kills the watched processes, three times leaves at once. */
void interrupt_install(void);
int interrupt_count(void);
/* A process that runs from now on, and is to be killed on the second one; or no longer does. */
void interrupt_watch(pid_t pid, bool runs);
/* For sessions of which nothing is shown while they run: ^C ends them. */
extern const struct session_observer interrupt_observer;

#endif
