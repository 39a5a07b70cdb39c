/*
 * sut_start.c: from nothing to a program that stands at its first instruction with everything constant that
 * the kernel would vary, and is then let go.
 *
 * Between fork and exec the child only makes system calls; when one fails it sends (which one, errno)
 * through a close-on-exec pipe. The parent learns of success by the pipe's end of file.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/prctl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/atomic_sites.h"
#include "launch/environment.h"
#include "launch/initial_stack.h"
#include "launch/loading.h"
#include "launch/sut.h"

#define ERROR_FD (WIRE_PRINTS_FD + 1)
#define STACK_BYTES (8UL << 20)

struct child {
	const struct launch *launch;
	char **env;
	int shared_fd, worker_fd, team_fd, log_fd, bell, error_fd; /* team_fd: -1, if there is none */
	u32 number;
	pid_t parent;
};

/* Steps of the child that can fail, with what to say then. */
enum child_step {
	STEP_DESCRIPTORS,
	STEP_LIMITS,
	STEP_PERSONALITY,
	STEP_LOADING,
	STEP_TRACE,
	STEP_CWD,
	STEP_EXEC,
};
static const char *const step_failed[] = {
	[STEP_DESCRIPTORS] = "descriptor 1000 cannot be opened; raise ulimit -n above 1007",
	[STEP_LIMITS] = "the stack limit cannot be set to 8 MiB; raise the hard limit (ulimit -Hs)",
	[STEP_PERSONALITY] =
		"address randomisation cannot be turned off; allow personality(), in a container with "
		"--security-opt seccomp=unconfined",
	[STEP_LOADING] =
		"rdtsc cannot be forbidden; allow prctl() and sched_setaffinity(), in a container with "
		"--security-opt seccomp=unconfined",
	[STEP_TRACE] =
		"the program cannot be traced; allow ptrace(), in a container with --cap-add SYS_PTRACE "
		"or --security-opt seccomp=unconfined",
	[STEP_CWD] = "the working directory of the recorded run cannot be entered",
	[STEP_EXEC] = "the program cannot be executed",
};

struct child_failure {
	int step, error;
};

HD_NORETURN static void child_tell(int fd, enum child_step step)
{
	struct child_failure f = {step, errno};
	ssize_t n = write(fd, &f, sizeof(f));

	_exit(n == (ssize_t)sizeof(f) ? 126 : 127);
}

HD_NORETURN static void child_give_up(enum child_step step)
{
	child_tell(ERROR_FD, step);
}

static void child_reset_signals(void)
{
	sigset_t none;

	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* from: -1, if there is none. */
static void child_move(int from, int to)
{
	if (from < 0)
		close(to);
	else if (dup2(from, to) < 0)
		child_give_up(STEP_DESCRIPTORS);
}

/*
 * 0 /dev/null, 1 and 2 the log, 1000 the shared part, 1001 the worker's, 1002 the bell, 1003 the memory of
 * several workers, 1004 and 1005 what a script needs, if there are; 1006 the error pipe, until exec.
 */
static void child_descriptors(const struct child *c)
{
	struct rlimit files;
	int null = open("/dev/null", O_RDONLY);

	if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur <= ERROR_FD) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	if (dup2(c->error_fd, ERROR_FD) < 0)
		child_tell(c->error_fd, STEP_DESCRIPTORS);
	if (null < 0 || dup2(null, 0) < 0 || dup2(c->log_fd, 1) < 0 || dup2(c->log_fd, 2) < 0)
		child_give_up(STEP_DESCRIPTORS);
	if (dup2(c->shared_fd, WIRE_FD) < 0 || dup2(c->worker_fd, WIRE_WORKER_FD) < 0 ||
	    dup2(c->bell, WIRE_BELL_FD) < 0 || fcntl(ERROR_FD, F_SETFD, FD_CLOEXEC))
		child_give_up(STEP_DESCRIPTORS);
	child_move(c->team_fd, WIRE_TEAM_FD);
	child_move(c->launch->tape ? c->launch->tape : -1, WIRE_TAPE_FD);
	child_move(c->launch->prints ? c->launch->prints : -1, WIRE_PRINTS_FD);
	if (close_range(3, WIRE_FD - 1, 0) || close_range(ERROR_FD + 1, ~0u, 0))
		child_give_up(STEP_DESCRIPTORS);
}

static void child_limits(void)
{
	struct rlimit stack, core = {0, 0};

	/* The size of the stack decides where the kernel puts mappings. */
	if (getrlimit(RLIMIT_STACK, &stack))
		child_give_up(STEP_LIMITS);
	stack.rlim_cur = STACK_BYTES;
	if (setrlimit(RLIMIT_STACK, &stack) || setrlimit(RLIMIT_CORE, &core))
		child_give_up(STEP_LIMITS);
}

HD_NORETURN static void child_run(const struct child *c)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != c->parent)
		_exit(127);
	setpgid(0, 0);
	child_reset_signals();
	child_descriptors(c);
	child_limits();
	if (c->launch->cwd && chdir(c->launch->cwd))
		child_give_up(STEP_CWD);
	if (personality(ADDR_NO_RANDOMIZE) < 0)
		child_give_up(STEP_PERSONALITY);
	if (!loading_prepare())
		child_give_up(STEP_LOADING);
	/*
	 * gdb will not be an ancestor of ours, which Yama asks for otherwise; without Yama this fails,
	 * harmlessly.
	 */
	if (c->launch->task.gdb)
		prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		child_give_up(STEP_TRACE);
	execve(c->launch->program->path, c->launch->argv, c->env);
	child_give_up(STEP_EXEC);
}

