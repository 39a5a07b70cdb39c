/* cc_run.c: the compiler as a child process. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cc.h"
#include "cli/cli.h"

static _Noreturn void become(const struct words *command)
{
	execvp(command->list[0], command->list);
	say("%s: %s%s", command->list[0], strerror(errno),
	    errno == ENOENT ? "; HEDDLE_CC and HEDDLE_CXX choose the compiler" : "");
	_exit(127);
}

/* Signals are for both: the child dies of them, and whoever waits for it cleans up first. */
static volatile sig_atomic_t child;

static void pass_on(int signo)
{
	if (child > 0)
		kill(child, signo);
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 127;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int cc_run(const struct words *command)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction pass = {.sa_handler = pass_on}, old[HD_ARRAY_LEN(signals)];
	int status;

	for (size_t i = 0; i < HD_ARRAY_LEN(signals); i++)
		sigaction(signals[i], &pass, &old[i]);
	child = fork();
	if (child == 0) {
		for (size_t i = 0; i < HD_ARRAY_LEN(signals); i++)
			sigaction(signals[i], &old[i], NULL);
		become(command);
	}
	status = child < 0 ? 127 : wait_for(child);
	if (child < 0)
		say("no process can be started: %s", strerror(errno));
	child = 0;
	for (size_t i = 0; i < HD_ARRAY_LEN(signals); i++)
		sigaction(signals[i], &old[i], NULL);
	return status;
}

int cc_read(const struct words *command, bool quiet, char *out, size_t cap)
{
	size_t at = 0;
	ssize_t n = 0;
	char rest[4096];
	int fd[2];
	pid_t pid;

	if (pipe(fd))
		return -1;
	pid = fork();
	if (pid == 0) {
		dup2(fd[1], STDOUT_FILENO);
		if (quiet)
			dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
		close(fd[0]);
		close(fd[1]);
		become(command);
	}
	close(fd[1]);
	while (pid > 0) {
		n = at + 1 < cap ? read(fd[0], out + at, cap - 1 - at) : read(fd[0], rest, sizeof(rest));
		if (n <= 0)
			break;
		if (at + 1 < cap)
			at += (size_t)n;
	}
	out[at] = 0;
	close(fd[0]);
	return pid < 0 ? -1 : wait_for(pid);
}
