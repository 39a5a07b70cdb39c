/*
 * abstract_ssh.h: in the place of libssh2, for the abstracted client: each act of a session is one line, answered by one
 * line (abstract-ssh-server.c). What is secret about SSH is left out, its order is not.
 */
#ifndef ABSTRACT_SSH_H
#define ABSTRACT_SSH_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
	int fd;
} LIBSSH2_SESSION;
typedef LIBSSH2_SESSION LIBSSH2_CHANNEL;
enum { LIBSSH2_METHOD_KEX, LIBSSH2_METHOD_COMP_CS };

static LIBSSH2_SESSION abstract_session;

/* 0: the server has said ok. */
static inline int abstract_act(const char *line)
{
	char answer[3];
	ssize_t n = 1;
	if (write(abstract_session.fd, line, strlen(line)) != (ssize_t)strlen(line))
		return -1;
	for (size_t have = 0; have < sizeof(answer) && n > 0; have += (size_t)n)
		n = read(abstract_session.fd, answer + have, sizeof(answer) - have);
	return n > 0 && !memcmp(answer, "ok\n", 3) ? 0 : -1;
}

static inline int libssh2_init(int flags)
{
	return flags;
}
static inline void libssh2_exit(void)
{
}
static inline LIBSSH2_SESSION *libssh2_session_init(void)
{
	return &abstract_session;
}
static inline void libssh2_session_method_pref(LIBSSH2_SESSION *s, int what, const char *list)
{
	(void)s, (void)what, (void)list;
}
static inline int libssh2_session_handshake(LIBSSH2_SESSION *s, int fd)
{
	s->fd = fd;
	return abstract_act("version\n") || abstract_act("keys\n");
}
static inline int libssh2_userauth_password(LIBSSH2_SESSION *s, const char *user, const char *password)
{
	(void)s, (void)user, (void)password;
	return abstract_act("login\n");
}
static inline LIBSSH2_CHANNEL *libssh2_channel_open_session(LIBSSH2_SESSION *s)
{
	return abstract_act("channel\n") ? NULL : s;
}
static inline int libssh2_channel_exec(LIBSSH2_CHANNEL *c, const char *command)
{
	(void)c, (void)command;
	return abstract_act("exec\n");
}
static inline long libssh2_channel_write(LIBSSH2_CHANNEL *c, const char *text, size_t n)
{
	(void)c, (void)text, (void)n;
	return abstract_act("data\n");
}
static inline void libssh2_channel_send_eof(LIBSSH2_CHANNEL *c)
{
	(void)c;
	abstract_act("eof\n");
}
static inline void libssh2_channel_wait_eof(LIBSSH2_CHANNEL *c)
{
	(void)c;
}
static inline void libssh2_channel_free(LIBSSH2_CHANNEL *c)
{
	(void)c;
	abstract_act("close\n");
}
static inline void libssh2_session_free(LIBSSH2_SESSION *s)
{
	(void)s;
}

#endif
