/*
 * trouble.c: answers in words.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "broker/broker_priv.h"

int trouble(struct wire_net *n, int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(n->text, sizeof(n->text), format, args);
	va_end(args);
	n->status = status;
	return status;
}

void trouble_add_end(struct broker *b, struct wire_net *n, pid_t pid, int status)
{
	char words[1024] = "";
	size_t len = strlen(n->text);

	if (WIFSIGNALED(status))
		len += (size_t)snprintf(n->text + len, sizeof(n->text) - len, " (killed by signal %d: %s)",
					WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		len += (size_t)snprintf(n->text + len, sizeof(n->text) - len, " (exit status %d)",
					WEXITSTATUS(status));
	if (b->peers.last_words)
		b->peers.last_words(b->peers.self, pid, words, sizeof(words));
	if (words[0] && len < sizeof(n->text))
		snprintf(n->text + len, sizeof(n->text) - len, "; its last words: %s", words);
}

bool broker_interrupted(struct broker *b)
{
	return b->peers.interrupted && b->peers.interrupted(b->peers.self);
}

u64 broker_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000 + (u64)t.tv_nsec / 1000000;
}
