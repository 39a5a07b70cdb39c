#include "peer/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "peer/descendants.h"

#define FAILED 127

static void on_end(int signo)
{
	descendants_end();
	_exit(128 + signo);
}

/* By the system call: libc keeps two signals to itself, and whoever started us may have ignored them. */
static void default_action(int signo)
{
	const unsigned long all_default[4] = {0};
	syscall(SYS_rt_sigaction, signo, all_default, NULL, 8);
}

HD_NORETURN static void run_command(const char *command, pid_t keeper)
{
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != keeper)
		_exit(FAILED);
	for (int i = 1; i < NSIG; i++)
		default_action(i);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	personality(ADDR_NO_RANDOMIZE); /* two processes of a command are to be alike: grace.c */
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	dprintf(2, "heddle: /bin/sh cannot be executed\n");
	_exit(FAILED);
}

/*
 * 0 is a pipe that nobody writes to and that the keeper holds open: a client like nc, which also listens to
 * its input, neither ends because of it nor reads anything. 1 and 2 are the log; nothing else is open in the
 * peer.
 */
static bool descriptors(int log_fd)
{
	int pipe_fd[2];
	if (dup2(log_fd, 1) < 0 || dup2(log_fd, 2) < 0 || close_range(3, ~0u, 0) || pipe(pipe_fd))
		return false;
	return dup2(pipe_fd[0], 0) == 0 && close(pipe_fd[0]) == 0 &&
	       fcntl(pipe_fd[1], F_SETFD, FD_CLOEXEC) == 0;
}

/* Without a dump of the keeper's own. */
HD_NORETURN static void end_like(int status)
{
	const struct rlimit none = {0, 0};
	sigset_t all;
	if (WIFSIGNALED(status)) {
		setrlimit(RLIMIT_CORE, &none);
		signal(WTERMSIG(status), SIG_DFL);
		sigemptyset(&all);
		sigprocmask(SIG_SETMASK, &all, NULL);
		kill(getpid(), WTERMSIG(status));
	}
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : FAILED);
}

/*
 * How the peer has ended: as its first process did. If that was killed, a saved copy may have taken its place
 * (checkpoint.h): then as the last of those did, but for copies that nobody needs any more.
 */
HD_NORETURN static void keep(pid_t first)
{
	int status, how = 0;
	bool replaced = false;
	pid_t pid;
	for (;;) {
		pid = waitpid(-1, &status, 0);
		bool dropped = pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == KEEPER_DROPPED;
		if (pid == first || (pid > 0 && replaced && !dropped))
			how = status;
		if (pid == first)
			replaced = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
		else if (pid < 0 && errno == ECHILD)
			end_like(how);
	}
}

void keeper_run(const char *command, int log_fd, pid_t warden)
{
	pid_t self = getpid(), first;
	sigset_t end;
	prctl(PR_SET_NAME, "heddle-keeper");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	setsid();
	signal(SIGTERM, on_end);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != warden || !descriptors(log_fd))
		_exit(FAILED);
	first = fork();
	if (first == 0)
		run_command(command, self);
	if (first < 0) {
		dprintf(2, "heddle: no new process for the command\n");
		_exit(FAILED);
	}
	sigemptyset(&end);
	sigaddset(&end, SIGTERM);
	sigprocmask(SIG_UNBLOCK, &end, NULL);
	keep(first);
}
