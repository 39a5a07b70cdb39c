#include "cli/gdb.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

#include "cli/cli.h"
#include "cli/gdb_serve.h"
#include "launch/runtime_library.h"

#define MOST_ARGS 64

/* The first word after -x would belong to the program, so that the user's come last. */
HD_NORETURN static void exec_gdb(int socket, const char *script, const wordexp_t *more)
{
	char number[16];
	char *argv[MOST_ARGS + 12] = {"gdb",  "-q",
				      "-iex", "set debuginfod enabled off",
				      "-iex", "set confirm off",
				      "-iex", "set auto-load safe-path /",
				      "-x",   (char *)script};
	size_t n = 10;

	for (size_t i = 0; i < more->we_wordc && i < MOST_ARGS; i++)
		argv[n++] = more->we_wordv[i];
	snprintf(number, sizeof(number), "%d", dup(socket));
	setenv("HEDDLE_GDB_SOCKET", number, 1);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	execvp("gdb", argv);
	say("gdb cannot be started: %s; install gdb", strerror(errno));
	_exit(127);
}

/* gdb deals with ^C itself. */
static int serve_until_end(const struct gdb_call *call, int socket, pid_t gdb)
{
	void (*old)(int) = signal(SIGINT, SIG_IGN);
	int status = 0;

	gdb_serve(call, socket);
	while (waitpid(gdb, &status, 0) < 0 && errno == EINTR)
		;
	signal(SIGINT, old);
	return status;
}

static int run_with(const struct gdb_call *call, const char *script, const wordexp_t *more, struct problem *p)
{
	int pair[2], status;
	pid_t gdb;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return problem_set(p, "no socket for gdb: %s", strerror(errno));
	fflush(NULL);
	gdb = fork();
	if (gdb == 0)
		exec_gdb(pair[1], script, more);
	close(pair[1]);
	status = gdb < 0 ? -1 : serve_until_end(call, pair[0], gdb);
	close(pair[0]);
	if (gdb < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 127))
		return problem_set(p, "gdb did not run");
	return 0;
}

/* -i=dap, --interpreter=dap, -i dap */
static bool asks_for_dap(const wordexp_t *words)
{
	for (size_t i = 0; i < words->we_wordc; i++) {
		const char *word = words->we_wordv[i], *value = strchr(word, '=');

		if (word[0] == '-' && strspn(word, "-") < strlen(word) && word[strspn(word, "-")] == 'i' &&
		    !strcmp(value                     ? value + 1
			    : i + 1 < words->we_wordc ? words->we_wordv[i + 1]
						      : "",
			    "dap"))
			return true;
	}
	return false;
}

/* Debian 12's gdb does not; it would say "Interpreter `dap' unrecognized". */
static bool gdb_speaks_dap(void)
{
	int status = 1;
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);

		if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0)
			_exit(127);
		execlp("gdb", "gdb", "-nx", "-q", "-batch", "-ex", "python import gdb.dap", (char *)NULL);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int gdb_run(const struct gdb_call *call, struct problem *p)
{
	char script[PATH_MAX];
	wordexp_t more = {0};
	int ret;

	if (support_file_find("heddle-gdb.py", script, sizeof(script), p))
		return -1;
	if (call->args && wordexp(call->args, &more, WRDE_NOCMD | WRDE_UNDEF))
		return problem_set(p, "--gdb-args: %s cannot be split into words", call->args);
	if (asks_for_dap(&more) && !gdb_speaks_dap())
		ret = problem_set(p,
				  "this gdb does not speak the Debug Adapter Protocol: gdb 14 was the first; "
				  "without -i=dap it can be used");
	else
		ret = run_with(call, script, &more, p);
	if (call->args)
		wordfree(&more);
	return ret;
}