static void worker_fill(struct wire_worker *w, const struct launch *l, u32 number)
{
	w->number = number;
	w->task = l->task;
	w->task.path_offset = 0;
	if (l->path) {
		w->task.path_offset = WIRE_ARENA;
		w->arena_used = HD_ROUND_UP(l->task.path_len * sizeof(u32), 64);
		memcpy((char *)w + WIRE_ARENA, l->path, l->task.path_len * sizeof(u32));
	}
}

static pid_t wait_for(pid_t pid, int *status)
{
	pid_t got;

	do
		got = waitpid(pid, status, 0);
	while (got < 0 && errno == EINTR);
	return got;
}

/* Most often a library is missing, and ld.so has said which. */
static int not_loaded(const struct sut *s, const struct launch *l, struct problem *p)
{
	char words[512];

	sut_last_words(s, words, sizeof(words));
	return problem_set(p, "%s ended while it was being loaded%s%s", l->program->path,
			   words[0] ? ": " : "", words);
}

/* From the fork to the moment the program runs free. */
static int hold_and_release(struct sut *s, int error_fd, const struct child *c, struct problem *p)
{
	const struct launch *l = c->launch;
	struct child_failure f;
	u64 entry;

	if (read(error_fd, &f, sizeof(f)) == (ssize_t)sizeof(f))
		return problem_set(p, "%s: %s (%s)", l->program->path, step_failed[f.step],
				   strerror(f.error));
	if (wait_for(s->pid, &s->status) != s->pid || !WIFSTOPPED(s->status))
		return problem_set(p, "%s did not come to its first instruction", l->program->path);
	if (initial_stack_pin(s->pid, &entry, p))
		return -1;
	if (loading_run(s->pid, entry, l->config.search.max_time_ms, &s->status, p)) {
		s->ended = !p->text[0];
		return s->ended ? not_loaded(s, l, p) : -1;
	}
	/* They lie at the same addresses in every worker. */
	if (c->number == 0 && atomics_find(s->pid, &s->shared->atomics, p))
		return -1;
	if (ptrace(PTRACE_DETACH, s->pid, NULL, NULL))
		return problem_set(p, "the program cannot be let go (%s)", strerror(errno));
	return 0;
}

static int spawn(struct sut *s, struct child *c, struct problem *p)
{
	int pipe_fd[2], ret;

	if (pipe2(pipe_fd, O_CLOEXEC))
		return problem_set(p, "no pipe (%s); raise ulimit -n", strerror(errno));
	c->error_fd = pipe_fd[1];
	c->parent = getpid();
	s->pid = fork();
	if (s->pid == 0)
		child_run(c);
	close(pipe_fd[1]);
	if (s->pid < 0) {
		close(pipe_fd[0]);
		s->pid = 0;
		return problem_set(p, "no new process (%s)", strerror(errno));
	}
	ret = hold_and_release(s, pipe_fd[0], c, p);
	close(pipe_fd[0]);
	if (ret == 0) {
		s->pidfd = (int)syscall(SYS_pidfd_open, s->pid, 0);
		if (s->pidfd < 0)
			ret = problem_set(p, "no pidfd (%s); heddle needs Linux 5.11 or newer",
					  strerror(errno));
	}
	if (ret && !s->ended) {
		kill(s->pid, SIGKILL);
		wait_for(s->pid, &s->status);
	}
	if (ret)
		s->pid = 0;
	return ret;
}

bool sut_kernel_dispatches(void)
{
	return prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF, 0, 0, 0) == 0;
}

static int start_with(struct sut *s, struct child *c, struct problem *p)
{
	void *memory;

	c->worker_fd = memory_file_create("heddle-worker", WIRE_WORKER_SIZE, &memory, p);
	if (c->worker_fd < 0)
		return -1;
	s->worker = memory;
	worker_fill(s->worker, c->launch, c->number);
	c->log_fd = s->log_fd = memfd_create("heddle-log", MFD_CLOEXEC);
	c->bell = s->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (c->log_fd < 0 || c->bell < 0) {
		problem_set(p, "no memory file or event (%s)", strerror(errno));
	} else {
		fcntl(c->log_fd, F_SETFL, O_APPEND);
		if (spawn(s, c, p) == 0) {
			close(c->worker_fd);
			return 0;
		}
	}
	if (c->log_fd >= 0)
		close(c->log_fd);
	if (c->bell >= 0)
		close(c->bell);
	close(c->worker_fd);
	munmap(s->worker, WIRE_WORKER_SIZE);
	return -1;
}

int sut_start(struct sut *s, const struct launch *l, const struct shared_part *part, u32 number,
	      struct problem *p)
{
	struct child c = {.launch = l, .number = number};
	int ret;

	memset(s, 0, sizeof(*s));
	if (!sut_kernel_dispatches())
		return problem_set(
			p, "this kernel has no Syscall User Dispatch; heddle needs Linux 5.11 or newer");
	if (l->task.path_len > WIRE_MAX_PATH)
		return problem_set(p, "the path of %lu steps is too long to be replayed", l->task.path_len);
	if (!part && shared_part_create(&s->own, l, 1, p))
		return -1;
	if (!part)
		part = &s->own;
	s->shared = part->wire;
	c.shared_fd = part->fd;
	c.team_fd = part->team_fd;
	c.env = environment_build(environ, l->extra, part->wire->config.runtime_path, l->program->openmp);
	if (!c.env) {
		shared_part_free(&s->own);
		return problem_set(p, "out of memory");
	}
	s->environment = environment_hash(c.env);
	ret = start_with(s, &c, p);
	environment_free(c.env);
	if (ret) {
		shared_part_free(&s->own);
		s->shared = NULL;
	}
	return ret;
}
