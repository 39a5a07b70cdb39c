/*
 * connection_names.c: the addresses of connections, as the program knows them. They stay when a connection
 * is replaced by a fresh one. The port of whoever connects was chosen by the kernel, for a client that is
 * heddle: the program is told ports in the order of its connections, the same in each run.
 */
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "shim/shim_priv.h"

#define FIRST_PORT 49152u

struct name {
	int fd; /* + 1; 0: free */
	u8 here[128], there[128];
	u32 here_len, there_len;
};
static struct name names[SHIM_CONNS];

static struct name *name_of(int fd, bool make)
{
	struct name *free_one = NULL;
	for (u32 i = 0; i < SHIM_CONNS; i++) {
		if (names[i].fd == fd + 1)
			return &names[i];
		if (!names[i].fd && !free_one)
			free_one = &names[i];
	}
	return make ? free_one : NULL;
}

bool name_tell(int fd, bool peer, void *address, u32 *len)
{
	const struct name *n = name_of(fd, false);
	if (!n || !address || !len)
		return false;
	u32 full = peer ? n->there_len : n->here_len;
	memcpy(address, peer ? n->there : n->here, HD_MIN(*len, full));
	*len = full;
	return true;
}

void name_forget(int fd)
{
	struct name *n = name_of(fd, false);
	if (n)
		n->fd = 0;
}

void name_keep(int fd)
{
	struct name *n = name_of(fd, true);
	if (!n || n->fd)
		return;
	n->fd = fd + 1;
	n->here_len = n->there_len = sizeof(n->here);
	shim_call(SYS_getsockname, fd, n->here, &n->here_len);
	shim_call(SYS_getpeername, fd, n->there, &n->there_len);
}

void name_copied(int from, int to)
{
	const struct name *n = name_of(from, false);
	struct name *copy = n ? name_of(to, true) : NULL;
	if (!copy)
		return;
	*copy = *n;
	copy->fd = to + 1;
}

/* Its port, for the program: so many connections were accepted before. */
void name_accepted(int fd)
{
	static u32 accepted;
	struct sockaddr_in *a;
	struct name *n;
	name_forget(fd);
	name_keep(fd);
	n = name_of(fd, false);
	a = n ? (struct sockaddr_in *)(void *)n->there : NULL;
	if (a && (a->sin_family == AF_INET || a->sin_family == AF_INET6)) /* the port is at the same place */
		a->sin_port = (u16)((FIRST_PORT + accepted) >> 8 & 255) | (u16)((FIRST_PORT + accepted) << 8);
	accepted = (accepted + 1) % (65536 - FIRST_PORT);
}
