/*
 * The socket calls that servers and clients live on, and those of epoll, taken at their libc wrappers, like
 * those of calls.c.
 */
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "runtime/interpose/interpose.h"
#include "runtime/vkernel/vk.h"

static __attribute__((noinline)) long call(struct vk_call *c)
{
	return descriptor_call(c);
}

DOOR(int, socket)(int family, int type, int protocol)
{
	struct vk_call c = {.nr = SYS_socket, .a = {family, type, protocol}, .pc = DOOR_CALLER};
	return (int)call(&c);
}

DOOR(int, connect)(int fd, const struct sockaddr *to, socklen_t len)
{
	struct vk_call c = {.nr = SYS_connect, .a = {fd, (long)to, (long)len}, .pc = DOOR_CALLER};
	return (int)call(&c);
}

DOOR(int, accept)(int fd, struct sockaddr *from, socklen_t *len)
{
	struct vk_call c = {.nr = SYS_accept, .a = {fd, (long)from, (long)len}, .pc = DOOR_CALLER};
	return (int)call(&c);
}

DOOR(int, accept4)(int fd, struct sockaddr *from, socklen_t *len, int flags)
{
	struct vk_call c = {.nr = SYS_accept4, .a = {fd, (long)from, (long)len, flags}, .pc = DOOR_CALLER};
	return (int)call(&c);
}

DOOR(ssize_t, send)(int fd, const void *data, size_t n, int flags)
{
	struct vk_call c = {.nr = SYS_sendto, .a = {fd, (long)data, (long)n, flags, 0, 0}, .pc = DOOR_CALLER};
	return call(&c);
}

DOOR(ssize_t, recv)(int fd, void *data, size_t n, int flags)
{
	struct vk_call c = {
		.nr = SYS_recvfrom, .a = {fd, (long)data, (long)n, flags, 0, 0}, .pc = DOOR_CALLER};
	return call(&c);
}

DOOR(ssize_t, sendto)
(int fd, const void *data, size_t n, int flags, const struct sockaddr *to, socklen_t len)
{
	struct vk_call c = {.nr = SYS_sendto,
			    .a = {fd, (long)data, (long)n, flags, (long)to, (long)len},
			    .pc = DOOR_CALLER};
	return call(&c);
}

DOOR(ssize_t, recvfrom)
(int fd, void *data, size_t n, int flags, struct sockaddr *from, socklen_t *len)
{
	struct vk_call c = {.nr = SYS_recvfrom,
			    .a = {fd, (long)data, (long)n, flags, (long)from, (long)len},
			    .pc = DOOR_CALLER};
	return call(&c);
}

DOOR(ssize_t, sendmsg)(int fd, const struct msghdr *m, int flags)
{
	struct vk_call c = {.nr = SYS_sendmsg, .a = {fd, (long)m, flags}, .pc = DOOR_CALLER};
	return call(&c);
}

DOOR(ssize_t, recvmsg)(int fd, struct msghdr *m, int flags)
{
	struct vk_call c = {.nr = SYS_recvmsg, .a = {fd, (long)m, flags}, .pc = DOOR_CALLER};
	return call(&c);
}

DOOR(int, shutdown)(int fd, int how)
{
	struct vk_call c = {.nr = SYS_shutdown, .a = {fd, how}, .pc = DOOR_CALLER};
	return (int)call(&c);
}

DOOR(int, epoll_ctl)(int set, int what, int fd, struct epoll_event *event)
{
	struct vk_call c = {.nr = SYS_epoll_ctl, .a = {set, what, fd, (long)event}, .pc = DOOR_CALLER};
	return (int)call(&c);
}

DOOR(int, epoll_wait)(int set, struct epoll_event *events, int room, int timeout)
{
	struct vk_call c = {.nr = SYS_epoll_wait, .a = {set, (long)events, room, timeout}, .pc = DOOR_CALLER};
	return (int)call(&c);
}

DOOR(int, epoll_pwait)
(int set, struct epoll_event *events, int room, int timeout, const sigset_t *mask)
{
	struct vk_call c = {.nr = SYS_epoll_pwait,
			    .a = {set, (long)events, room, timeout, (long)mask, sizeof(u64)},
			    .pc = DOOR_CALLER};
	return (int)call(&c);
}
