/*
 * shim_link.c: peers with the shim connect to a socket of ours, with an abstract name that only this
 * process has. Who they are is told by the kernel (SO_PEERCRED), to which peer they belong by their
 * ancestors.
 */
#include "checkpoint/shim_link.h"

#include <errno.h>
#include <linux/prctl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "checkpoint/process_tree.h"
#include "checkpoint/shim_link_priv.h"
#include "launch/runtime_library.h"

#define PATIENCE_MS 30000
#define HELLO_S 30   /* from its connection to its first packet, on a machine with much to do */
#define EXEC_MS 1000 /* from an exec to the report of the new program */

struct shim_host {
	int fd;
	u64 start_chance;
	char name[64];
	char library[4096];
	struct shim_link *links; /* that have reported and belong to no peer yet */
	struct shim_link *known; /* all that have */
};

/* One child of ours tries it: it is a setting of a thread that cannot fail halfway. */
static bool dispatch_works(void)
{
	bool works = prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 1, ~0ul - 1, NULL) == 0;
	prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF, 0, 0, 0);
	return works;
}

bool shim_works(char *library, size_t size, char *why, size_t cap)
{
	struct problem p;
	const char *named = getenv("HEDDLE_PEER_LIBRARY");
	if (named && *named) {
		snprintf(library, size, "%s", named);
	} else if (support_file_find("libheddle-peer.so", library, size, &p)) {
		snprintf(why, cap, "%s", p.text);
		return false;
	}
	if (strpbrk(library, " :'")) {
		snprintf(why, cap, "%s: a path with a space, colon or quote cannot be preloaded; move heddle",
			 library);
		return false;
	}
	if (!dispatch_works()) {
		snprintf(why, cap, "this kernel has no Syscall User Dispatch (Linux 5.11 and newer do)");
		return false;
	}
	return true;
}

struct shim_host *shim_host_create(u64 start_chance, char *why, size_t cap)
{
	static u32 number;
	struct shim_host *h = calloc(1, sizeof(*h));
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	if (!h || !shim_works(h->library, sizeof(h->library), why, cap)) {
		free(h);
		return NULL;
	}
	h->start_chance = start_chance;
	snprintf(h->name, sizeof(h->name), "heddle-peers-%d-%u", getpid(), ++number);
	strcpy(a.sun_path + 1, h->name);
	h->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (h->fd < 0 ||
	    bind(h->fd, (struct sockaddr *)&a,
		 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(h->name))) ||
	    listen(h->fd, 128)) {
		snprintf(why, cap, "no socket for the peers: %s", strerror(errno));
		if (h->fd >= 0)
			close(h->fd);
		free(h);
		return NULL;
	}
	return h;
}

void shim_host_free(struct shim_host *h)
{
	if (!h)
		return;
	while (h->links) {
		struct shim_link *l = h->links;
		h->links = l->next;
		shim_link_close(l);
	}
	close(h->fd);
	free(h);
}

/* glibc's rseq area would be shared with threads that the shim makes anew. */
char *shim_host_wrap(void *host)
{
	const struct shim_host *h = host;
	char *text = NULL;
	if (asprintf(&text,
		     "export LD_PRELOAD='%s' " SHIM_KEEPER_ENV "=$PPID " SHIM_CHANCE_ENV "=%llu " SHIM_ENV
		     "=%s GLIBC_TUNABLES=glibc.pthread.rseq=0 LD_BIND_NOW=1\n",
		     h->library, (unsigned long long)h->start_chance, h->name) < 0)
		return NULL;
	return text;
}

static bool is_below(pid_t pid, pid_t keeper)
{
	for (int depth = 0; pid > 1 && depth < 64; depth++, pid = tree_parent(pid))
		if (pid == keeper)
			return true;
	return false;
}

