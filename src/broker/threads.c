/*
 * threads.c: the processes and threads of a peer. A process belongs to it if it is a root, a child of one of
 * its threads, or was such once: a daemon that has left its parent is still part of the peer.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "broker/quiet_priv.h"

static const char *const names[THREAD_FILES] = {"syscall", "schedstat", "stat", "children"};

static int thread_open(const struct quiet_thread *t, enum thread_file which)
{
	char path[80];
	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", t->pid, t->tid, names[which]);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/*
 * A peer of a thousand threads must not use up our descriptors: what would be a high number is closed again.
 */
static int keep_low(int fd)
{
	struct rlimit limit;
	if (fd < 0 || (getrlimit(RLIMIT_NOFILE, &limit) == 0 && (rlim_t)fd < limit.rlim_cur / 2))
		return fd;
	close(fd);
	return -1;
}

int thread_read(const struct quiet_thread *t, enum thread_file which, char *out, size_t cap)
{
	int fd = t->fd[which] >= 0 ? t->fd[which] : thread_open(t, which);
	ssize_t n = fd < 0 ? -1 : pread(fd, out, cap - 1, 0);
	int error = errno;
	if (fd >= 0 && fd != t->fd[which])
		close(fd);
	if (n < 0)
		return -error;
	out[n] = 0;
	return (int)n;
}

u64 thread_runs(const struct quiet_thread *t)
{
	char line[96];
	return thread_read(t, THREAD_RUNS, line, sizeof(line)) < 0 ? ~0ull : wait_runs(line);
}

/* "PID (name) S …"; the name may hold anything. */
char thread_state(struct quiet_thread *t)
{
	char line[512], *name, *end;
	t->name[0] = 0;
	if (thread_read(t, THREAD_STATE, line, sizeof(line)) <= 0)
		return 0;
	name = strchr(line, '(');
	end = strrchr(line, ')');
	if (name && end > name)
		snprintf(t->name, sizeof(t->name), "%.*s", (int)(end - name - 1), name + 1);
	return wait_state(line);
}

/* Reading a pipe or a socket is waiting; reading a disk is work. */
static bool is_on_disk(pid_t pid, int fd)
{
	char path[64];
	struct stat st;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
	return stat(path, &st) || S_ISREG(st.st_mode) || S_ISBLK(st.st_mode) || S_ISDIR(st.st_mode);
}

void thread_look(struct quiet_thread *t)
{
	char line[256];
	int n = thread_read(t, THREAD_SYSCALL, line, sizeof(line));
	if (n < 0) {
		t->wait = (struct wait){.kind = n == -ESRCH || n == -ENOENT ? WAIT_DEAD : WAIT_RUNS,
					.call = -1};
		return;
	}
	wait_parse(line, &t->wait);
	if (t->wait.kind == WAIT_FILE)
		t->wait.kind = is_on_disk(t->pid, (int)t->wait.arg[0]) ? WAIT_RUNS : WAIT_INPUT;
}

static void thread_close(struct quiet_thread *t)
{
	for (int i = 0; i < THREAD_FILES; i++)
		if (t->fd[i] >= 0)
			close(t->fd[i]);
}

static void *grown(void *list, u32 n, size_t size)
{
	void *bigger = n & (n - 1) ? list : realloc(list, (n ? 2 * (size_t)n : 1) * size);
	hd_assert(bigger != NULL);
	return bigger;
}

static struct quiet_thread *thread_find(struct quiet_peer *q, pid_t pid, pid_t tid)
{
	for (u32 i = 0; i < q->threads; i++)
		if (q->thread[i].tid == tid && q->thread[i].pid == pid)
			return &q->thread[i];
	return NULL;
}

static struct quiet_thread *thread_add(struct quiet_peer *q, pid_t pid, pid_t tid)
{
	q->thread = grown(q->thread, q->threads, sizeof(*q->thread));
	struct quiet_thread *t = &q->thread[q->threads++];
	*t = (struct quiet_thread){.pid = pid, .tid = tid};
	for (int i = 0; i < THREAD_FILES; i++)
		t->fd[i] = keep_low(thread_open(t, (enum thread_file)i));
	return t;
}

static struct quiet_process *process_find(struct quiet_peer *q, pid_t pid)
{
	for (u32 i = 0; i < q->processes; i++)
		if (q->process[i].pid == pid)
			return &q->process[i];
	return NULL;
}

