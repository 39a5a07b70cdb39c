/*
 * rebuild.c: what fork shares between the copies, or loses. At saving it is written down; the thawed copy
 * gets one of its own:
 *
 *   connections       fresh ends from the controller; /dev/null in the frozen copy, or their end
 *                     were never seen
 *   epoll             a new object with the same entries; edges that were consumed don't come again
 *   eventfd, timerfd  a new one with the same count, or what was left of the time
 *   pipes, pairs      whose both ends are in the process: a new one with the same bytes in it
 *   files             at the same offset; what was written is put back (written_files.c), locks are
 *                     taken again
 *   shared memory     without a file: put back as it was (shared_memory.c)
 *   inner_ends.c      what connects several processes of the peer: fresh ends from the controller
 *   timers (timer_copies.c, too), pending signals, time-outs of sockets: set again
 *   backlogs, queues  of datagrams: emptied; what waits there belongs to another past
 *   signalfd, datagram and listening sockets, one-ended pipes: shared, and only one process uses them at a
 *   time
 *
 * What it cannot do is refused by name: inotify, files in memory (dispatch.c) …
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>

#include "shim/rebuild_priv.h"

static struct held held[SHIM_FDS];
static u32 held_count;
static u8 bytes[1 << 16]; /* in pipes and pairs */
static u32 bytes_used;
static struct itimerval timers[3];
static u64 pending;

long held_option(int fd, int level, int what)
{
	int value = 0;
	u32 len = sizeof(value);
	return shim_call(SYS_getsockopt, fd, level, what, &value, &len) ? -1 : value;
}

static bool refuse(char *text, size_t cap, const char *why, int fd)
{
	text_add(text, cap, why);
	if (fd >= 0) {
		text_add(text, cap, " (descriptor ");
		text_add_number(text, cap, fd);
		text_add(text, cap, ")");
	}
	return false;
}

static bool add_inner(struct held *h, struct shim_message *m, u32 end, char *text, size_t cap)
{
	return inner_add(m, h, end) ||
	       refuse(text, cap, "it has more than 64 pipes and connections to processes of its own", h->fd);
}

/* Datagrams, and what the kernel says of the network (netlink): nobody is connected by it. */
static bool is_of_packets(int fd)
{
	long domain = held_option(fd, SOL_SOCKET, SO_DOMAIN);
	return held_option(fd, SOL_SOCKET, SO_TYPE) == SOCK_DGRAM ||
	       (domain != AF_UNIX && domain != AF_INET && domain != AF_INET6) ||
	       held_option(fd, SOL_SOCKET, SO_TYPE) == SOCK_RAW;
}

/* A stream socket: one of those that were named, or one end of a pair of the peer's own. */
static bool record_socket(struct held *h, struct shim_message *m, char *text, size_t cap)
{
	u8 address[128];
	u32 len = sizeof(address);
	h->kind = HELD_SHARED;
	if (held_option(h->fd, SOL_SOCKET, SO_ACCEPTCONN) == 1) {
		h->kind = HELD_LISTENER;
		return true;
	}
	for (u32 i = 0; i < m->count; i++)
		if (m->inode[i] == h->inode) {
			h->kind = HELD_CONNECTION;
			h->number = i;
			h->shut = h->fd < SHIM_FDS ? shim_shut[h->fd] : 0;
			len = sizeof(h->receive_timeout);
			shim_call(SYS_getsockopt, h->fd, SOL_SOCKET, SO_RCVTIMEO, h->receive_timeout, &len);
			name_keep(h->fd);
			return true;
		}
	if (is_of_packets(h->fd)) {
		h->kind = HELD_DATAGRAMS;
		if (shim_call(SYS_recvfrom, h->fd, address, 1, MSG_PEEK | MSG_DONTWAIT, 0, 0) >= 0)
			return refuse(text, cap, "it has datagrams that it has not read", h->fd);
		return true;
	}
	if (shim_call(SYS_getpeername, h->fd, address, &len)) /* not connected, or not any more */
		return true;
	if (held_option(h->fd, SOL_SOCKET, SO_DOMAIN) == AF_UNIX) {
		h->kind = HELD_PAIR; /* its other end is looked for below */
		return m->members < 2 || add_inner(h, m, END_UNIX, text, cap);
	}
	bool v6 = held_option(h->fd, SOL_SOCKET, SO_DOMAIN) == AF_INET6;
	return add_inner(h, m, v6 ? END_INET6 : END_INET, text, cap);
}

