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

DOOR(pid_t, fork)(void)
{
	return refuse("fork", DOOR_CALLER);
}

DOOR(pid_t, _Fork)(void)
{
	return refuse("fork", DOOR_CALLER);
}

DOOR(pid_t, vfork)(void)
{
	return refuse("vfork", DOOR_CALLER);
}

DOOR(int, execve)(const char *path, char *const argv[], char *const envp[])
{
	(void)path;
	(void)argv;
	(void)envp;
	return refuse("execve", DOOR_CALLER);
}

DOOR(int, execv)(const char *path, char *const argv[])
{
	(void)path;
	(void)argv;
	return refuse("execv", DOOR_CALLER);
}

DOOR(int, execvp)(const char *file, char *const argv[])
{
	(void)file;
	(void)argv;
	return refuse("execvp", DOOR_CALLER);
}

DOOR(int, system)(const char *command)
{
	return command ? refuse("system", DOOR_CALLER) : 0; /* NULL asks for a shell: there is none */
}

DOOR(FILE *, popen)(const char *command, const char *mode)
{
	(void)command;
	(void)mode;
	refuse("popen", DOOR_CALLER);
	return NULL;
}

DOOR(int, posix_spawn)
(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attr,
 char *const argv[], char *const envp[])
{
	(void)pid;
	(void)path;
	(void)actions;
	(void)attr;
	(void)argv;
	(void)envp;
	sched_refused("posix_spawn", DOOR_CALLER);
	return ENOSYS;
}

DOOR(int, posix_spawnp)
(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attr,
 char *const argv[], char *const envp[])
{
	(void)pid;
	(void)file;
	(void)actions;
	(void)attr;
	(void)argv;
	(void)envp;
	sched_refused("posix_spawnp", DOOR_CALLER);
	return ENOSYS;
}
