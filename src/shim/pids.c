/*
 * pids.c: the peer takes SHIM_PID for its pid, in each run and after it was brought back. Calls that name
 * a process or thread, or tell of one, are translated; so are names below /proc.
 */
#include <fcntl.h>
#include <string.h>

#include "shim/shim_priv.h"

#define PATH_ROOM 256

/* The number that the kernel knows. */
static long real(long pid)
{
	return pid == shim.shown ? shim.pid : pid > 0 ? relative_real((int)pid) : pid;
}

/* The number that the program knows: of itself now, or as it was started. */
static long shown(long pid)
{
	return pid == shim.pid || pid == shim.first_pid ? shim.shown : pid;
}

static long send_signal(struct call *c)
{
	if (c->nr == SYS_tgkill || c->nr == SYS_rt_tgsigqueueinfo) {
		c->arg[0] = real(c->arg[0]);
		c->arg[1] = thread_real((int)c->arg[1]);
	} else if (c->nr == SYS_tkill) {
		c->arg[0] = thread_real((int)c->arg[0]);
	} else {
		c->arg[0] = real(c->arg[0]);
	}
	return call_again(c);
}

/* The group or session that the peer leads was named after its first process. */
static long group_call(struct call *c)
{
	c->arg[0] = real(c->arg[0]);
	if (c->nr == SYS_setpgid)
		c->arg[1] = c->arg[1] == shim.shown ? 0 : c->arg[1];
	return shown(call_again(c));
}

/* "/proc/4190000/fd" is "/proc/self/fd" */
static const char *own_path(const char *path, char *room)
{
	char own[32] = "/proc/";
	text_add_number(own, sizeof(own), shim.shown);
	size_t len = text_length(own);
	if (!path || !text_starts(path, own) || (path[len] != '/' && path[len]))
		return path;
	room[0] = 0;
	text_add(room, PATH_ROOM, "/proc/self");
	text_add(room, PATH_ROOM, path + len);
	return room;
}

static bool path_call(struct call *c, u32 which, long *result)
{
	char room[PATH_ROOM];
	const char *path = (const char *)c->arg[which], *own;
	if (!path || path[0] != '/' || path[1] != 'p')
		return false;
	own = own_path(path, room);
	if (own == path)
		return false;
	c->arg[which] = (long)own;
	*result = call_again(c);
	return true;
}

bool pid_call(struct call *c, long *result)
{
	switch (c->nr) {
	case SYS_getpid:
		shim_note(ACT_GETPID);
		*result = shim.shown;
		return true;
	case SYS_gettid:
		*result = thread_self()->shown;
		return true;
	case SYS_kill:
	case SYS_tkill:
	case SYS_tgkill:
	case SYS_rt_sigqueueinfo:
	case SYS_rt_tgsigqueueinfo:
		*result = send_signal(c);
		return true;
	case SYS_setsid:
	case SYS_getpgrp:
		*result = shown(call_again(c));
		return true;
	case SYS_getpgid:
	case SYS_getsid:
	case SYS_setpgid:
		*result = group_call(c);
		return true;
	case SYS_sched_setaffinity:
	case SYS_sched_getaffinity:
	case SYS_sched_setscheduler:
	case SYS_sched_getscheduler:
	case SYS_sched_setparam:
	case SYS_sched_getparam:
		c->arg[0] = c->arg[0] ? thread_real((int)c->arg[0]) : 0;
		return false;
	case SYS_prlimit64:
	case SYS_pidfd_open:
		c->arg[0] = real(c->arg[0]);
		return false;
	case SYS_getpriority:
	case SYS_setpriority:
		c->arg[1] = c->arg[1] ? thread_real((int)c->arg[1]) : 0;
		return false;
	case SYS_fcntl:
		if (c->arg[1] == F_SETOWN)
			c->arg[2] = real(c->arg[2]);
		return false;
	case SYS_open:
	case SYS_readlink:
	case SYS_stat:
	case SYS_lstat:
	case SYS_access:
		return path_call(c, 0, result);
	case SYS_openat:
	case SYS_readlinkat:
	case SYS_newfstatat:
	case SYS_faccessat:
		return path_call(c, 1, result);
	default:
		return false;
	}
}
