/*
 * criu.c: the backend that has the criu command write a peer to disk, with all processes that it consists of.
 * The peer runs as it is, without the shim: nothing is noticed of it, and its clock is the real one.
 *
 *   heddle                        warden
 *     criu dump                     keeper ── the peer: a tree of processes
 *     "criu restore …" ── FIFO ──▶         └─ a shell that waits for commands
 *
 * What is brought back has to be below the keeper, which ends it in the end: so a shell that the peer's own
 * command leaves there starts criu. Processes have the numbers they had. Both ends of each connection are put
 * up again as they were (tcp_end.h): ours first, or the kernel would tell the peer that nobody is there.
 *
 * Files that the peer has written are not put back. A peer that has one open, or has left one where its
 * {path:NAME} are, is refused; others are not seen. Hence nobody gets criu who has not asked for it.
 */
#include "checkpoint/criu.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "checkpoint/checkpoint_priv.h"
#include "checkpoint/process_tree.h"
#include "checkpoint/tcp_end.h"

#define VERSION_MIN 401 /* 4.1: older ones don't know [vvar_vclock] */
#define PATIENCE_MS 20000u
#define OPTIONS "--tcp-established --network-lock skip --shell-job --file-locks"

struct saved_image {
	char folder[300];
	pid_t root;
	struct tcp_end end[];
};

/* The last line of what a command says; its status. */
static int last_line(const char *command, char *out, size_t cap)
{
	char line[200];
	out[0] = 0;
	FILE *f = popen(command, "re");
	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		snprintf(out, cap, "%s", line);
	}
	return f ? pclose(f) : -1;
}

/* "Version: 4.2" → 402; 0: there is none. */
static int version(void)
{
	char line[200];
	int major = 0, minor = 0;
	last_line("criu --version 2>/dev/null | grep ^Version", line, sizeof(line));
	return sscanf(line, "Version: %d.%d", &major, &minor) >= 1 ? major * 100 + minor : 0;
}

/* Asked once; `criu check` takes a tenth of a second. */
static bool probe(char *why, size_t cap)
{
	static int known = -1;
	static char text[300];
	if (known < 0) {
		char last[200];
		int v = version();
		known = 0;
		if (!v)
			snprintf(text, sizeof(text), "criu is not installed");
		else if (v < VERSION_MIN)
			snprintf(text, sizeof(text),
				 "criu %d.%d is installed, and 4.1 is the oldest that will do", v / 100,
				 v % 100);
		else if (last_line("criu check 2>&1", last, sizeof(last)) != 0)
			snprintf(text, sizeof(text), "criu check says: %s", last);
		else
			known = 1;
	}
	snprintf(why, cap, "%s", text);
	return known;
}

/* ---- the shell below the keeper ---- */

char *criu_wrap(const char *folder)
{
	char *text = NULL;
	if (asprintf(&text,
		     "mkfifo '%s'/$PPID && exec 9<&0 && (sh -c 'echo $$ >\"$0.pid\"; exec 8<>\"$0\"; while "
		     "read -r c <&8; do "
		     "eval \"$c\"; done' '%s'/$PPID <&9 9<&- >/dev/null 2>&1 &); exec 9<&-\n",
		     folder, folder) < 0)
		return NULL;
	return text;
}

static void path_of(const struct checkpoints *s, pid_t keeper, const char *what, char *out, size_t cap)
{
	snprintf(out, cap, "%s/%d%s", s->folder, keeper, what);
}

static pid_t helper_of(const struct checkpoints *s, pid_t keeper)
{
	char path[300];
	int pid = 0;
	path_of(s, keeper, ".pid", path, sizeof(path));
	FILE *f = fopen(path, "re");
	if (f && fscanf(f, "%d", &pid) != 1)
		pid = 0;
	if (f)
		fclose(f);
	return pid;
}

static u64 now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000 + (u64)t.tv_nsec / 1000000;
}

static void nap(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
}

/* Have it run a command; its status, or -errno. */
static int ask_helper(const struct checkpoints *s, pid_t keeper, const char *command)
{
	char fifo[300], done[300], line[1200];
	int status = -1;
	path_of(s, keeper, "", fifo, sizeof(fifo));
	path_of(s, keeper, ".done", done, sizeof(done));
	unlink(done);
	int n = snprintf(line, sizeof(line), "%s; echo $? >'%s.new'; mv '%s.new' '%s'\n", command, done, done,
			 done);
	u64 end = now_ms() + PATIENCE_MS;
	int fd;
	while ((fd = open(fifo, O_WRONLY | O_NONBLOCK | O_CLOEXEC)) < 0 && errno == ENXIO && now_ms() < end)
		nap(); /* it has not come back to its pipe */
	if (fd < 0 || write(fd, line, (size_t)n) != n) {
		if (fd >= 0)
			close(fd);
		return -EIO;
	}
	close(fd);
	FILE *f = NULL;
	while (!(f = fopen(done, "re")) && now_ms() < end)
		nap();
	if (!f)
		return -ETIMEDOUT;
	if (fscanf(f, "%d", &status) != 1)
		status = -EIO;
	fclose(f);
	return status;
}