static void read_info(int fd, char *out, size_t cap)
{
	char path[48];
	text_proc(path, sizeof(path), "fdinfo", fd);
	out[0] = 0;
	long info = shim_call(SYS_openat, shim.proc, path, O_RDONLY | O_CLOEXEC, 0);
	if (info < 0)
		return;
	long n = shim_call(SYS_read, info, out, cap - 1);
	out[n > 0 ? n : 0] = 0;
	shim_call(SYS_close, info);
}

/* "anon_inode:[eventfd]" */
static bool record_object(struct held *h, const char *what, char *text, size_t cap)
{
	char info[1024];
	if (text_starts(what, "[eventpoll]")) {
		struct pollfd p = {.fd = h->fd, .events = POLLIN};
		h->kind = HELD_EPOLL;
		h->ready = shim_call(SYS_poll, &p, 1, 0) > 0;
	} else if (text_starts(what, "[eventfd]")) {
		read_info(h->fd, info, sizeof(info));
		h->kind = HELD_EVENT;
		h->value = text_number(info, "eventfd-count:", 16);
		h->semaphore = text_number(info, "eventfd-semaphore:", 10) != 0;
	} else if (text_starts(what, "[timerfd]")) {
		read_info(h->fd, info, sizeof(info));
		h->kind = HELD_TIMER;
		h->value = text_number(info, "clockid:", 10);
		shim_call(SYS_timerfd_gettime, h->fd, &h->timer);
	} else if (text_starts(what, "inotify") || text_starts(what, "[fanotify]")) {
		return refuse(text, cap, "it watches files (inotify)", h->fd);
	} else if (text_starts(what, "[io_uring]") || text_starts(what, "[userfaultfd]") ||
		   text_starts(what, "[perf_event]")) {
		return refuse(text, cap, "it has an object of the kernel that cannot be copied", h->fd);
	} else {
		h->kind = HELD_SHARED;
	}
	return true;
}

static bool record_one(struct held *h, struct shim_message *m, char *text, size_t cap)
{
	char path[48], link[64];
	struct stat st = {0};
	if (shim_call(SYS_newfstatat, h->fd, "", &st, AT_EMPTY_PATH))
		return true;
	h->inode = st.st_ino;
	h->flags = (int)shim_call(SYS_fcntl, h->fd, F_GETFL);
	h->close_on_exec = shim_call(SYS_fcntl, h->fd, F_GETFD) & FD_CLOEXEC;
	h->kind = HELD_SHARED;
	switch (st.st_mode & S_IFMT) {
	case S_IFSOCK:
		return record_socket(h, m, text, cap);
	case S_IFIFO:
		h->kind = HELD_PIPE;
		return m->members < 2 ||
		       add_inner(h, m, (h->flags & O_ACCMODE) == O_WRONLY ? END_PIPE_WRITE : END_PIPE_READ,
				 text, cap);
	case S_IFREG:
		h->kind = h->fd > 2 ? HELD_FILE : HELD_SHARED;
		h->value = (u64)shim_call(SYS_lseek, h->fd, 0, SEEK_CUR);
		h->links = st.st_nlink > 0;
		return true;
	case 0: /* objects without a file */
		text_proc(path, sizeof(path), "fd", h->fd);
		long n = shim_call(SYS_readlinkat, shim.proc, path, link, sizeof(link) - 1);
		link[n > 0 ? n : 0] = 0;
		return !text_starts(link, "anon_inode:") || record_object(h, link + 11, text, cap);
	default:
		return true;
	}
}

/*
 * Two descriptors of one pipe are its ends if one writes and the other reads; a socket's other end is asked
 * for.
 */
static void find_other_ends(void)
{
	for (u32 i = 0; i < held_count; i++) {
		struct held *h = &held[i];
		h->other = -1;
		for (u32 k = 0; k < held_count && h->kind == HELD_PIPE; k++)
			if (k != i && held[k].kind == HELD_PIPE && held[k].inode == h->inode &&
			    (held[k].flags & O_ACCMODE) != (h->flags & O_ACCMODE))
				h->other = (int)k;
		if (h->kind == HELD_PIPE && h->other < 0)
			h->kind = HELD_SHARED; /* somebody else has it */
	}
}

/* SO_PEERCRED names who made the pair; the order of the inodes tells the ends, as they are made together. */
static bool find_pairs(char *text, size_t cap)
{
	for (u32 i = 0; i < held_count; i++) {
		struct held *h = &held[i];
		if (h->kind != HELD_PAIR)
			continue;
		for (u32 k = 0; k < held_count; k++)
			if (held[k].kind == HELD_PAIR &&
			    (held[k].inode == h->inode + 1 || held[k].inode + 1 == h->inode))
				h->other = (int)k;
		if (h->other < 0)
			return refuse(text, cap, "it has a connection that heddle does not know of", h->fd);
	}
	return true;
}

