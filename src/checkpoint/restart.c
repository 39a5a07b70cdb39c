/*
 * restart.c: the backend that saves nothing. The peer is ended and started again, and the caller replays.
 */
#include <errno.h>
#include <stdio.h>

#include "checkpoint/checkpoint_priv.h"

static bool probe(char *why, size_t cap)
{
	(void)why;
	(void)cap;
	return true;
}

static bool fits(struct checkpoints *s, struct saved_peer *t, char *why, size_t cap)
{
	(void)s;
	(void)t;
	snprintf(why, cap, "it is started again, and what was said is replayed");
	return true;
}

/* Nobody has talked to it yet: starting it leads there again. */
static int save(struct checkpoints *s, struct saved_peer *t, const int *fd, u32 n, struct saved *out,
		struct problem *p)
{
	(void)s;
	(void)fd;
	(void)out;
	if (!n)
		return 0;
	problem_set(p, "the peer can only be started again (%s)", t->reason);
	return -EOPNOTSUPP;
}

/* Its new pid takes the place of the old one here, too: what is known about the peer stays. */
static int restore(struct checkpoints *s, struct saved *v, int *fd, pid_t *now, struct problem *p)
{
	(void)fd;
	pid_t pid = peers_restart(s->peers, s->broker, v->of->pid, p);
	if (pid < 0)
		return -EIO;
	if (pid)
		v->of->pid = pid;
	*now = pid;
	return 0;
}

static void drop(struct checkpoints *s, struct saved *v)
{
	(void)s;
	(void)v;
}

const struct checkpoint_backend backend_restart = {
	.name = "restart", .probe = probe, .fits = fits, .save = save, .restore = restore, .drop = drop};
