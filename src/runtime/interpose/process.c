/*
 * Starting other processes is outside the model. The calls are refused here, at the user's own line, rather
 * than deep inside libc.
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/interpose/interpose.h"

static int refuse(const char *call, u64 pc)
{
	sched_refused(call, pc);
	return errno_result(ENOSYS);
}

HD_EXPORT pid_t fork(void)
{
	return refuse("fork", CALLER);
}

HD_EXPORT pid_t _Fork(void)
{
	return refuse("fork", CALLER);
}

HD_EXPORT pid_t vfork(void)
{
	return refuse("vfork", CALLER);
}

HD_EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	(void)path;
	(void)argv;
	(void)envp;
	return refuse("execve", CALLER);
}

HD_EXPORT int execv(const char *path, char *const argv[])
{
	(void)path;
	(void)argv;
	return refuse("execv", CALLER);
}

HD_EXPORT int execvp(const char *file, char *const argv[])
{
	(void)file;
	(void)argv;
	return refuse("execvp", CALLER);
}

HD_EXPORT int system(const char *command)
{
	return command ? refuse("system", CALLER) : 0; /* NULL asks for a shell: there is none */
}

HD_EXPORT FILE *popen(const char *command, const char *mode)
{
	(void)command;
	(void)mode;
	refuse("popen", CALLER);
	return NULL;
}

HD_EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
			  const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
	(void)pid;
	(void)path;
	(void)actions;
	(void)attr;
	(void)argv;
	(void)envp;
	sched_refused("posix_spawn", CALLER);
	return ENOSYS;
}

HD_EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
			   const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
	(void)pid;
	(void)file;
	(void)actions;
	(void)attr;
	(void)argv;
	(void)envp;
	sched_refused("posix_spawnp", CALLER);
	return ENOSYS;
}
