/*
 * owners.c: which process has a socket. The kernel knows the inode of a socket, /proc/PID/fd shows who holds
 * it.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "broker/quiet_priv.h"
#include "broker/sockdiag.h"

#define MAX_OWNERS 64

int owner_link(pid_t pid, int fd, char *out, size_t cap)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
	ssize_t n = readlink(path, out, cap - 1);
	if (n < 0)
		return -1;
	out[n] = 0;
	return 0;
}

/* Calls found for each socket of the process; false: stop. */
static bool sockets_of(pid_t pid, bool (*found)(void *self, pid_t pid, u64 inode), void *self)
{
	char path[48], link[64];
	struct dirent *e;
	DIR *d;
	unsigned long long inode;
	bool go_on = true;
	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	d = opendir(path);
	while (d && go_on && (e = readdir(d)))
		if (isdigit((unsigned char)e->d_name[0]) &&
		    owner_link(pid, atoi(e->d_name), link, sizeof(link)) == 0 &&
		    sscanf(link, "socket:[%llu]", &inode) == 1)
			go_on = found(self, pid, inode);
	if (d)
		closedir(d);
	return go_on;
}

struct socket_owners {
	u64 inode;
	u32 n;
	pid_t pid[MAX_OWNERS];
};

static bool note_owner(void *self, pid_t pid, u64 inode)
{
	struct socket_owners *s = self;
	if (inode != s->inode)
		return true;
	if (s->n < MAX_OWNERS)
		s->pid[s->n++] = pid;
	return false;
}

static void search_all(struct socket_owners *s)
{
	struct dirent *e;
	DIR *d = opendir("/proc");
	while (d && (e = readdir(d)))
		if (isdigit((unsigned char)e->d_name[0]))
			sockets_of((pid_t)atoi(e->d_name), note_owner, s);
	if (d)
		closedir(d);
}

u64 owner_other_end(int nl, int fd)
{
	struct sockaddr_storage here = {0}, there = {0};
	socklen_t n = sizeof(here), m = sizeof(there), t = sizeof(int);
	struct sockdiag_end end = {0};
	struct stat st;
	int protocol = 0;
	u64 inode = 0;
	if (getsockname(fd, (struct sockaddr *)&here, &n) || getpeername(fd, (struct sockaddr *)&there, &m))
		return 0;
	if (here.ss_family == AF_UNIX)
		return fstat(fd, &st) == 0 && sockdiag_unix_peer(nl, st.st_ino, &inode) > 0 ? inode : 0;
	getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &t);
	return sockdiag_inet(nl, protocol, &there, &here, &end) > 0 ? end.inode : 0;
}

static bool has_socket(struct quiet_peer *q, u64 inode)
{
	struct socket_owners s = {.inode = inode};
	for (u32 i = 0; i < q->processes; i++)
		if (!sockets_of(q->process[i].pid, note_owner, &s))
			return true;
	return false;
}

bool quiet_holds(struct quiet_peer *q, int fd)
{
	u64 inode = owner_other_end(q->nl, fd);
	return inode && has_socket(q, inode);
}

bool quiet_serves(struct quiet_peer *q, int fd)
{
	u64 inode = owner_other_end(q->nl, fd);
	return !inode || has_socket(q, inode);
}

static pid_t parent_of(pid_t pid)
{
	char path[48], line[512] = "";
	const char *end;
	int parent = 0;
	FILE *f;
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (f) {
		if (fgets(line, sizeof(line), f) && (end = strrchr(line, ')')))
			sscanf(end, ") %*c %d", &parent);
		fclose(f);
	}
	return (pid_t)parent;
}

static bool is_ancestor(pid_t old, pid_t pid)
{
	for (int depth = 0; pid > 0 && depth < 256; depth++) {
		pid = parent_of(pid);
		if (pid == old)
			return true;
	}
	return false;
}

/*
 * A server that forks leaves its sockets with its children: the oldest owner is the root of all that serves.
 */
static pid_t oldest(const struct socket_owners *s)
{
	u32 k;
	for (u32 i = 0; i < s->n; i++) {
		for (k = 0; k < s->n && !is_ancestor(s->pid[k], s->pid[i]); k++)
			;
		if (k == s->n)
			return s->pid[i];
	}
	return 0;
}

