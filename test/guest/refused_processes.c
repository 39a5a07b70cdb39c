/*
 * refused_processes.c: other processes are outside the model: fork, vfork, exec,
 * posix_spawn and system fail, and the verdict says which call and where. Nobody has children, then.
 *
 * heddle: verdict=incomplete args=fork refused~="fork|clone" refused_where=@fork
 * heddle: verdict=incomplete args=vfork refused~="fork|clone" refused_where=@vfork
 * heddle: verdict=incomplete args=exec refused~="exec" refused_where=@exec
 * heddle: verdict=incomplete args=spawn refused~="spawn|clone|fork"
 * heddle: verdict=incomplete args=system refused~="system|spawn|clone|fork"
 * heddle: verdict=verified args=none outcomes=10
 * native: args=fork
 * native: args=exec
 * native: args=spawn
 * native: args=system
 * native: args=none
 */
#include <spawn.h>
#include <sys/wait.h>

#include "guest.h"

extern char **environ;

static void *forker(void *arg)
{
	pid_t child = fork(); /* @fork */
	if (child == 0)
		_exit(0);
	if (child > 0)
		CHECK(waitpid(child, NULL, 0) == child);
	return arg;
}

int main(int argc, char **argv)
{
	char *command[] = {"/bin/true", NULL};
	pid_t child;
	if (story(argc, argv, "fork"))
		join(spawn(forker, NULL));
	else if (story(argc, argv, "vfork")) {
		child = vfork(); /* @vfork */
		if (child == 0)
			_exit(0);
	} else if (story(argc, argv, "exec"))
		execv(command[0], command); /* @exec */
	else if (story(argc, argv, "spawn")) {
		if (posix_spawn(&child, command[0], NULL, NULL, command, environ) == 0)
			CHECK(waitpid(child, NULL, 0) == child);
	} else if (story(argc, argv, "system")) {
		int status = system("true");
		CHECK(status == 0 || heddle_running());
	} else if (story(argc, argv, "none")) {
		CHECK(waitpid(-1, NULL, 0) < 0);
		heddle_outcome((unsigned long)errno);
		CHECK(waitid(P_ALL, 0, NULL, WEXITED) < 0 && errno == ECHILD);
	}
	return 0;
}