int shim_receive(int fd, struct shim_message *m, int *passed, u32 cap, u32 *n)
{
	char control[CMSG_SPACE(sizeof(int) * SHIM_PASSED)] __attribute__((aligned(8)));
	struct iovec bytes = {m, sizeof(*m)};
	struct msghdr h = {.msg_iov = &bytes,
			   .msg_iovlen = 1,
			   .msg_control = control,
			   .msg_controllen = sizeof(control)};
	ssize_t got;
	*n = 0;
	do
		got = recvmsg(fd, &h, MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	if (got <= 0)
		return got ? -errno : -EPIPE;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&h); c; c = CMSG_NXTHDR(&h, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		u32 count = (u32)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
		for (u32 i = 0; i < count; i++) {
			int one;
			memcpy(&one, CMSG_DATA(c) + i * sizeof(int), sizeof(one));
			if (*n < cap)
				passed[(*n)++] = one;
			else
				close(one);
		}
	}
	return got == (ssize_t)sizeof(*m) ? 0 : -EPROTO;
}

int shim_send(int fd, const struct shim_message *m, const int *pass, u32 n)
{
	char control[CMSG_SPACE(sizeof(int) * SHIM_PASSED)] __attribute__((aligned(8))) = {0};
	struct iovec bytes = {(void *)m, sizeof(*m)};
	struct msghdr h = {.msg_iov = &bytes, .msg_iovlen = 1};
	if (n) {
		h.msg_control = control;
		h.msg_controllen = CMSG_SPACE(sizeof(int) * n);
		struct cmsghdr *c = CMSG_FIRSTHDR(&h);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int) * n);
		memcpy(CMSG_DATA(c), pass, sizeof(int) * n);
	}
	return sendmsg(fd, &h, MSG_NOSIGNAL) == (ssize_t)sizeof(*m) ? 0 : -errno;
}

static struct shim_counts *counts_map(int file)
{
	struct shim_counts *c = malloc(sizeof(*c));
	if (!c)
		return NULL;
	c->uses = 1;
	c->page = mmap(NULL, HD_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (c->page != MAP_FAILED && c->page->version == SHIM_VERSION)
		return c;
	free(c);
	return NULL;
}

struct shim_counts *shim_counts_keep(struct shim_counts *c)
{
	c->uses++;
	return c;
}

void shim_counts_release(struct shim_counts *c)
{
	if (--c->uses)
		return;
	munmap(c->page, HD_PAGE);
	free(c);
}

void shim_link_count_in(struct shim_link *l, struct shim_counts *c)
{
	shim_counts_keep(c);
	shim_counts_release(l->counts);
	l->counts = c;
}

/* Those of whoever forked it. */
static struct shim_counts *counts_of(const struct shim_host *h, pid_t parent)
{
	for (const struct shim_link *l = h->known; l; l = l->known_next)
		if (l->pid == parent)
			return shim_counts_keep(l->counts);
	return NULL;
}

void shim_link_know(struct shim_link *l, struct shim_host *host)
{
	l->host = host;
	if (!host)
		return;
	l->known_next = host->known;
	host->known = l;
}

/* One has connected: its first packet is there, or never comes. */
static struct shim_link *greet(struct shim_host *h, int fd)
{
	struct shim_message m;
	struct shim_link *l = calloc(1, sizeof(*l));
	struct ucred who = {0};
	socklen_t len = sizeof(who);
	int page = -1;
	u32 n = 0;
	if (!l)
		return NULL;
	struct timeval patience = {HELLO_S, 0};
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) || shim_receive(fd, &m, &page, 1, &n) ||
	    m.op != SHIM_HELLO || n != (m.parent ? 0 : 1))
		goto bad;
	l->counts = m.parent ? counts_of(h, m.parent) : counts_map(page);
	if (!l->counts)
		goto bad;
	if (page >= 0)
		close(page);
	l->fd = fd;
	l->pid = who.pid;
	l->first = m.first;
	l->keeper = m.keeper;
	l->forked = m.parent != 0;
	shim_link_know(l, h);
	return l;
bad:
	if (page >= 0)
		close(page);
	close(fd);
	free(l);
	return NULL;
}

