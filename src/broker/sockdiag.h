/*
 * sockdiag.h: the other end of a local connection, as the kernel sees it (netlink sock_diag). Nothing of the
 * peer is touched; it works for sockets of any process of this network namespace.
 */
#ifndef HEDDLE_BROKER_SOCKDIAG_H
#define HEDDLE_BROKER_SOCKDIAG_H

#include <sys/socket.h>

#include "base/base.h"

/*
 * The kernel's numbers; the header that has them cannot be used together with the one that has all of struct
 * tcp_info.
 */
enum tcp_state {
	STATE_ESTABLISHED = 1,
	STATE_SYN_SENT,
	STATE_SYN_RECV,
	STATE_FIN_WAIT1,
	STATE_FIN_WAIT2,
	STATE_TIME_WAIT,
	STATE_CLOSE,
	STATE_CLOSE_WAIT,
	STATE_LAST_ACK,
	STATE_LISTEN,
	STATE_CLOSING,
};

struct sockdiag_end {
	enum tcp_state state;
	u64 inode;           /* 0: no process has it: not accepted yet, or closed already */
	u32 unread, unacked; /* bytes in its receive queue; written, but not acknowledged */
	bool counted;        /* the next three are known */
	u64 received, sent, unsent;
};

int sockdiag_open(void); /* a descriptor for the calls below */
/* The end whose address is `there`, connected to `here`. 1: found, 0: there is none, negative: an error. */
int sockdiag_inet(int nl, int protocol, const struct sockaddr_storage *there,
		  const struct sockaddr_storage *here, struct sockdiag_end *out);
/*
 * The peer's inode of a UNIX socket with this inode: 1: found (0: not accepted yet), 0: none (any more),
 * negative: an error.
 */
int sockdiag_unix_peer(int nl, u64 inode, u64 *peer);
/* The local TCP port on which the socket with this inode listens (v4 or v6); 0: on none. */
u16 sockdiag_listens(int nl, u64 inode);
/* The other way round: the inodes of those that listen on this TCP port; returns how many. */
size_t sockdiag_listeners(int nl, u16 port, u64 *inode, size_t cap);

#endif
