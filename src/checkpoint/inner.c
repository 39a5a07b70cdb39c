#include "checkpoint/inner.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "broker/sockdiag.h"

static bool is_pipe(u32 end)
{
	return end == END_PIPE_READ || end == END_PIPE_WRITE;
}

static bool is_inet(u32 end)
{
	return end == END_INET || end == END_INET6;
}

/* The side of o that this end is, or may become; 2: none. */
static u32 side_of(const struct inner_object *o, const struct shim_inner *i, u64 peer)
{
	if (is_pipe(i->end))
		return is_pipe(o->end) && (o->side[0].inode == i->inode || o->side[1].inode == i->inode)
			       ? i->end == END_PIPE_WRITE
			       : 2;
	if (is_pipe(o->end) || is_inet(o->end) != is_inet(i->end))
		return 2;
	for (u32 k = 0; k < 2; k++)
		if (o->side[k].inode == i->inode)
			return k;
	if (o->side[1].inode)
		return 2;
	bool fits = is_inet(i->end) ? o->side[0].port == i->there && o->side[1].port == i->here
				    : peer && o->side[0].inode == peer;
	return fits ? 1 : 2;
}

static struct inner_object *find(struct inner_list *l, const struct shim_inner *i, u64 peer, u32 *side)
{
	for (u32 k = 0; k < l->count; k++)
		if ((*side = side_of(&l->object[k], i, peer)) < 2)
			return &l->object[k];
	struct inner_object *more = realloc(l->object, (l->count + 1) * sizeof(*more));
	if (!more)
		return NULL;
	l->object = more;
	l->object[l->count] = (struct inner_object){.end = is_pipe(i->end) ? END_PIPE_READ : i->end,
						    .type = i->type};
	*side = i->end == END_PIPE_WRITE;
	/* Whom it expects at the other side. */
	l->object[l->count].side[1 - *side].port = i->there;
	return &l->object[l->count++];
}

int inner_collect(struct inner_list *l, int nl, const struct shim_message *m, int file, long *at)
{
	for (u32 k = 0; k < m->inners; k++) {
		const struct shim_inner *i = &m->inner[k];
		u64 peer = 0;
		u32 side = 0;
		if (i->end == END_UNIX && sockdiag_unix_peer(nl, i->inode, &peer) <= 0)
			peer = 0;
		struct inner_object *o = find(l, i, peer, &side);
		if (!o)
			return -ENOMEM;
		struct inner_side *s = &o->side[side];
		long from = *at;
		*at += i->unread;
		if (i->end == END_UNIX && !s->inode && !o->side[1 - side].inode)
			o->side[1 - side].port = peer != 0; /* somebody is there */
		if (s->inode)                               /* another process has the same end */
			continue;
		s->inode = i->inode;
		s->port = i->here;
		if (!i->unread)
			continue;
		s->bytes = malloc(i->unread);
		if (!s->bytes || pread(file, s->bytes, i->unread, from) != (ssize_t)i->unread)
			return -EIO;
		s->unread = i->unread;
	}
	return 0;
}

const char *inner_stranger(const struct inner_list *l)
{
	for (u32 k = 0; k < l->count; k++) {
		const struct inner_object *o = &l->object[k];
		for (u32 side = 0; side < 2; side++)
			if (!is_pipe(o->end) && !o->side[side].inode && o->side[side].port)
				return "it has a connection that heddle does not know of";
	}
	return NULL;
}

void inner_free(struct inner_list *l)
{
	for (u32 k = 0; k < l->count; k++)
		for (u32 side = 0; side < 2; side++)
			free(l->object[k].side[side].bytes);
	free(l->object);
	*l = (struct inner_list){0};
}

static int connect_inet(int family, int *here, int *there)
{
	struct sockaddr_storage a = {.ss_family = (sa_family_t)family};
	socklen_t len = family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
	if (family == AF_INET)
		((struct sockaddr_in *)&a)->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	else
		((struct sockaddr_in6 *)&a)->sin6_addr = in6addr_loopback;
	int listener = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	*here = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	*there = -1;
	if (listener >= 0 && *here >= 0 && !bind(listener, (struct sockaddr *)&a, len) &&
	    !listen(listener, 1) && !getsockname(listener, (struct sockaddr *)&a, &len) &&
	    !connect(*here, (struct sockaddr *)&a, len))
		*there = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	int error = errno;
	if (listener >= 0)
		close(listener);
	if (*there >= 0) {
		setsockopt(*there, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
		setsockopt(*here, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
		return 0;
	}
	if (*here >= 0)
		close(*here);
	return error ? -error : -EIO;
}

int inner_connect(int family, int type, int *here, int *there)
{
	int pair[2];
	if (family != AF_UNIX)
		return connect_inet(family, here, there);
	if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, pair))
		return -errno;
	*here = pair[0];
	*there = pair[1];
	return 0;
}

static int open_one(const struct inner_object *o, int fd[2])
{
	int r = o->end == END_PIPE_READ ? (pipe2(fd, O_CLOEXEC) ? -errno : 0)
					: inner_connect(o->end == END_UNIX   ? AF_UNIX
							: o->end == END_INET ? AF_INET
									     : AF_INET6,
							(int)o->type, &fd[0], &fd[1]);
	for (u32 side = 0; side < 2 && !r; side++)
		if (o->side[side].unread && write(fd[1 - side], o->side[side].bytes, o->side[side].unread) !=
						    (ssize_t)o->side[side].unread)
			r = -EIO;
	return r;
}

int inner_open(const struct inner_list *l, int *fd)
{
	for (u32 k = 0; k < 2 * l->count; k++)
		fd[k] = -1;
	for (u32 k = 0; k < l->count; k++) {
		int r = open_one(&l->object[k], &fd[2 * k]);
		if (!r)
			continue;
		inner_close(l, fd);
		return r;
	}
	return 0;
}

void inner_close(const struct inner_list *l, int *fd)
{
	for (u32 k = 0; k < 2 * l->count; k++)
		if (fd[k] >= 0)
			close(fd[k]);
}

u32 inner_place(const struct inner_list *l, const struct shim_inner *i)
{
	for (u32 k = 0; k < l->count; k++)
		for (u32 side = 0; side < 2; side++)
			if (l->object[k].side[side].inode == i->inode &&
			    (!is_pipe(i->end) || side == (i->end == END_PIPE_WRITE)))
				return 2 * k + side;
	return ~0u;
}
