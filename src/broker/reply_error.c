/*
 * reply_error.c: answers that say what is wrong, in words.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "broker/broker_priv.h"

int reply_error(struct wire_net *n, int status, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(n->text, sizeof(n->text), format, args);
	va_end(args);
	n->status = status;
	return status;
}

int reply_full(struct wire_net *n)
{
	return reply_error(n, NET_ERROR_FULL,
			   "there is no room for one more connection to a peer (%d at a time, and "
			   "as many as there are descriptors: ulimit -n)",
			   NET_MAX_CONNS);
}

void reply_add_exit(struct broker *b, struct wire_net *n, pid_t pid, int status)
{
	size_t len = strlen(n->text);
	if (WIFSIGNALED(status))
		len += (size_t)snprintf(n->text + len, sizeof(n->text) - len, " (killed by signal %d: %s)",
					WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		len += (size_t)snprintf(n->text + len, sizeof(n->text) - len, " (exit status %d)",
					WEXITSTATUS(status));
	char words[1024] = "";
	if (b->peers.last_words)
		b->peers.last_words(b->peers.self, pid, words, sizeof(words));
	if (words[0] && len < sizeof(n->text))
		snprintf(n->text + len, sizeof(n->text) - len, "; its last words: %s", words);
}

bool broker_interrupted(struct broker *b)
{
	return b->peers.interrupted && b->peers.interrupted(b->peers.self);
}
