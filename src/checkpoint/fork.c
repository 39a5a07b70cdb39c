/*
 * fork.c: the backend that has the shim in the peer clone it.
 */
#include <errno.h>
#include <stdio.h>

#include "checkpoint/checkpoint_priv.h"
#include "checkpoint/shim_link_priv.h"

static bool probe(char *why, size_t cap)
{
	char library[4096];
	return shim_works(library, sizeof(library), why, cap);
}

static bool fits(struct checkpoints *s, struct saved_peer *t, char *why, size_t cap)
{
	if (!s->shim)
		snprintf(why, cap, "%s", s->no_shim);
	else if (!t->shim)
		snprintf(why, cap,
			 "the shim is not in it (statically linked, set-user-ID, or its environment is not "
			 "passed on)");
	return t->shim != NULL;
}

const struct checkpoint_backend backend_fork = {
	.name = "fork", .probe = probe, .fits = fits, .anywhere = true};
