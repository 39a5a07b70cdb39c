#include "checkpoint/tcp_end.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "broker/sockdiag.h"

#define OPTION_MSS 2
#define OPTION_SCALE 3
#define OPTION_SACK 4
#define OPTION_TIMESTAMP 8

static int set(int fd, int option, int value)
{
	return setsockopt(fd, IPPROTO_TCP, option, &value, sizeof(value));
}

static bool get(int fd, int option, void *out, socklen_t len)
{
	return getsockopt(fd, IPPROTO_TCP, option, out, &len) == 0;
}

/* A new one has no socket options of the old one but this. */
static void prepare(int fd)
{
	set(fd, TCP_NODELAY, 1);
	fcntl(fd, F_SETFL, O_NONBLOCK);
}

bool tcp_end_record(int fd, struct tcp_end *e, const char **why)
{
	struct tcp_info info = {0};
	socklen_t here = sizeof(e->here), there = sizeof(e->there);
	int unsent = 0, unread = 0, one = 1;
	if (getsockname(fd, (struct sockaddr *)&e->here, &here) || e->here.ss_family == AF_UNIX) {
		*why = "a connection is not one of TCP";
		return false;
	}
	if (getpeername(fd, (struct sockaddr *)&e->there, &there) ||
	    !get(fd, TCP_INFO, &info, sizeof(info)) || info.tcpi_state != STATE_ESTABLISHED) {
		*why = "a connection is closed in one direction";
		return false;
	}
	if (ioctl(fd, SIOCOUTQ, &unsent) || ioctl(fd, SIOCINQ, &unread) || unsent || unread) {
		*why = "bytes are on their way";
		return false;
	}
	if (set(fd, TCP_REPAIR, TCP_REPAIR_ON)) {
		*why = "the state of a connection can't be had (TCP_REPAIR needs CAP_NET_ADMIN)";
		return false;
	}
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)); /* who comes next has the same address */
	bool all = !set(fd, TCP_REPAIR_QUEUE, TCP_RECV_QUEUE) && get(fd, TCP_QUEUE_SEQ, &e->in_seq, 4) &&
		   !set(fd, TCP_REPAIR_QUEUE, TCP_SEND_QUEUE) && get(fd, TCP_QUEUE_SEQ, &e->out_seq, 4) &&
		   !set(fd, TCP_REPAIR_QUEUE, TCP_NO_QUEUE) && get(fd, TCP_MAXSEG, &e->mss, 4) &&
		   get(fd, TCP_TIMESTAMP, &e->timestamp, 4) &&
		   get(fd, TCP_REPAIR_WINDOW, &e->window, sizeof(e->window));
	set(fd, TCP_REPAIR, TCP_REPAIR_OFF_NO_WP);
	e->options = info.tcpi_options;
	e->send_scale = info.tcpi_snd_wscale;
	e->receive_scale = info.tcpi_rcv_wscale;
	if (!all)
		*why = "the state of a connection can't be had (TCP_REPAIR)";
	return all;
}

/* One that is being repaired is disconnected without a word. */
void tcp_end_silence(int fd)
{
	struct sockaddr none = {.sa_family = AF_UNSPEC};
	set(fd, TCP_REPAIR, TCP_REPAIR_ON);
	(void)connect(fd, &none, sizeof(none));
}

static bool set_options(int fd, const struct tcp_end *e)
{
	struct tcp_repair_opt o[4] = {{OPTION_MSS, e->mss}};
	u32 n = 1;
	if (e->options & TCPI_OPT_WSCALE)
		o[n++] = (struct tcp_repair_opt){OPTION_SCALE, e->send_scale | (u32)e->receive_scale << 16};
	if (e->options & TCPI_OPT_SACK)
		o[n++] = (struct tcp_repair_opt){OPTION_SACK, 0};
	if (e->options & TCPI_OPT_TIMESTAMPS)
		o[n++] = (struct tcp_repair_opt){OPTION_TIMESTAMP, 0};
	return !setsockopt(fd, IPPROTO_TCP, TCP_REPAIR_OPTIONS, o, n * sizeof(o[0])) &&
	       (!(e->options & TCPI_OPT_TIMESTAMPS) || !set(fd, TCP_TIMESTAMP, (int)e->timestamp)) &&
	       !setsockopt(fd, IPPROTO_TCP, TCP_REPAIR_WINDOW, &e->window, sizeof(e->window));
}

static void fill(const struct sockaddr_storage *a, __be32 ip[4], __be16 *port)
{
	if (a->ss_family == AF_INET) {
		ip[0] = ((const struct sockaddr_in *)a)->sin_addr.s_addr;
		*port = ((const struct sockaddr_in *)a)->sin_port;
	} else {
		memcpy(ip, &((const struct sockaddr_in6 *)a)->sin6_addr, 16);
		*port = ((const struct sockaddr_in6 *)a)->sin6_port;
	}
}

/* A connection that was closed since still has its addresses for a minute (TIME_WAIT): it goes. */
static void clear_away(const struct sockaddr_storage *from, const struct sockaddr_storage *to)
{
	struct {
		struct nlmsghdr h;
		struct inet_diag_req_v2 r;
	} m = {.h = {.nlmsg_len = sizeof(m),
		     .nlmsg_type = SOCK_DESTROY,
		     .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK},
	       .r = {.sdiag_family = (u8)from->ss_family,
		     .sdiag_protocol = IPPROTO_TCP,
		     .idiag_states = ~0u,
		     .id = {.idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE}}}};
	char answer[512];
	int nl = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	if (nl < 0)
		return;
	fill(from, m.r.id.idiag_src, &m.r.id.idiag_sport);
	fill(to, m.r.id.idiag_dst, &m.r.id.idiag_dport);
	if (send(nl, &m, sizeof(m), 0) == (ssize_t)sizeof(m))
		recv(nl, answer, sizeof(answer), 0);
	close(nl);
}

int tcp_end_make(const struct tcp_end *e)
{
	clear_away(&e->here, &e->there);
	clear_away(&e->there, &e->here);
	socklen_t len = e->here.ss_family == AF_INET ? sizeof(struct sockaddr_in)
						     : sizeof(struct sockaddr_in6);
	int fd = socket(e->here.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
	if (fd < 0)
		return -errno;
	bool made = !set(fd, TCP_REPAIR, TCP_REPAIR_ON) &&
		    !setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) &&
		    !bind(fd, (const struct sockaddr *)&e->here, len) &&
		    !set(fd, TCP_REPAIR_QUEUE, TCP_RECV_QUEUE) && !set(fd, TCP_QUEUE_SEQ, (int)e->in_seq) &&
		    !set(fd, TCP_REPAIR_QUEUE, TCP_SEND_QUEUE) && !set(fd, TCP_QUEUE_SEQ, (int)e->out_seq) &&
		    !set(fd, TCP_REPAIR_QUEUE, TCP_NO_QUEUE) &&
		    !connect(fd, (const struct sockaddr *)&e->there, len) && set_options(fd, e) &&
		    !set(fd, TCP_REPAIR, TCP_REPAIR_OFF_NO_WP);
	if (!made) {
		int error = errno;
		close(fd);
		return error ? -error : -EIO;
	}
	prepare(fd);
	return fd;
}