static void take_news(struct shim_host *h)
{
	int fd;
	while ((fd = accept4(h->fd, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
		struct shim_link *l = greet(h, fd);
		if (l) {
			l->next = h->links;
			h->links = l;
		}
	}
}

bool shim_link_is_open(const struct shim_link *l)
{
	char byte;
	return l->fd >= 0 && recv(l->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) != 0;
}

/*
 * One pass over those who have reported. *left: one below the keeper lives, and its program has gone. ended:
 * also one that has ended; what it did is counted.
 */
static struct shim_link *look(struct shim_host *h, pid_t keeper, bool *left, bool ended)
{
	struct shim_link *found = NULL, **where = NULL;
	take_news(h);
	for (struct shim_link **at = &h->links; *at;) {
		struct shim_link *l = *at;
		bool open = shim_link_is_open(l);
		if (!open && !l->forked && l->keeper &&
		    tree_parent(l->pid) == 0) { /* somebody may still ask what it did */
			if (ended && l->keeper == keeper && !found) {
				found = l;
				where = at;
			}
			at = &l->next;
			continue;
		}
		if (l->forked) { /* not a program of its own: shim_host_next */
			at = &l->next;
			continue;
		}
		if (!open) {
			*left |= is_below(l->pid, keeper);
			*at = l->next;
			shim_link_close(l);
			continue;
		}
		/* The last in the list was the first to report; what it started comes before it. */
		if (is_below(l->pid, keeper)) {
			found = l;
			where = at;
		}
		at = &l->next;
	}
	if (found)
		*where = found->next;
	return found;
}

/* A program that has just called exec will report, if the new one has the shim. */
static struct shim_link *await_report(struct shim_host *h, pid_t keeper)
{
	struct pollfd p = {.fd = h->fd, .events = POLLIN};
	struct shim_link *found = NULL;
	bool left = false;
	while (!found && poll(&p, 1, EXEC_MS) > 0)
		found = look(h, keeper, &left, false);
	return found;
}

struct shim_link *shim_host_find(struct shim_host *h, pid_t keeper)
{
	bool left = false;
	struct shim_link *found = look(h, keeper, &left, true);
	return !found && left ? await_report(h, keeper) : found;
}

void shim_host_refresh(struct shim_host *h, struct shim_link *l, pid_t keeper)
{
	bool left = false;
	if (l->fd < 0 || shim_link_is_open(l))
		return;
	struct shim_link *found = look(h, keeper, &left, false);
	if (!found && is_below(l->pid, keeper))
		found = await_report(h, keeper);
	close(l->fd);
	l->fd = -1;
	if (!found)
		return;
	if (found->pid == l->pid) { /* else that has ended, and this is something that it has started */
		shim_link_count_in(l, found->counts);
		l->fd = found->fd;
		found->fd = -1;
		shim_link_close(found);
	} else {
		found->next = h->links;
		h->links = found;
	}
}

struct shim_link *shim_host_next(struct shim_host *h, pid_t keeper)
{
	take_news(h);
	for (struct shim_link **at = &h->links; *at;) {
		struct shim_link *l = *at;
		bool open = l->keeper == keeper && shim_link_is_open(l);
		if (open || (l->keeper == keeper && l->forked))
			*at = l->next;
		else
			at = &l->next;
		if (open)
			return l;
		if (l->keeper == keeper && l->forked)
			shim_link_close(l);
	}
	return NULL;
}

struct shim_link *shim_host_left(struct shim_host *h, pid_t keeper)
{
	for (struct shim_link **at = &h->links; *at; at = &(*at)->next) {
		struct shim_link *l = *at;
		if (l->keeper != keeper || l->forked || shim_link_is_open(l))
			continue;
		*at = l->next;
		return l;
	}
	return NULL;
}

static void forget_known(struct shim_link *l)
{
	for (struct shim_link **at = l->host ? &l->host->known : NULL; at && *at; at = &(*at)->known_next)
		if (*at == l) {
			*at = l->known_next;
			return;
		}
}

void shim_link_close(struct shim_link *l)
{
	if (!l)
		return;
	forget_known(l);
	if (l->fd >= 0)
		close(l->fd);
	shim_counts_release(l->counts);
	free(l);
}

pid_t shim_link_process(const struct shim_link *l)
{
	return l->pid;
}

bool shim_link_pass(const struct shim_link *l, u64 ns)
{
	static struct shim_message m;
	struct pollfd p = {.fd = l->fd, .events = POLLIN};
	u32 n;
	m = (struct shim_message){.op = SHIM_TIME, .inode = {ns}};
	return l->fd >= 0 && !shim_send(l->fd, &m, NULL, 0) && poll(&p, 1, PATIENCE_MS) > 0 &&
	       !shim_receive(l->fd, &m, NULL, 0, &n) && m.op == SHIM_TIMED;
}
