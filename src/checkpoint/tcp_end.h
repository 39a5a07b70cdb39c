/*
 * tcp_end.h: our end of a TCP connection, taken down and put up again (TCP_REPAIR): the other end, which was
 * saved at the same moment, does not notice. For backends that bring connections back as they were.
 */
#ifndef HEDDLE_CHECKPOINT_TCP_END_H
#define HEDDLE_CHECKPOINT_TCP_END_H

#include <linux/tcp.h>
#include <sys/socket.h>

#include "base/base.h"

struct tcp_end {
	struct sockaddr_storage here, there;
	u32 in_seq, out_seq, timestamp, mss;
	u8 options, send_scale, receive_scale;
	struct tcp_repair_window window;
};

/* What it is now. It is established, and nothing is on its way; else why says what stops it. */
bool tcp_end_record(int fd, struct tcp_end *out, const char **why);
/* It is gone, and nobody is told. The descriptor stays, of a socket that leads nowhere. */
void tcp_end_silence(int fd);
/* As it was recorded. A descriptor, non-blocking and close-on-exec; or -errno. */
int tcp_end_make(const struct tcp_end *e);

#endif
