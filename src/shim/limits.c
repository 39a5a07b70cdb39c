/*
 * limits.c: a process that bars itself from opening files and from forking (sshd's child for what comes
 * before the login) could not be saved. So the hard limits of these are kept by the kernel as they were, and
 * those that the program has set are remembered and told; the soft ones are in force. While the shim works
 * for the controller it has them lifted.
 */
#include <errno.h>
#include <sys/resource.h>

#include "shim/shim_priv.h"

static const int lifted[] = {RLIMIT_FSIZE, RLIMIT_NOFILE, RLIMIT_NPROC};
static struct own_limit {
	bool set;
	struct rlimit shown;
} own[HD_ARRAY_LEN(lifted)];

static struct own_limit *own_limit(long resource)
{
	for (u32 i = 0; i < HD_ARRAY_LEN(lifted); i++)
		if (lifted[i] == (int)resource)
			return &own[i];
	return NULL;
}

static long ask(long resource, const struct rlimit *set, struct rlimit *was)
{
	return shim_call(SYS_prlimit64, 0, resource, set, was);
}

static void shown(const struct own_limit *l, long resource, struct rlimit *out)
{
	if (l->set)
		*out = l->shown;
	else
		ask(resource, NULL, out);
}

static long set(struct own_limit *l, long resource, const struct rlimit *to)
{
	struct rlimit now = {0}, real = {0};
	shown(l, resource, &now);
	ask(resource, NULL, &real);
	if (to->rlim_cur > to->rlim_max)
		return -EINVAL;
	if (to->rlim_max > now.rlim_max && shim_call(SYS_geteuid, 0) != 0)
		return -EPERM;
	real.rlim_cur = to->rlim_cur;
	real.rlim_max = to->rlim_max > real.rlim_max ? to->rlim_max : real.rlim_max;
	long r = ask(resource, &real, NULL);
	if (!r) {
		l->set = true;
		l->shown = *to;
	}
	return r;
}

bool limit_call(const struct call *c, long *result)
{
	bool both = c->nr == SYS_prlimit64;
	if (!both && c->nr != SYS_setrlimit && c->nr != SYS_getrlimit)
		return false;
	struct own_limit *l = own_limit(c->arg[both ? 1 : 0]);
	if (!l || (both && c->arg[0] && c->arg[0] != shim.pid))
		return false;
	long resource = c->arg[both ? 1 : 0];
	const struct rlimit *to = c->nr == SYS_getrlimit ? NULL : (const struct rlimit *)c->arg[both ? 2 : 1];
	struct rlimit *was = both                     ? (struct rlimit *)c->arg[3]
			     : c->nr == SYS_getrlimit ? (struct rlimit *)c->arg[1]
						      : NULL;
	struct rlimit before = {0}, wanted = {0};
	if (to)
		wanted = *to;
	shown(l, resource, &before);
	*result = to ? set(l, resource, &wanted) : 0;
	if (!*result && was)
		*was = before;
	return true;
}

void limits_lift(bool lift)
{
	for (u32 i = 0; i < HD_ARRAY_LEN(lifted); i++) {
		struct rlimit real = {0};
		if (!own[i].set || ask(lifted[i], NULL, &real))
			continue;
		real.rlim_cur = lift ? real.rlim_max : own[i].shown.rlim_cur;
		ask(lifted[i], &real, NULL);
	}
}
