/* outcome_net.c: what an outcome says about peers and their recorded communication. */
#include <string.h>

#include "report/outcome.h"

/* Answers that are not sure to be complete. */
static void count_doubts(struct outcome_net *n, const struct trees *t)
{
	struct branch_view b;
	struct mark_view m;
	u32 i, k;

	for (i = 0; i < branches_count(t); i++) {
		branch_get(t, i, &b);
		for (k = 0; k < b.marks; k++) {
			mark_get(t, i, k, &m);
			n->guessed += !!(m.flags & NET_GUESSED);
			n->timed += !!(m.flags & NET_TIMED);
		}
	}
}

int outcome_set_net(struct outcome *o, const void *trees, u64 len, const struct net_config *config)
{
	struct outcome_net *n = &o->net;
	struct trees *t;

	if (!trees)
		return 0;
	n->used = true;
	n->config = *config;
	/* The copy is what is looked at; the original is only read. */
	if (trees_blob_copy((void *)trees, len, &n->trees))
		return -1;
	t = trees_blob_trees(&n->trees);
	n->cache = *trees_stats(t);
	count_doubts(n, t);
	return 0;
}

const char *outcome_peer_assumption(const struct outcome *o)
{
	if (!o->net.used)
		return "";
	if (!o->net.config.live)
		return "relative to the recorded trees: what the peers said then, they are taken to say "
		       "always";
	return "relative to what the peers were seen to answer: the same bytes on a connection get the same "
	       "answer, whatever "
	       "happens on others";
}
