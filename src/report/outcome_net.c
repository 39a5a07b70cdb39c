/* outcome_net.c: what an outcome says about peers and their recorded communication. */
#include <stdio.h>
#include <string.h>

#include "report/outcome.h"
#include "report/trees.h"

/* Answers that are not sure to be complete. */
static void count_doubts(struct outcome_net *n, const struct trees *t)
{
	struct branch_view b;
	struct mark_view m;

	for (u32 i = 0; i < branches_count(t); i++) {
		branch_get(t, i, &b);
		for (u32 k = 0; k < b.marks && !tree_is_superseded(t, b.tree); k++) {
			mark_get(t, i, k, &m);
			struct tree_at at = {.branch = i, .ended = m.ended, .written = m.at};
			n->guessed += !!(m.flags & NET_GUESSED);
			n->timed += (m.flags & NET_TIMED) &&
				    !(tree_key_of(t, b.tree)->joint && tree_follow_time(t, &at));
		}
	}
}

static bool was_accepted(const struct trees *t, u32 client)
{
	for (u32 i = 0; t && i < trees_count(t); i++)
		if (tree_key_of(t, i)->client == client)
			return true;
	return false;
}

/* A wrong port in a client's command, say: nobody should take for served who never came. */
static void note_clients(struct outcome *o, const struct trees *t, const struct net_config *config)
{
	u32 all = config->identical_clients ? HD_MIN(config->clients, 1u) : config->clients, never = 0, n;

	if (!config->live || o->end != SEARCH_COMPLETE || o->notes == HD_ARRAY_LEN(o->note))
		return;
	for (n = 1; n <= all; n++)
		never += !was_accepted(t, n);
	if (never && never == all && !o->allow_trivial && (!t || !trees_count(t)))
		snprintf(
			o->trivial_why, sizeof(o->trivial_why),
			"no execution accepts any of the clients given (does the program listen where {port} "
			"or {port:N} in their command says?)");
	if (never)
		snprintf(o->note[o->notes++], sizeof(o->note[0]),
			 "%u of %u clients were never accepted, in any execution; does the program listen "
			 "where "
			 "{port} or {port:N} in their command says?",
			 never, all);
}

/* The same of servers: whichever they are, somebody should have been connected to. */
static void note_servers(struct outcome *o, const struct trees *t, const struct net_config *config)
{
	u32 error;

	if (!config->live || !config->servers || o->end != SEARCH_COMPLETE ||
	    o->notes == HD_ARRAY_LEN(o->note))
		return;
	for (u32 i = 0; t && i < trees_count(t); i++)
		if (!tree_key_of(t, i)->client && tree_refusal(t, i, &error) != 1)
			return;
	snprintf(o->note[o->notes++], sizeof(o->note[0]),
		 "a server was started, and no execution connects to any: does the program get the right "
		 "arguments, and {port:N} its port?");
}

/* Not an error once somebody else was there; but a typing error in one of two ports looks the same. */
static void note_refused(struct outcome *o, const struct trees *t, const struct net_config *config)
{
	char first[200] = "", more[40] = "";
	u32 refused = 0, error;

	for (u32 i = 0; i < trees_count(t); i++) {
		if (tree_key_of(t, i)->to.family == NET_UNIX || tree_key_of(t, i)->client ||
		    tree_refusal(t, i, &error) != 1)
			continue;
		if (!refused++)
			tree_title(tree_key_of(t, i), first, sizeof(first));
	}
	if (!refused || !config->live || config->allow_refused || o->notes == HD_ARRAY_LEN(o->note))
		return;
	if (refused > 1)
		snprintf(more, sizeof(more), " and %u other place%s", refused - 1, refused > 2 ? "s" : "");
	snprintf(o->note[o->notes++], sizeof(o->note[0]),
		 "connections %s%s were refused, as nobody listens there, and the program saw it; is it "
		 "meant? "
		 "--allow-refused says so",
		 first, more);
}

int outcome_set_net(struct outcome *o, const void *trees, u64 len, const struct net_config *config)
{
	struct outcome_net *n = &o->net;
	struct trees *t;

	if (!trees) {
		note_clients(o, NULL, config);
		note_servers(o, NULL, config);
		return 0;
	}
	n->used = true;
	n->config = *config;
	/* The copy is what is looked at; the original is only read. */
	if (trees_blob_copy((void *)trees, len, &n->trees))
		return -1;
	t = trees_blob_trees(&n->trees);
	n->cache = *trees_stats(t);
	count_doubts(n, t);
	note_clients(o, t, config);
	note_servers(o, t, config);
	note_refused(o, t, config);
	return 0;
}

/* start: what it drew at its start counts as well. */
static bool chooses(const struct outcome_peer *p, bool start)
{
	for (u32 i = 0; i < p->acts; i++)
		if (p->act[i].chance || (start && p->act[i].start))
			return true;
	return false;
}

bool outcome_drew_at_start(const struct outcome *o)
{
	for (u32 i = 0; i < SAVER_PEERS && !o->checkpoints.counts.chose; i++)
		if (chooses(&o->checkpoints.server[i], true) || chooses(&o->checkpoints.client[i], true))
			return true;
	return false;
}

const char *outcome_chooser(const struct outcome *o)
{
	static char name[32];

	for (u32 i = 0; i < SAVER_PEERS; i++) {
		bool start = o->checkpoints.start_matters, server = chooses(&o->checkpoints.server[i], start);

		if (!server && !chooses(&o->checkpoints.client[i], start))
			continue;
		snprintf(name, sizeof(name), "%s %u", server ? "server" : "client", i + 1);
		return name;
	}
	return "the peers";
}

const char *outcome_peer_assumption(const struct outcome *o)
{
	if (!o->net.used)
		return "";
	if (!o->net.config.live)
		return "relative to the recorded trees: what the peers said then, they are taken to say "
		       "always";
	if (o->net.shared)
		return "relative to what the peers were seen to answer: servers that are told the same on "
		       "all "
		       "connections, in the same order, answer the same";
	return "relative to what the peers were seen to answer: the same bytes on a connection get the same "
	       "answer, whatever "
	       "happens on others";
}
