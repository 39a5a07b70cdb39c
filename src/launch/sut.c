#include "launch/sut.h"

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* How often a process that waits for an event is looked at for its death. */
#define GLANCE_MS 20

static long futex(u32 *word, int op, u32 value, const struct timespec *timeout)
{
	return syscall(SYS_futex, word, op, value, timeout, NULL, 0);
}

static enum sut_news look(struct sut *s)
{
	int status;
	pid_t got;

	if (s->ended)
		return SUT_ENDED;
	got = wait4(s->pid, &status, WNOHANG | WUNTRACED, &s->usage);
	if (got != s->pid)
		return SUT_NOTHING;
	s->status = status;
	if (WIFSTOPPED(status))
		return SUT_STOPPED;
	s->ended = true;
	return SUT_ENDED;
}

static bool event_there(const struct sut *s)
{
	return __atomic_load_n(&s->worker->event_seq, __ATOMIC_ACQUIRE) != s->seen;
}

enum sut_news sut_wait_event(struct sut *s, int milliseconds)
{
	const struct timespec glance = {0, GLANCE_MS * 1000000L};
	int left = milliseconds;

	for (;;) {
		enum sut_news news;

		if (event_there(s)) {
			s->seen++;
			return SUT_EVENT;
		}
		news = look(s);
		/* An event may have come just before the end. */
		if (news != SUT_NOTHING && !event_there(s))
			return news;
		if (left <= 0)
			return SUT_NOTHING;
		if (futex(&s->worker->event_seq, FUTEX_WAIT, s->seen, &glance) && errno == EINTR)
			return SUT_NOTHING;
		left -= GLANCE_MS;
	}
}

enum sut_news sut_look(struct sut *s)
{
	enum sut_news news = look(s);
	u64 rings;

	if (news != SUT_NOTHING)
		return news;
	if (read(s->bell, &rings, sizeof(rings)) > 0 &&
	    __atomic_load_n(&s->worker->net.request, __ATOMIC_ACQUIRE) != s->worker->net.reply)
		return SUT_REQUEST;
	return SUT_NOTHING;
}

enum sut_news sut_wait_end(struct sut *s, int milliseconds)
{
	struct pollfd fd[2] = {{s->pidfd, POLLIN, 0}, {s->bell, POLLIN, 0}};
	enum sut_news news = sut_look(s);

	if (news != SUT_NOTHING || poll(fd, 2, milliseconds) < 0)
		return news;
	return sut_look(s);
}

void sut_answer(struct sut *s)
{
	__atomic_store_n(&s->worker->net.reply, s->worker->net.request, __ATOMIC_RELEASE);
	futex(&s->worker->net.reply, FUTEX_WAKE, 1, NULL);
}

void sut_acknowledge(struct sut *s)
{
	__atomic_store_n(&s->worker->ack_seq, s->seen, __ATOMIC_RELEASE);
	futex(&s->worker->ack_seq, FUTEX_WAKE, 1, NULL);
}

void sut_ask_to_stop(struct sut *s)
{
	__atomic_store_n(&s->shared->stop, 1, __ATOMIC_RELEASE);
}

void sut_end(struct sut *s)
{
	if (s->pid && !s->ended) {
		kill(s->pid, SIGKILL);
		while (wait4(s->pid, &s->status, 0, &s->usage) < 0 && errno == EINTR)
			;
		s->ended = true;
	}
	if (s->pid) {
		close(s->pidfd);
		close(s->log_fd);
		close(s->bell);
		munmap(s->worker, WIRE_WORKER_SIZE);
	}
	shared_part_free(&s->own);
	s->pid = 0;
	s->shared = NULL;
	s->worker = NULL;
}

void *sut_trees(const struct sut *s)
{
	return (char *)s->shared + WIRE_TREES;
}

const u32 *sut_path(const struct sut *s, u64 offset, u64 len)
{
	if (offset < WIRE_ARENA || offset > WIRE_WORKER_SIZE || offset % sizeof(u32))
		return NULL;
	if (len > (WIRE_WORKER_SIZE - offset) / sizeof(u32))
		return NULL;
	return (const u32 *)((const char *)s->worker + offset);
}

void sut_last_words(const struct sut *s, char *out, size_t cap)
{
	off_t size = lseek(s->log_fd, 0, SEEK_END);
	off_t from = size > (off_t)cap - 1 ? size - (off_t)cap + 1 : 0;
	ssize_t n = size > 0 ? pread(s->log_fd, out, cap - 1, from) : 0;
	char *line;

	out[n > 0 ? n : 0] = 0;
	while (n > 0 && out[n - 1] == '\n')
		out[--n] = 0;
	line = strrchr(out, '\n');
	if (line)
		memmove(out, line + 1, strlen(line));
}

void sut_describe_death(const struct sut *s, char *out, size_t cap)
{
	char words[512];
	int n;

	sut_last_words(s, words, sizeof(words));
	if (WIFSIGNALED(s->status))
		n = snprintf(out, cap, "it was killed by signal %d (%s)", WTERMSIG(s->status),
			     strsignal(WTERMSIG(s->status)));
	else
		n = snprintf(out, cap, "it ended with status %d", WEXITSTATUS(s->status));
	if (words[0] && n > 0 && (size_t)n < cap)
		snprintf(out + n, cap - (size_t)n, "; its last words: %s", words);
}