static bool process_add(struct quiet_peer *q, pid_t pid)
{
	char path[48];
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		q->blind |= errno != ENOENT && errno != ESRCH;
		return false;
	}
	q->process = grown(q->process, q->processes, sizeof(*q->process));
	q->process[q->processes++] = (struct quiet_process){.pid = pid, .task = fd};
	return true;
}

static void process_visit(struct quiet_peer *q, pid_t pid, bool *same);

/* A thread with more children than fit makes the peer unknown, not smaller. */
static void visit_children(struct quiet_peer *q, const struct quiet_thread *t, bool *same)
{
	char text[8192], *s = text, *end;
	int n = thread_read(t, THREAD_CHILDREN, text, sizeof(text));
	long child;
	q->blind |= n == (int)sizeof(text) - 1;
	for (; n > 0; s = end) {
		child = strtol(s, &end, 10);
		if (end == s)
			break;
		process_visit(q, (pid_t)child, same);
	}
}

static void thread_visit(struct quiet_peer *q, pid_t pid, pid_t tid, bool *same)
{
	struct quiet_thread *t = thread_find(q, pid, tid), copy;
	if (!t) {
		t = thread_add(q, pid, tid);
		*same = false;
	}
	t->seen = true;
	copy = *t; /* the list may move while its children are visited */
	visit_children(q, &copy, same);
}

static void visit_threads(struct quiet_peer *q, pid_t pid, int task, bool *same)
{
	char buffer[4096] __attribute__((aligned(8)));
	struct dirent64 *e;
	long n;
	lseek(task, 0, SEEK_SET);
	while ((n = syscall(SYS_getdents64, task, buffer, sizeof(buffer))) > 0)
		for (long at = 0; at < n; at += e->d_reclen) {
			e = (struct dirent64 *)(void *)(buffer + at);
			if (e->d_name[0] != '.')
				thread_visit(q, pid, (pid_t)atoi(e->d_name), same);
		}
}

static void process_visit(struct quiet_peer *q, pid_t pid, bool *same)
{
	struct quiet_process *p = process_find(q, pid);
	if (p && p->seen)
		return;
	if (!p) {
		*same = false;
		if (!process_add(q, pid))
			return;
		p = &q->process[q->processes - 1];
	}
	p->seen = true;
	visit_threads(q, pid, p->task, same);
}

/* Threads and processes that were not met any more have ended. */
static void drop_unseen(struct quiet_peer *q, bool *same)
{
	u32 kept = 0;
	for (u32 i = 0; i < q->threads; i++)
		if (q->thread[i].seen)
			q->thread[kept++] = q->thread[i];
		else
			thread_close(&q->thread[i]);
	*same = *same && kept == q->threads;
	q->threads = kept;
}

/* A process without threads is gone; its number may be given to another one, its folder is not. */
static void drop_dead(struct quiet_peer *q)
{
	u32 k, kept = 0;
	for (u32 i = 0; i < q->processes; i++) {
		for (k = 0; k < q->threads && q->thread[k].pid != q->process[i].pid; k++)
			;
		if (k < q->threads)
			q->process[kept++] = q->process[i];
		else
			close(q->process[i].task);
	}
	q->processes = kept;
}

bool threads_enumerate(struct quiet_peer *q)
{
	bool same = true;
	u32 known = q->processes;
	q->blind = false;
	for (u32 i = 0; i < q->threads; i++)
		q->thread[i].seen = false;
	for (u32 i = 0; i < q->processes; i++)
		q->process[i].seen = false;
	for (u32 i = 0; i < q->roots_n; i++)
		if (q->roots[i])
			process_visit(q, q->roots[i], &same);
	for (u32 i = 0; i < known; i++)
		process_visit(q, q->process[i].pid, &same);
	drop_unseen(q, &same);
	drop_dead(q);
	for (u32 i = 0; i < q->roots_n; i++)
		if (q->roots[i] && !process_find(q, q->roots[i]) && kill(q->roots[i], 0) && errno == ESRCH)
			q->roots[i] = 0; /* gone for good: its number may come again */
	return same && !q->blind;
}

void threads_free(struct quiet_peer *q)
{
	for (u32 i = 0; i < q->threads; i++)
		thread_close(&q->thread[i]);
	for (u32 i = 0; i < q->processes; i++)
		close(q->process[i].task);
	free(q->thread);
	free(q->process);
	free(q->roots);
	free(q->place);
}