/* What is in a pipe is seen by a copy of it; nothing is taken out. */
static long peek_pipe(int fd, u8 *out, size_t room)
{
	int copy[2] = {-1, -1};
	if (shim_call(SYS_pipe2, copy, O_CLOEXEC | O_NONBLOCK))
		return -1;
	long n = shim_call(SYS_tee, fd, copy[1], room, SPLICE_F_NONBLOCK);
	if (n > 0)
		n = shim_call(SYS_read, copy[0], out, room);
	shim_call(SYS_close, copy[0]);
	shim_call(SYS_close, copy[1]);
	return n;
}

/* Bytes in a pair or pipe of its own are few: commands from one thread to another. */
static bool record_bytes(struct held *h, char *text, size_t cap)
{
	int n = 0;
	h->bytes = 0;
	if (h->kind == HELD_PIPE ? (h->flags & O_ACCMODE) == O_WRONLY : h->kind != HELD_PAIR)
		return true;
	shim_call(SYS_ioctl, h->fd, FIONREAD, &n);
	if (n <= 0)
		return true;
	if ((u32)n > sizeof(bytes) - bytes_used)
		return refuse(text, cap, "it has much unread data in a pipe or socket pair of its own",
			      h->fd);
	h->data = bytes + bytes_used;
	long got = h->kind == HELD_PIPE
			   ? peek_pipe(h->fd, h->data, (size_t)n)
			   : shim_call(SYS_recvfrom, h->fd, h->data, n, MSG_PEEK | MSG_DONTWAIT, 0, 0);
	h->bytes = got > 0 ? (u32)got : 0;
	bytes_used += h->bytes;
	return true;
}