static u64 inet_inode(int fd)
{
	struct sockaddr_storage here = {0}, there = {0};
	socklen_t n = sizeof(here), m = sizeof(there);
	struct sockdiag_end end = {0};
	int nl = sockdiag_open(), type = 0, r;
	socklen_t t = sizeof(type);
	getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &type, &t);
	getsockname(fd, (struct sockaddr *)&here, &n);
	getpeername(fd, (struct sockaddr *)&there, &m);
	r = sockdiag_inet(nl, type, &there, &here, &end);
	if (r > 0 &&
	    !end.inode) { /* in the backlog: whose? Asked for from port 0, the listening socket is found. */
		memset((char *)&here + sizeof(sa_family_t), 0, sizeof(u16));
		r = sockdiag_inet(nl, type, &there, &here, &end);
	}
	close(nl);
	return r > 0 ? end.inode : 0;
}

pid_t quiet_owner(int fd)
{
	struct ucred peer = {0};
	socklen_t n = sizeof(int), m = sizeof(peer);
	int family = 0;
	struct socket_owners s = {0};
	pid_t owner = 0;
	getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &n);
	if (family == AF_UNIX) {
		if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &m) == 0)
			owner = peer.pid;
	} else if ((s.inode = inet_inode(fd))) {
		search_all(&s);
		owner = oldest(&s);
	}
	/*
	 * init, holding a socket for a service that is not started yet, would make the whole machine the peer
	 */
	return owner == getpid() || is_ancestor(owner, getpid()) ? 0 : owner;
}

/* Not every kernel counts runs and lists children; without them nothing can be said for sure. */
bool quiet_allowed(pid_t pid)
{
	struct quiet_thread t = {.pid = pid, .tid = pid, .fd = {-1, -1, -1, -1}};
	char line[512];
	u64 runs = thread_runs(&t);
	return runs && runs != ~0ull && thread_read(&t, THREAD_SYSCALL, line, sizeof(line)) > 0 &&
	       thread_read(&t, THREAD_STATE, line, sizeof(line)) > 0 &&
	       thread_read(&t, THREAD_CHILDREN, line, sizeof(line)) >= 0;
}

/* Lines of /proc/net/udp, udp6 and unix end with, or hold, the inode; only bound ones are of interest. */
static bool is_bound_udp(const char *file, u64 inode)
{
	char line[512];
	unsigned port;
	unsigned long long i;
	bool found = false;
	FILE *f = fopen(file, "re");
	while (f && !found && fgets(line, sizeof(line), f))
		found = sscanf(line, "%*s %*[0-9A-F]:%x %*s %*s %*s %*s %*s %*s %*s %llu", &port, &i) == 2 &&
			i == inode && port;
	if (f)
		fclose(f);
	return found;
}

static bool is_bound_unix(u64 inode)
{
	char line[512], path[256];
	unsigned flags, type;
	unsigned long long i;
	bool found = false;
	FILE *f = fopen("/proc/net/unix", "re");
	while (f && !found && fgets(line, sizeof(line), f))
		found = sscanf(line, "%*s %*s %*s %x %x %*s %llu %255s", &flags, &type, &i, path) == 4 &&
			i == inode && (flags || type == SOCK_DGRAM);
	if (f)
		fclose(f);
	return found;
}

struct listening {
	int nl;
	u16 port;
	bool found;
};

static bool note_listening(void *self, pid_t pid, u64 inode)
{
	struct listening *l = self;
	u16 port = sockdiag_listens(l->nl, inode);
	(void)pid;
	if (port)
		l->found = !l->port || port == l->port;
	else
		l->found = !l->port && (is_bound_udp("/proc/net/udp", inode) ||
					is_bound_udp("/proc/net/udp6", inode) || is_bound_unix(inode));
	return !l->found;
}

bool quiet_listens(struct quiet_peer *q, u16 port)
{
	struct listening l = {.nl = q->nl, .port = port};
	for (u32 i = 0; i < q->processes; i++)
		if (!sockets_of(q->process[i].pid, note_listening, &l))
			return true;
	return false;
}
