/*
 * The heddle command as a user meets it, against fake_rt.c: exit codes, words, files, ^C, nothing left
 * running. HEDDLE_TEST_COMMAND, HEDDLE_RUNTIME and HEDDLE_TEST_GUEST name the three programs.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/base.h"
#include "temporary.h"

static char said[1 << 16]; /* stdout and stderr of the last command */

struct command {
	pid_t pid;
	int out;
	size_t n;
};

/* In the temporary folder, which is where heddle-out then lies. */
static void command_start(struct command *c, const char *arguments)
{
	char line[1024];
	int fd[2];

	snprintf(line, sizeof(line), "exec \"$HEDDLE_TEST_COMMAND\" %s", arguments);
	assert_int_equal(pipe2(fd, O_CLOEXEC), 0);
	c->n = 0;
	c->pid = fork();
	if (c->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(fd[1], 1);
		dup2(fd[1], 2);
		if (chdir(temporary_dir) == 0)
			execl("/bin/sh", "sh", "-c", line, NULL);
		_exit(127);
	}
	close(fd[1]);
	c->out = fd[0];
}

static int command_end(struct command *c)
{
	int status;
	ssize_t n;

	while ((n = read(c->out, said + c->n, sizeof(said) - 1 - c->n)) > 0)
		c->n += (size_t)n;
	said[c->n] = 0;
	close(c->out);
	assert_int_equal(waitpid(c->pid, &status, 0), c->pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int heddle(const char *arguments)
{
	struct command c;

	command_start(&c, arguments);
	return command_end(&c);
}

static void says(const char *text)
{
	if (!strstr(said, text))
		fail_msg("\"%s\" does not say \"%s\"", said, text);
}

static bool exists(const char *name)
{
	return access(temporary_path(name), F_OK) == 0;
}

static json_t *result(void)
{
	json_t *j = json_load_file(temporary_path("heddle-out/result.json"), 0, NULL);

	assert_non_null(j);
	return j;
}

static void verdict_is(const char *verdict)
{
	json_t *j = result();

	assert_string_equal(json_string_value(json_object_get(j, "verdict")), verdict);
	json_decref(j);
}

#define CHECK(script, options) "check --env FAKE_RT=" script " " options " -- \"$HEDDLE_TEST_GUEST\""

static void test_verified(void **state)
{
	assert_int_equal(heddle(CHECK("verified", "")), 0);
	says("Verified");
	says("1 000 states, 3 000 transitions");
	says("data races are not looked at");
	verdict_is("verified");
}

static void test_bounded(void **state)
{
	assert_int_equal(heddle(CHECK("bounded", "--max-states 5")), 3);
	says("limit of 5 states");
	verdict_is("bounded");
}

static void test_violation(void **state)
{
	const char *last;

	assert_int_equal(heddle(CHECK("violation", "")), 1);
	assert_non_null(strstr(said, "fake_guest.c:"));
	assert_true(strstr(said, ": error: assert: assertion x == 1 failed\n") < strchr(said, '\n'));
	says("\nheddle: violation 1: assert in thread 2 (worker) at fake_guest.c:");
	says("waits for mutex queues[2].inner.lock[1], held by thread 2");
	last = strstr(said, "  replay: ");
	assert_non_null(last);
	assert_string_equal(strchr(last, '\n'), "\n");
	assert_non_null(strstr(last, " replay heddle-out/violation-1.trace\n"));
	verdict_is("violation");
	assert_true(exists("heddle-out/violation-1.trace"));
}

static void test_keep_going(void **state)
{
	assert_int_equal(heddle(CHECK("two", "-k")), 1);
	says("violation 1: assert");
	says("violation 2: crash");
	assert_true(exists("heddle-out/violation-2.trace"));
}

/* What did not happen twice is not reported, and what is not reported makes no verdict of its own. */
static void test_unconfirmed(void **state)
{
	static const char *const scripts[] = {"unconfirmed", "other", "unfollowed", "lost", "replay-dies"};
	char arguments[256];

	for (size_t i = 0; i < HD_ARRAY_LEN(scripts); i++) {
		snprintf(arguments, sizeof(arguments), "check --env FAKE_RT=%s -- \"$HEDDLE_TEST_GUEST\"",
			 scripts[i]);
		assert_int_equal(heddle(arguments), 3);
		says("could not be reproduced");
		verdict_is("incomplete");
		assert_false(exists("heddle-out/violation-1.trace"));
	}
}

static void refused_at_guest(const char *arguments)
{
	json_t *j, *list;

	assert_int_equal(heddle(arguments), 3);
	says("fork at fake_guest.c:");
	verdict_is("incomplete");
	j = result();
	list = json_object_get(j, "refused");
	assert_int_equal(json_array_size(list), 1);
	assert_memory_equal(json_string_value(json_object_get(json_array_get(list, 0), "where")),
			    "fake_guest.c:", 13);
	json_decref(j);
}

/* The line is the user's, also when the call came from inside a library. */
static void test_refused_call(void **state)
{
	refused_at_guest(CHECK("refused", ""));
	refused_at_guest(CHECK("refused-deep", ""));
}

/* An old result must not survive a run that has none. */
static void test_tool_errors(void **state)
{
	assert_int_equal(heddle(CHECK("violation", "-q")), 1);
	assert_string_equal(said, "");
	assert_int_equal(heddle(CHECK("insane", "")), 2);
	assert_string_equal(said, "heddle: the fingerprints differ at step 3\n");
	assert_false(exists("heddle-out/result.json"));
	assert_false(exists("heddle-out/violation-1.trace"));
	assert_int_equal(heddle(CHECK("die", "")), 2);
	says("killed by signal 9");
	assert_int_equal(heddle(CHECK("silent", "")), 2);
	says("fake runtime: good bye");
}

static void test_usage(void **state)
{
	assert_int_equal(heddle(""), 2);
	assert_int_equal(heddle("frobnicate"), 2);
	says("unknown verb frobnicate");
	assert_int_equal(heddle("check"), 2);
	assert_int_equal(heddle("certify"), 2);
	says("no script given");
	assert_int_equal(heddle("certify /nowhere -- \"$HEDDLE_TEST_GUEST\""), 2);
	says("/nowhere");
	assert_int_equal(heddle("partition /nowhere -k 3"), 2);
	assert_int_equal(heddle("partition /nowhere"), 2);
	says("-k");
	assert_int_equal(heddle("check -- /nonexistent"), 2);
	assert_int_equal(heddle("check --out /dev/null/x -- \"$HEDDLE_TEST_GUEST\""), 2);
	says("--out");
	assert_int_equal(heddle("--version"), 0);
	assert_int_equal(heddle("help check"), 0);
	says("--max-states");
	assert_int_equal(heddle("help nothing"), 2);
}

/* Behind a verb --help is the verb's, behind the program's name it is the program's. */
static void test_help_of_verbs(void **state)
{
	static const char *const verbs[] = {"check", "replay", "show", "doctor", "cc", "c++", "help"};
	char arguments[64], usage[64];

	for (size_t i = 0; i < HD_ARRAY_LEN(verbs); i++)
		for (size_t letter = 0; letter < 2; letter++) {
			snprintf(arguments, sizeof(arguments), "%s %s", verbs[i], letter ? "-h" : "--help");
			snprintf(usage, sizeof(usage), "heddle %s", verbs[i]);
			assert_int_equal(heddle(arguments), 0);
			assert_int_equal(strncmp(said, usage, strlen(usage)), 0);
		}
	assert_int_equal(heddle("check --max-states 5 -q --help"), 0);
	says("--max-states");
	assert_int_equal(heddle("check --frobnicate --help"), 2);
	assert_int_equal(heddle("replay x.trace --help"), 0);
	assert_int_equal(heddle("check --out -h -- /nonexistent"), 2);
	assert_int_equal(heddle("check /nonexistent --help"), 2);
	assert_int_equal(heddle("check -- /nonexistent --help"), 2);
}

static void test_replay(void **state)
{
	assert_int_equal(heddle(CHECK("violation", "-q")), 1);
	assert_int_equal(heddle("replay heddle-out/violation-1.trace"), 1);
	says("#1     thread 2 (worker): lock mutex queues[2].inner.lock[1]");
	says("| hello from the program");
	says("assertion x == 1 failed");
	assert_int_equal(heddle("replay heddle-out/result.json"), 2);
	says("not a heddle trace");
	assert_int_equal(heddle("replay nothing.trace"), 2);
	assert_int_equal(heddle("replay heddle-out/violation-1.trace -- /bin/true"), 2);
	says("is not the program that");
}

static void test_show(void **state)
{
	assert_int_equal(heddle(CHECK("violation", "-q")), 1);
	assert_int_equal(heddle("show heddle-out/violation-1.trace"), 0);
	says("assert in thread 2 (worker)");
	says("All steps:");
	assert_int_equal(heddle("show heddle-out"), 0);
	says("verdict: violation");
	assert_int_equal(heddle("show ."), 2);
	assert_int_equal(heddle("show"), 2);
}

static void test_formats(void **state)
{
	assert_int_equal(
		heddle(CHECK("violation", "-q --format junit --format html --format sarif --format text")),
		1);
	assert_true(exists("heddle-out/junit.xml"));
	assert_true(exists("heddle-out/report.html"));
	assert_true(exists("heddle-out/result.sarif"));
	assert_true(exists("heddle-out/report.txt"));
}

/* The process that the command started: its only child. 0: not there yet. */
static pid_t child_of(pid_t pid)
{
	char path[64];
	FILE *f;
	pid_t child = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	f = fopen(path, "r");
	if (f && fscanf(f, "%d", &child) != 1)
		child = 0;
	if (f)
		fclose(f);
	return child;
}

/* Until the search runs: then the child has left the command's process group and execs the guest. */
static pid_t wait_for_search(pid_t pid)
{
	char path[64], name[64];
	pid_t child;

	for (;;) {
		FILE *f;

		child = child_of(pid);
		snprintf(path, sizeof(path), "/proc/%d/comm", child);
		f = child ? fopen(path, "r") : NULL;
		name[0] = 0;
		if (f && !fgets(name, sizeof(name), f))
			name[0] = 0;
		if (f)
			fclose(f);
		if (!strncmp(name, "fake", 4) || !strncmp(name, "guest", 5))
			return child;
		poll(NULL, 0, 1);
	}
}

static void wait_for_word(struct command *c, const char *word)
{
	do {
		ssize_t n = read(c->out, said + c->n, sizeof(said) - 1 - c->n);

		assert_true(n > 0);
		c->n += (size_t)n;
		said[c->n] = 0;
	} while (!strstr(said, word));
}

static void test_interrupt_once(void **state)
{
	static const int signals[] = {SIGINT, SIGTERM};
	struct command c;
	pid_t child;

	for (size_t i = 0; i < HD_ARRAY_LEN(signals); i++) {
		command_start(&c, CHECK("wait", ""));
		child = wait_for_search(c.pid);
		kill(c.pid, signals[i]);
		assert_int_equal(command_end(&c), 3);
		says("interrupted");
		verdict_is("bounded");
		assert_int_equal(kill(child, 0), -1);
	}
}

static void test_interrupt_twice(void **state)
{
	struct command c;
	pid_t child;

	command_start(&c, CHECK("deaf", ""));
	child = wait_for_search(c.pid);
	kill(c.pid, SIGINT);
	wait_for_word(&c, "once more");
	kill(c.pid, SIGINT);
	assert_int_equal(command_end(&c), 3);
	verdict_is("bounded");
	assert_int_equal(kill(child, 0), -1);
	assert_int_equal(errno, ESRCH);
}

/* The controller is killed: the program goes with it. */
static void test_killed(void **state)
{
	struct command c;
	struct pollfd gone;
	pid_t child;
	int status;

	command_start(&c, CHECK("deaf", ""));
	child = wait_for_search(c.pid);
	gone.fd = (int)syscall(434 /* pidfd_open */, child, 0);
	gone.events = POLLIN;
	assert_true(gone.fd >= 0);
	kill(c.pid, SIGKILL);
	assert_int_equal(poll(&gone, 1, 30000), 1);
	close(gone.fd);
	close(c.out);
	waitpid(c.pid, &status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verified),        cmocka_unit_test(test_bounded),
		cmocka_unit_test(test_violation),       cmocka_unit_test(test_keep_going),
		cmocka_unit_test(test_unconfirmed),     cmocka_unit_test(test_refused_call),
		cmocka_unit_test(test_tool_errors),     cmocka_unit_test(test_usage),
		cmocka_unit_test(test_replay),          cmocka_unit_test(test_show),
		cmocka_unit_test(test_formats),         cmocka_unit_test(test_interrupt_once),
		cmocka_unit_test(test_interrupt_twice), cmocka_unit_test(test_killed),
		cmocka_unit_test(test_help_of_verbs),
	};

	if (!getenv("HEDDLE_TEST_COMMAND") || !getenv("HEDDLE_RUNTIME") || !getenv("HEDDLE_TEST_GUEST")) {
		fputs("controller_test: run it by tools/run-tests unit, which names the programs it needs\n",
		      stderr);
		return 1;
	}
	return cmocka_run_group_tests(tests, temporary_make, temporary_remove);
}