static bool record_descriptors(struct shim_message *m, int control, char *text, size_t cap)
{
	struct entry {
		u64 inode;
		long offset;
		u16 length;
		u8 type;
		char name[];
	} * e;
	char buffer[4096] __attribute__((aligned(8))) = {0};
	long list = shim_call(SYS_openat, shim.proc, "self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0), n;
	bool fine = list >= 0 || refuse(text, cap, "its descriptors can't be told: there is no /proc", -1);
	held_count = bytes_used = m->inners = 0;
	while (fine && (n = shim_call(SYS_getdents64, list, buffer, sizeof(buffer))) > 0)
		for (long at = 0; at < n && fine; at += e->length) {
			e = (struct entry *)(void *)(buffer + at);
			int fd = e->name[0] == '.' ? -1 : (int)text_number(e->name, "", 10);
			if (fd < 0 || fd == list || fd == control || shim_owns(fd))
				continue;
			if (held_count == SHIM_FDS) {
				fine = refuse(text, cap, "it has more than 4096 descriptors open", -1);
				break;
			}
			struct held *h = &held[held_count];
			h->fd = fd;
			h->other = -1;
			fine = record_one(h, m, text, cap);
			held_count++;
		}
	shim_call(SYS_close, list);
	if (!fine)
		return false;
	find_other_ends();
	if (!find_pairs(text, cap))
		return false;
	for (u32 i = 0; i < held_count; i++)
		if (!record_bytes(&held[i], text, cap))
			return false;
	return true;
}

/* All bytes that the peer has not read, one connection after another. */
static bool record_unread(struct shim_message *m, int *file)
{
	static u8 found[1 << 16];
	for (u32 i = 0; i < m->count; i++)
		m->unread[i] = 0;
	for (u32 c = 0; c < m->count; c++)
		for (u32 i = 0; i < held_count; i++) {
			struct held *h = &held[i];
			int n = 0;
			if (h->kind != HELD_CONNECTION || h->number != c)
				continue;
			shim_call(SYS_ioctl, h->fd, FIONREAD, &n);
			if (n <= 0)
				break;
			if (n > (int)sizeof(found))
				return false;
			if (*file < 0)
				*file = (int)shim_call(SYS_memfd_create, "heddle-unread", MFD_CLOEXEC);
			long got = shim_call(SYS_recvfrom, h->fd, found, sizeof(found),
					     MSG_PEEK | MSG_DONTWAIT, 0, 0);
			if (got <= 0 || shim_call(SYS_write, *file, found, got) != got)
				return false;
			m->unread[c] = (u32)got;
			break;
		}
	return true;
}

bool rebuild_record(struct shim_message *m, int control, int *unread, char *text, size_t cap)
{
	if (shim.stops)
		return refuse(text, cap, shim.stops, -1);
	if (!record_descriptors(m, control, text, cap) || !shared_memory_record(text, cap))
		return false;
	if (!locks_record())
		return refuse(text, cap, "it holds locks of files that cannot be told", -1);
	if (!files_record(&m->files))
		return refuse(text, cap, "it has changed files that cannot be kept", -1);
	if (!record_unread(m, unread))
		return refuse(text, cap, "it has left more than 64 kB of a connection unread", -1);
	for (u32 i = 0; i < held_count; i++)
		if (held[i].kind == HELD_INNER && !inner_unread(&held[i], m, unread))
			return refuse(text, cap, "it has left too much unread of what its own processes say",
				      held[i].fd);
	relatives_record();
	for (u32 i = 0; i < 3; i++)
		shim_call(SYS_getitimer, i, &timers[i]);
	posix_timers_record();
	shim_call(SYS_rt_sigpending, &pending, 8);
	return true;
}

int rebuild_file_of(u64 inode)
{
	for (u32 i = 0; i < held_count; i++)
		if (held[i].inode == inode && (held[i].kind == HELD_FILE || held[i].kind == HELD_SHARED))
			return held[i].fd;
	return -1;
}

void rebuild_release(void)
{
	for (u32 i = 0; i < held_count; i++)
		if (held[i].kind == HELD_CONNECTION || held[i].kind == HELD_INNER)
			shim_call(SYS_dup3, shim.null, held[i].fd, held[i].close_on_exec ? O_CLOEXEC : 0);
}

/* In its place, with its flags. */
static void put(const struct held *h, long fd)
{
	if (fd < 0)
		shim_exit(126);
	shim_call(SYS_dup3, fd, h->fd, h->close_on_exec ? O_CLOEXEC : 0);
	shim_call(SYS_fcntl, h->fd, F_SETFL, h->flags & ~O_ASYNC);
}

static void rebuild_connection(const struct held *h, const int *fd, u32 n)
{
	if (h->number >= n)
		return;
	put(h, fd[h->number]);
	if (h->shut)
		shim_call(SYS_shutdown, h->fd, h->shut == 1 ? SHUT_RD : h->shut == 2 ? SHUT_WR : SHUT_RDWR);
	shim_call(SYS_setsockopt, h->fd, SOL_SOCKET, SO_RCVTIMEO, h->receive_timeout,
		  sizeof(h->receive_timeout));
}

static void rebuild_two(struct held *h, struct held *other, int pipe_or_pair[2])
{
	put(h, pipe_or_pair[0]);
	put(other, pipe_or_pair[1]);
	for (u32 i = 0; i < held_count; i++) /* further descriptors of the same ends */
		if (held[i].inode == h->inode && held[i].kind == h->kind && held[i].fd != h->fd &&
		    held[i].fd != other->fd && held[i].flags == h->flags)
			put(&held[i], pipe_or_pair[0]);
	shim_call(SYS_close, pipe_or_pair[0]);
	shim_call(SYS_close, pipe_or_pair[1]);
	if (h->bytes)
		shim_call(SYS_write, other->fd, h->data, h->bytes);
	if (other->bytes)
		shim_call(SYS_write, h->fd, other->data, other->bytes);
	h->done = other->done = true;
}

static void rebuild_both_ends(struct held *h)
{
	int fd[2] = {-1, -1};
	if (h->done || h->other < 0)
		return;
	struct held *other = &held[h->other];
	if (h->kind == HELD_PIPE && (h->flags & O_ACCMODE) == O_WRONLY) {
		struct held *writes = h;
		h = other;
		other = writes;
	}
	long r = h->kind == HELD_PIPE
			 ? shim_call(SYS_pipe2, fd, O_CLOEXEC)
			 : shim_call(SYS_socketpair, AF_UNIX,
				     held_option(h->fd, SOL_SOCKET, SO_TYPE) | SOCK_CLOEXEC, 0, fd);
	if (r)
		shim_exit(126);
	rebuild_two(h, other, fd);
}

static void rebuild_event(const struct held *h)
{
	long fd = shim_call(SYS_eventfd2, 0, EFD_CLOEXEC | (h->semaphore ? EFD_SEMAPHORE : 0));
	put(h, fd);
	shim_call(SYS_close, fd);
	if (h->value)
		shim_call(SYS_write, h->fd, &h->value, 8);
}

static void rebuild_timer(const struct held *h)
{
	long fd = shim_call(SYS_timerfd_create, h->value, TFD_CLOEXEC);
	put(h, fd);
	shim_call(SYS_close, fd);
	shim_call(SYS_timerfd_settime, h->fd, 0, &h->timer, 0);
}

/* One that was removed elsewhere, and has been put back, is another one of the same name. */
static void open_again(const struct held *h)
{
	char path[48], name[256];
	struct stat st = {0};
	text_proc(path, sizeof(path), "fd", h->fd);
	long n = shim_call(SYS_readlinkat, shim.proc, path, name, sizeof(name) - 1);
	name[n > 0 ? n : 0] = 0;
	u32 end = (u32)text_length(name), deleted = (u32)text_length(" (deleted)");
	if (end <= deleted || strcmp(name + end - deleted, " (deleted)") != 0)
		return;
	name[end - deleted] = 0;
	if (shim_call(SYS_newfstatat, AT_FDCWD, name, &st, 0))
		return;
	long fd = shim_call(SYS_openat, AT_FDCWD, name,
			    (h->flags & ~(O_CREAT | O_EXCL | O_TRUNC)) | O_CLOEXEC, 0);
	if (fd < 0)
		return;
	put(h, fd);
	shim_call(SYS_close, fd);
}

/* All copies have the same open file, of which one uses it at a time: its offset and flags are set again. */
static void rebuild_file(const struct held *h)
{
	if (h->links)
		open_again(h);
	shim_call(SYS_lseek, h->fd, h->value, SEEK_SET);
	shim_call(SYS_fcntl, h->fd, F_SETFL, h->flags & ~O_ASYNC);
}

static void empty_backlog(const struct held *h)
{
	long fd;
	shim_call(SYS_fcntl, h->fd, F_SETFL, h->flags | O_NONBLOCK);
	while ((fd = shim_call(SYS_accept4, h->fd, 0, 0, SOCK_CLOEXEC)) >= 0)
		shim_call(SYS_close, fd);
	shim_call(SYS_fcntl, h->fd, F_SETFL, h->flags);
}

/* What another past has left in its queue is nobody's. */
static void empty_queue(const struct held *h)
{
	u8 byte;
	while (shim_call(SYS_recvfrom, h->fd, &byte, 1, MSG_DONTWAIT, 0, 0) >= 0)
		;
}

/* Entries that say only "writable" are ready again at once; who waits for edges has had that one. */
static void rebuild_epoll(const struct held *h)
{
	struct epoll_event event, thrown[64];
	long fd = shim_call(SYS_epoll_create1, EPOLL_CLOEXEC);
	bool edges = false;
	put(h, fd);
	shim_call(SYS_close, fd);
	for (u32 i = 0; i < SHIM_EPOLL; i++) {
		const struct epoll_entry *e = &shim_epoll[i];
		if (!e->used || e->epoll != h->fd)
			continue;
		event.events = e->off ? 0 : e->events;
		event.data.u64 = e->data;
		edges |= (e->events & EPOLLET) && !e->off;
		shim_call(SYS_epoll_ctl, h->fd, EPOLL_CTL_ADD, e->fd, &event);
	}
	if (edges && !h->ready)
		for (u32 i = 0; i < 16 && shim_call(SYS_epoll_pwait, h->fd, thrown, 64, 0, 0, 8) == 64; i++)
			;
}

static void rebuild_signals(void)
{
	for (u32 i = 0; i < 3; i++)
		if (timers[i].it_value.tv_sec || timers[i].it_value.tv_usec)
			shim_call(SYS_setitimer, i, &timers[i], 0);
	for (int s = 1; s < 65; s++)
		if ((pending & (1ull << (s - 1))) && s != SHIM_SIGNAL)
			shim_call(SYS_tgkill, shim.pid, shim.pid, s);
}

void rebuild_all(const struct shim_message *m, const int *fd, u32 n)
{
	for (u32 i = 0; i < held_count; i++) {
		struct held *h = &held[i];
		h->done = false;
		switch (h->kind) {
		case HELD_CONNECTION:
			rebuild_connection(h, fd, HD_MIN(n, m->count));
			break;
		case HELD_INNER:
			inner_rebuild(h, m, fd + m->count);
			break;
		case HELD_LISTENER:
			empty_backlog(h);
			break;
		case HELD_DATAGRAMS:
			empty_queue(h);
			break;
		case HELD_EVENT:
			rebuild_event(h);
			break;
		case HELD_TIMER:
			rebuild_timer(h);
			break;
		case HELD_FILE:
			rebuild_file(h);
			break;
		default:
			break;
		}
	}
	for (u32 i = 0; i < held_count; i++)
		if (held[i].kind == HELD_PIPE || held[i].kind == HELD_PAIR)
			rebuild_both_ends(&held[i]);
	for (u32 i = 0; i < held_count; i++) /* when all that they name is in place */
		if (held[i].kind == HELD_EPOLL)
			rebuild_epoll(&held[i]);
	locks_restore();
	rebuild_signals();
}
