/*
 * inner_ends.c: pipes and sockets that connect the processes of a peer with each other. None of them can make
 * them anew by itself: each writes down what it has of them, by inode; the controller (checkpoint/inner.c)
 * makes pipes and pairs of sockets, puts into them what was unread, and passes each process its ends.
 *
 * Of one process alone, pipes and pairs are its own business (rebuild.c); only connections of TCP with
 * itself come here.
 */
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "shim/rebuild_priv.h"

static u8 found[1 << 16];

static u16 port_of(int fd, long call)
{
	union {
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} a = {0};
	u32 len = sizeof(a);
	if (shim_call(call, fd, &a, &len))
		return 0;
	return a.v4.sin_port; /* at the same place in both */
}

bool inner_add(struct shim_message *m, struct held *h, u32 end)
{
	if (m->inners == SHIM_INNER)
		return false;
	struct shim_inner *i = &m->inner[m->inners];
	*i = (struct shim_inner){.inode = h->inode, .end = end};
	if (end != END_PIPE_READ && end != END_PIPE_WRITE)
		i->type = (u32)held_option(h->fd, SOL_SOCKET, SO_TYPE);
	if (end == END_INET || end == END_INET6) {
		i->here = port_of(h->fd, SYS_getsockname);
		i->there = port_of(h->fd, SYS_getpeername);
		name_keep(h->fd);
	}
	h->kind = HELD_INNER;
	h->shut = h->fd < SHIM_FDS ? shim_shut[h->fd] : 0;
	h->number = m->inners++;
	return true;
}

/* What is in a pipe is seen by a copy of it; nothing is taken out. */
static long peek(const struct held *h, u32 end)
{
	int copy[2] = {-1, -1};
	if (end != END_PIPE_READ)
		return shim_call(SYS_recvfrom, h->fd, found, sizeof(found), MSG_PEEK | MSG_DONTWAIT, 0, 0);
	if (shim_call(SYS_pipe2, copy, O_CLOEXEC | O_NONBLOCK))
		return -1;
	long n = shim_call(SYS_tee, h->fd, copy[1], sizeof(found), SPLICE_F_NONBLOCK);
	if (n > 0)
		n = shim_call(SYS_read, copy[0], found, sizeof(found));
	shim_call(SYS_close, copy[0]);
	shim_call(SYS_close, copy[1]);
	return n;
}

/* Packets would become one. */
bool inner_unread(const struct held *h, struct shim_message *m, int *file)
{
	struct shim_inner *i = &m->inner[h->number];
	int n = 0;
	if (i->end == END_PIPE_WRITE)
		return true;
	shim_call(SYS_ioctl, h->fd, FIONREAD, &n);
	if (n <= 0)
		return true;
	if (n >= (int)sizeof(found) || (i->end == END_UNIX && i->type != SOCK_STREAM))
		return false;
	if (*file < 0)
		*file = (int)shim_call(SYS_memfd_create, "heddle-unread", MFD_CLOEXEC);
	long got = peek(h, i->end);
	if (got != n || shim_call(SYS_write, *file, found, got) != got)
		return false;
	i->unread = (u32)got;
	return true;
}

void inner_rebuild(const struct held *h, const struct shim_message *m, const int *fd)
{
	if (h->number >= m->inners || !m->inner[h->number].given)
		return;
	for (u32 i = 0; i < h->number; i++)
		fd += m->inner[i].given;
	shim_call(SYS_dup3, *fd, h->fd, h->close_on_exec ? O_CLOEXEC : 0);
	shim_call(SYS_fcntl, h->fd, F_SETFL, h->flags & ~O_ASYNC);
	if (h->shut)
		shim_call(SYS_shutdown, h->fd, h->shut == 1 ? SHUT_RD : h->shut == 2 ? SHUT_WR : SHUT_RDWR);
}
