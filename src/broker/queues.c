/*
 * queues.c: what is on its way between us and a peer. Bytes are counted at both ends, acknowledgements are
 * not waited for: a delayed one takes 40 ms.
 *
 *     we:    sent ------------> received - unread :the peer     all taken:   received >= sent, unread == 0
 *            received <-------- sent + unsent                   all arrived: nothing unsent, received >= sent
 */
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "broker/quiet_priv.h"
#include "broker/sockdiag.h"

static bool tcp_here(int fd, struct tcp_info *info)
{
	socklen_t len = sizeof(*info);
	memset(info, 0, sizeof(*info));
	return getsockopt(fd, IPPROTO_TCP, TCP_INFO, info, &len) == 0;
}

static bool has_sent_end(enum tcp_state s)
{
	return s == STATE_FIN_WAIT1 || s == STATE_FIN_WAIT2 || s == STATE_CLOSING || s == STATE_TIME_WAIT ||
	       s == STATE_LAST_ACK || s == STATE_CLOSE;
}

static bool has_got_end(enum tcp_state s)
{
	return s == STATE_CLOSE_WAIT || s == STATE_LAST_ACK || s == STATE_CLOSING || s == STATE_TIME_WAIT ||
	       s == STATE_CLOSE;
}

/*
 * The peer has closed it: its end, or the reset, must have come here. What we sent meanwhile is answered by a
 * reset.
 */
static enum quiet_queue tcp_closed(const struct tcp_info *here)
{
	if (here->tcpi_state == STATE_CLOSE)
		return QUEUE_EMPTY;
	return has_got_end(here->tcpi_state) && !here->tcpi_unacked ? QUEUE_EMPTY : QUEUE_COMING;
}

static enum quiet_queue tcp_taken(const struct quiet_conn *c, const struct sockdiag_end *there,
				  const struct tcp_info *here)
{
	bool ended = has_sent_end(here->tcpi_state);
	if (!there->counted || there->received < c->sent)
		return QUEUE_UNREAD;
	if (ended && !has_got_end(there->state))
		return QUEUE_END_UNREAD;
	if (!there->unread)
		return QUEUE_EMPTY;
	return ended && there->unread == 1 ? QUEUE_END_UNREAD : QUEUE_UNREAD; /* our end counts as one byte */
}

static enum quiet_queue tcp_arrived(const struct sockdiag_end *there, const struct tcp_info *here)
{
	if (there->unacked && (there->unsent || here->tcpi_bytes_received < there->sent))
		return QUEUE_COMING;
	if (has_sent_end(there->state) && !has_got_end(here->tcpi_state))
		return QUEUE_COMING;
	return QUEUE_EMPTY;
}

static enum quiet_queue tcp_queue(struct quiet_conn *c, const struct sockdiag_end *there)
{
	struct tcp_info here;
	if (!tcp_here(c->fd, &here))
		return QUEUE_COMING;
	if (there && !there->inode && !has_sent_end(there->state))
		return QUEUE_UNACCEPTED;
	c->accepted = true;
	if (!there || !there->inode)
		return tcp_closed(&here);
	enum quiet_queue q = tcp_arrived(there, &here);
	return q ? q : tcp_taken(c, there, &here);
}

static int other_end(const struct quiet_conn *c, struct sockaddr_storage *there)
{
	socklen_t n = sizeof(*there);
	if (!c->there)
		return getpeername(c->fd, (struct sockaddr *)there, &n);
	*there = *c->there;
	return 0;
}

static void inet_look(int nl, struct quiet_conn *c, int type)
{
	struct sockaddr_storage here = {0}, there = {0};
	socklen_t n = sizeof(here);
	struct sockdiag_end end;
	c->queue = QUEUE_EMPTY;
	if (getsockname(c->fd, (struct sockaddr *)&here, &n) || other_end(c, &there)) {
		c->accepted = true; /* a reset has undone it */
		return;
	}
	int r = sockdiag_inet(nl, type == SOCK_DGRAM ? IPPROTO_UDP : IPPROTO_TCP, &there, &here, &end);
	c->inode = r > 0 ? end.inode : 0;
	if (r < 0) {
		c->queue = QUEUE_COMING;
	} else if (type == SOCK_DGRAM) {
		c->accepted = true;
		c->queue = r && end.unread ? QUEUE_UNREAD : QUEUE_EMPTY;
	} else {
		c->queue = tcp_queue(c, r ? &end : NULL);
	}
}

static bool has_hung_up(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLRDHUP};
	return poll(&p, 1, 0) > 0;
}

/*
 * Between UNIX sockets nothing travels: a written byte is in the other's queue. SIOCOUTQ is what the other
 * has not read.
 */
static void unix_look(int nl, struct quiet_conn *c)
{
	struct stat st;
	u64 peer = 0;
	int left = 0, r;
	if (!c->accepted) {
		r = fstat(c->fd, &st) ? -1 : sockdiag_unix_peer(nl, st.st_ino, &peer);
		c->accepted = r == 0 || (r > 0 && peer) || has_hung_up(c->fd);
	}
	if (!c->accepted)
		c->queue = QUEUE_UNACCEPTED;
	else
		c->queue = ioctl(c->fd, SIOCOUTQ, &left) == 0 && left ? QUEUE_UNREAD : QUEUE_EMPTY;
}

void queue_look(int nl, struct quiet_conn *c)
{
	int family = 0, type = 0;
	socklen_t n = sizeof(int), m = sizeof(int);
	getsockopt(c->fd, SOL_SOCKET, SO_DOMAIN, &family, &n);
	getsockopt(c->fd, SOL_SOCKET, SO_TYPE, &type, &m);
	if (family == AF_UNIX)
		unix_look(nl, c);
	else
		inet_look(nl, c, type);
}

static bool is_same_host(const struct sockaddr_storage *a, const struct sockaddr_storage *b)
{
	if (a->ss_family == AF_INET)
		return memcmp(&((const struct sockaddr_in *)a)->sin_addr,
			      &((const struct sockaddr_in *)b)->sin_addr, 4) == 0;
	return memcmp(&((const struct sockaddr_in6 *)a)->sin6_addr,
		      &((const struct sockaddr_in6 *)b)->sin6_addr, 16) == 0;
}

/* What goes from an address of ours to the same stays on this machine. */
bool quiet_bound(int fd)
{
	struct sockaddr_storage here = {0}, there = {0};
	socklen_t n = sizeof(here), m = sizeof(there);
	struct sockdiag_end end;
	if (getsockname(fd, (struct sockaddr *)&here, &n) || getpeername(fd, (struct sockaddr *)&there, &m))
		return true;
	if (!is_same_host(&here, &there))
		return true;
	int nl = sockdiag_open();
	int r = sockdiag_inet(nl, IPPROTO_UDP, &there, &here, &end);
	close(nl);
	return r != 0;
}