void criu_forget(const struct checkpoints *s, struct saved_peer *t)
{
	char path[300];
	for (u32 i = 0; i < t->ends; i++)
		close(t->end[i]);
	free(t->end);
	t->end = NULL;
	t->ends = 0;
	pid_t helper = s->folder[0] ? helper_of(s, t->pid) : 0;
	if (helper > 0 && tree_parent(helper) == t->pid)
		kill(helper, SIGKILL); /* or nothing would show that the peer has ended */
	if (s->folder[0]) {
		path_of(s, t->pid, "", path, sizeof(path));
		unlink(path);
	}
}

/* ---- what it can hold ---- */

/* The first process of the peer: below the keeper, or brought back by the helper. 0: none, or two. */
static pid_t root_of(const struct checkpoints *s, pid_t keeper)
{
	pid_t found[3], helper = helper_of(s, keeper), root = 0;
	u32 n = tree_children(keeper, found, 3);
	for (u32 i = 0; i < n; i++) {
		if (found[i] == helper)
			continue;
		if (root)
			return 0;
		root = found[i];
	}
	if (!root && tree_children(helper, found, 3) == 1)
		root = found[0];
	return root;
}

static bool fits(struct checkpoints *s, struct saved_peer *t, char *why, size_t cap)
{
	if (t->shim)
		snprintf(why, cap, "the shim is in it; --checkpoint-backend criu starts it without");
	else if (!s->folder[0] || helper_of(s, t->pid) <= 0)
		snprintf(why, cap, "only when it is asked for (--checkpoint-backend criu)");
	else if (!(t->root = root_of(s, t->pid)))
		snprintf(why, cap, "its processes are not one tree: it has gone into the background");
	else
		snprintf(why, cap, "criu holds all its processes");
	return t->root != 0;
}

pid_t criu_process(const struct saved_peer *t)
{
	return t->root;
}

/* ---- saving ---- */

/* The line of the log that says what went wrong. */
static void tell_error(const char *folder, const char *log, char *out, size_t cap)
{
	char path[400], line[300];
	snprintf(path, sizeof(path), "%s/%s", folder, log);
	snprintf(out, cap, "nothing in its log");
	FILE *f = fopen(path, "re");
	for (bool first = true; f && fgets(line, sizeof(line), f);) {
		const char *error = strstr(line, "Error (");
		if (!error || !first || strstr(error, "RLIMIT_NOFILE for self")) /* which is no error */
			continue;
		first = false;
		line[strcspn(line, "\n")] = 0;
		snprintf(out, cap, "%s", error);
	}
	if (f)
		fclose(f);
}

static void remove_image(const char *folder, u64 *bytes)
{
	char path[600];
	struct stat st;
	DIR *d = opendir(folder);
	for (struct dirent *e; d && (e = readdir(d));) {
		snprintf(path, sizeof(path), "%s/%.200s", folder, e->d_name);
		if (e->d_name[0] == '.' || stat(path, &st))
			continue;
		if (bytes)
			*bytes += (u64)st.st_size;
		else
			unlink(path);
	}
	if (d)
		closedir(d);
	if (!bytes)
		rmdir(folder);
}

static int refuse(struct problem *p, const char *why)
{
	problem_set(p, "criu: %s", why);
	return -EOPNOTSUPP;
}

static int dump(const struct saved_image *g, struct problem *p)
{
	char command[600], said[200], why[300];
	snprintf(command, sizeof(command),
		 "criu dump -t %d -D '%s' --leave-running " OPTIONS " -v1 -o dump.log 2>&1", g->root,
		 g->folder);
	int status = last_line(command, said, sizeof(said));
	if (status == 0)
		return 0;
	tell_error(g->folder, "dump.log", why, sizeof(why));
	return refuse(p, why);
}

static void keep_ends(struct saved_peer *t, const int *fd, u32 n)
{
	int *more = realloc(t->end, (t->ends + n + 1) * sizeof(*more));
	hd_assert(more != NULL);
	t->end = more;
	for (u32 i = 0; i < n; i++)
		if ((more[t->ends] = fcntl(fd[i], F_DUPFD_CLOEXEC, 0)) >= 0)
			t->ends++;
}

