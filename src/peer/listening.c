#include "peer/listening.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "broker/sockdiag.h"

#define INODES 16
#define UNIX_LISTENS 0x10000 /* __SO_ACCEPTCON of the flags */

struct inodes {
	u64 inode[INODES];
	size_t count;
};

static void add(struct inodes *s, u64 inode)
{
	if (inode && s->count < INODES)
		s->inode[s->count++] = inode;
}

/*
 * Only those that listen are asked for: /proc/net/tcp goes through all connections of the machine, which
 * takes milliseconds.
 */
static void ask_tcp(struct inodes *s, u16 port)
{
	int nl = sockdiag_open();
	if (nl < 0)
		return;
	s->count = sockdiag_listeners(nl, port, s->inode, INODES);
	close(nl);
}

static void read_udp(struct inodes *s, const char *table, u16 port)
{
	FILE *f = fopen(table, "re");
	char line[512];
	while (f && fgets(line, sizeof(line), f)) {
		unsigned local;
		unsigned long inode;
		if (sscanf(line, " %*[^:]: %*[0-9A-F]:%x %*s %*s %*s %*s %*s %*s %*s %lu", &local, &inode) ==
			    2 &&
		    local == port)
			add(s, inode);
	}
	if (f)
		fclose(f);
}

static void read_unix(struct inodes *s, const struct net_address *at)
{
	FILE *f = fopen("/proc/net/unix", "re");
	size_t len = strnlen(at->path, at->path_len);
	char line[512], path[256];
	while (len && f && fgets(line, sizeof(line), f)) {
		unsigned long inode;
		unsigned flags;
		if (sscanf(line, "%*s %*s %*s %x %*s %*s %lu %255[^\n]", &flags, &inode, path) == 3 &&
		    strlen(path) == len && !memcmp(path, at->path, len) &&
		    (at->type == NET_DGRAM || (flags & UNIX_LISTENS)))
			add(s, inode);
	}
	if (f)
		fclose(f);
}

static bool has_one(const char *pid, const struct inodes *s)
{
	char path[320], link[64];
	struct dirent *e;
	unsigned long inode;
	bool found = false;
	DIR *d;
	snprintf(path, sizeof(path), "/proc/%s/fd", pid);
	d = opendir(path);
	while (d && !found && (e = readdir(d))) {
		ssize_t n = readlinkat(dirfd(d), e->d_name, link, sizeof(link) - 1);
		link[n > 0 ? n : 0] = 0;
		if (sscanf(link, "socket:[%lu]", &inode) == 1)
			for (size_t i = 0; i < s->count; i++)
				found |= s->inode[i] == inode;
	}
	if (d)
		closedir(d);
	return found;
}

/* 0: not there. */
static pid_t parent_of(pid_t pid)
{
	char path[64], text[512], *behind;
	FILE *f;
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	size_t n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = 0;
	behind = strrchr(text, ')');
	return behind && n > (size_t)(behind - text) + 3 ? atoi(behind + 3) : 0;
}

static bool is_below(pid_t pid, pid_t root)
{
	while (pid > 1 && pid != root)
		pid = parent_of(pid);
	return pid == root;
}

static bool holds_below(const char *pid, const struct inodes *s);

static bool a_child_holds(const char *pid, const char *tid, const struct inodes *s)
{
	char path[640], text[4096], *rest = NULL;
	bool found = false;
	FILE *f;
	snprintf(path, sizeof(path), "/proc/%s/task/%s/children", pid, tid);
	f = fopen(path, "re");
	if (!f)
		return false;
	size_t n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = 0;
	for (char *child = strtok_r(text, " ", &rest); child && !found; child = strtok_r(NULL, " ", &rest))
		found = holds_below(child, s);
	return found;
}

/*
 * From the root down. What this does not find (kernels that do not list children) is searched among all
 * processes.
 */
static bool holds_below(const char *pid, const struct inodes *s)
{
	bool found = has_one(pid, s);
	char path[320];
	struct dirent *e;
	DIR *d;
	snprintf(path, sizeof(path), "/proc/%s/task", pid);
	d = found ? NULL : opendir(path);
	while (d && !found && (e = readdir(d)))
		found = e->d_name[0] != '.' && a_child_holds(pid, e->d_name, s);
	if (d)
		closedir(d);
	return found;
}

static bool is_found_below(pid_t root, const struct inodes *s)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	bool found = false;
	while (d && !found && (e = readdir(d)))
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9')
			found = is_below(atoi(e->d_name), root) && has_one(e->d_name, s);
	if (d)
		closedir(d);
	return found;
}

bool listening_is_below(pid_t root, const struct net_address *at)
{
	struct inodes s = {.count = 0};
	char name[16];
	if (at->family == NET_UNIX) {
		read_unix(&s, at);
	} else if (at->type == NET_STREAM) {
		ask_tcp(&s, at->port);
	} else {
		read_udp(&s, "/proc/net/udp", at->port);
		read_udp(&s, "/proc/net/udp6", at->port);
	}
	snprintf(name, sizeof(name), "%d", root);
	return s.count && (holds_below(name, &s) || is_found_below(root, &s));
}