/* Has it left a file where {path:NAME} are? */
static bool has_files(const char *folder, char *file, size_t cap)
{
	struct stat st;
	bool found = false;
	DIR *d = folder[0] ? opendir(folder) : NULL;
	for (struct dirent *e; d && !found && (e = readdir(d));) {
		snprintf(file, cap, "%s/%.200s", folder, e->d_name);
		found = lstat(file, &st) == 0 && S_ISREG(st.st_mode);
	}
	if (d)
		closedir(d);
	return found;
}

static int save(struct checkpoints *s, struct saved_peer *t, const int *fd, u32 n, struct saved *out,
		struct problem *p)
{
	const char *why = NULL;
	char file[4096];
	struct saved_image *g = calloc(1, sizeof(*g) + n * sizeof(g->end[0]));
	int r = 0;
	if (!g) {
		problem_set(p, "out of memory");
		return -ENOMEM;
	}
	g->root = t->root;
	snprintf(g->folder, sizeof(g->folder), "%s/image-%llu", s->folder,
		 (unsigned long long)s->last_id + 1);
	if (tree_writes(t->root, file, sizeof(file)) ||
	    (s->peers && has_files(peers_folder(s->peers), file, sizeof(file)))) {
		problem_set(p, "criu: it writes to %.200s, and files are not put back", file);
		r = -EOPNOTSUPP;
	}
	for (u32 i = 0; i < n && !r; i++)
		if (!tcp_end_record(fd[i], &g->end[i], &why))
			r = refuse(p, why);
	if (!r && mkdir(g->folder, 0700)) {
		problem_set(p, "criu: %s: %s", g->folder, strerror(errno));
		r = -ENOSPC;
	} else if (!r && (r = dump(g, p))) {
		remove_image(g->folder, NULL);
	}
	if (r) {
		free(g);
		return r;
	}
	keep_ends(t, fd, n);
	remove_image(g->folder, &out->bytes);
	out->own = g;
	return 0;
}

/* ---- bringing back ---- */

static int make_ends(const struct saved_image *g, int *fd, u32 n)
{
	for (u32 i = 0; i < n; i++) {
		fd[i] = tcp_end_make(&g->end[i]);
		if (fd[i] >= 0)
			continue;
		int error = fd[i];
		while (i-- > 0)
			close(fd[i]);
		return error;
	}
	return 0;
}

static void end_running(const struct checkpoints *s, struct saved_peer *t)
{
	for (u32 i = 0; i < t->ends; i++) {
		tcp_end_silence(t->end[i]);
		close(t->end[i]);
	}
	t->ends = 0;
	tree_kill(t->root);
	u64 end = now_ms() + PATIENCE_MS;
	/* A shell takes the dead away when it waits for a command. */
	while (kill(t->root, 0) == 0 && now_ms() < end)
		if (ask_helper(s, t->pid, "/bin/true"))
			nap();
}

static int restore(struct checkpoints *s, struct saved *v, int *fd, pid_t *now, struct problem *p)
{
	struct saved_peer *t = v->of;
	const struct saved_image *g = v->own;
	char command[600], why[300];
	end_running(s, t);
	int r = make_ends(g, fd, v->connections);
	if (r) {
		problem_set(p, "a connection of a saved peer cannot be put up again (%s)", strerror(-r));
		return -EIO;
	}
	snprintf(command, sizeof(command), "criu restore -d -S -D '%s' " OPTIONS " -v1 -o restore.log 8<&-",
		 g->folder);
	if (ask_helper(s, t->pid, command)) {
		for (u32 i = 0; i < v->connections; i++)
			close(fd[i]);
		tell_error(g->folder, "restore.log", why, sizeof(why));
		problem_set(p, "a saved peer cannot be brought back: criu: %s", why);
		return -EIO;
	}
	keep_ends(t, fd, v->connections);
	if (s->broker) { /* the same numbers, and other processes: all of them are looked at anew */
		broker_watch(s->broker, t->pid, t->root, t->pid);
		broker_watch(s->broker, t->pid, t->pid, t->root);
	}
	*now = t->pid;
	return 0;
}

static void drop(struct checkpoints *s, struct saved *v)
{
	struct saved_image *g = v->own;
	(void)s;
	remove_image(g->folder, NULL);
	free(g);
}

const struct checkpoint_backend backend_criu = {.name = "criu",
						.probe = probe,
						.fits = fits,
						.save = save,
						.restore = restore,
						.drop = drop,
						.anywhere = true};
