#include "report/plain_text.h"
#include "report/trees.h"

static void print_count(FILE *f, u64 n, const char *one, const char *many)
{
	char number[32];

	plain_number(n, number, sizeof(number));
	fprintf(f, ", %s %s", number, n == 1 ? one : many);
}

static void print_traffic(FILE *f, const struct cache_stats *c)
{
	char sent[32], again[32], received[32];

	plain_size(c->bytes_sent, sent, sizeof(sent));
	plain_size(c->bytes_replayed, again, sizeof(again));
	plain_size(c->bytes_received, received, sizeof(received));
	fprintf(f, "  sent %s", sent);
	if (c->bytes_replayed)
		fprintf(f, " (%s of them again)", again);
	fprintf(f, ", received %s", received);
}

static void print_trees(FILE *f, const struct cache_stats *c)
{
	print_count(f, c->trees, "tree", "trees");
	print_count(f, c->branches, "branch", "branches");
	print_count(f, c->nodes, "node", "nodes");
	print_count(f, c->longest, "byte in the longest trace", "bytes in the longest trace");
	putc('\n', f);
}

static void print_faults(FILE *f, const struct net_config *c)
{
	const char *between = "";

	fprintf(f, "  network faults: ");
	for (size_t i = 0; i < NET_FAULT_KINDS; i++) {
		if (!(c->faults >> i & 1))
			continue;
		fprintf(f, "%s%s", between, net_fault_name(i));
		between = ", ";
	}
	if (c->fault_budget)
		fprintf(f, "; at most %u in an execution", c->fault_budget);
	putc('\n', f);
}

static void print_acts(FILE *f, const char *what, u32 number, const struct outcome_peer *p)
{
	const char *between = ": ";

	if (!p->backend[0])
		return;
	fprintf(f, "  %s %u: saved by %s (%s)", what, number, p->backend, p->reason);
	for (u32 i = 0; i < p->acts; i++) {
		fprintf(f, "%s%s %lu×%s", i ? between : "; noticed: ", p->act[i].call, p->act[i].count,
			p->act[i].tamed ? " (made the same in each run)" : "");
		between = ", ";
	}
	putc('\n', f);
}

static void print_checkpoints(FILE *f, const struct outcome *o)
{
	const struct outcome_checkpoints *c = &o->checkpoints;

	if (c->counts.taken || c->counts.chose)
		fprintf(f,
			"  checkpoints (%s): %lu taken, %lu restored, %lu dropped, %lu at a time; %lu peers "
			"started "
			"again, %lu requests replayed\n",
			net_checkpoint_name(o->net.config.checkpoint), c->counts.taken, c->counts.restored,
			c->counts.dropped, c->counts.peak, c->counts.restarted, c->counts.replayed);
	if (c->counts.restored && c->counts.starts && c->counts.requests)
		fprintf(f,
			"  on average a restore took %.2f ms, a start %.2f ms, a request %.2f ms; %lu times "
			"starting again was cheaper than restoring\n",
			(double)c->counts.restore_ns / 1e6 / (double)c->counts.restored,
			(double)c->counts.start_ns / 1e6 / (double)c->counts.starts,
			(double)c->counts.request_ns / 1e6 / (double)c->counts.requests, c->counts.cheaper);
	for (u32 i = 0; i < SAVER_PEERS && (c->counts.taken || c->counts.chose); i++) {
		print_acts(f, "server", i + 1, &c->server[i]);
		print_acts(f, "client", i + 1, &c->client[i]);
	}
	if (c->counts.unsaved[0] && c->counts.chose)
		fprintf(f, "  note: a peer could not be saved: %s\n", c->counts.unsaved);
}

void plain_network(FILE *f, const struct outcome *o)
{
	const struct outcome_net *n = &o->net;
	const struct cache_stats *c = &n->cache;

	if (!n->used)
		return;
	fprintf(f, "  cache: %s%s", cache_mode_name(n->config.mode),
		n->config.live ? "" : ", recorded trees");
	print_count(f, c->hits, "hit", "hits");
	print_count(f, c->misses, "miss", "misses");
	print_count(f, c->connections, "connection", "connections");
	if (c->peer_starts)
		print_count(f, c->peer_starts, "client started", "clients started");
	putc('\n', f);
	print_traffic(f, c);
	print_trees(f, c);
	if (n->config.faults)
		print_faults(f, &n->config);
	if (o->played_again)
		fprintf(f, "  played again with fresh peers: %u execution%s%s\n", o->played_again,
			o->played_again == 1 ? "" : "s",
			o->incomplete_why[0] ? "" : ", with the same answers");
	if (c->rechecked)
		fprintf(f, "  rechecked at the end: %lu conversations%s\n", c->rechecked,
			o->incomplete_why[0] ? "" : ", with the same answers");
	if (n->timed)
		fprintf(f,
			"  note: after %lu answer%s a peer waited with a time-out: what it may say later, of "
			"itself, was not "
			"explored\n",
			n->timed, n->timed == 1 ? "" : "s");
	if (n->clock_readings)
		fprintf(f,
			"  note: peers tell the time: where an answer differed in that alone (%lu time%s), "
			"the "
			"program was given the first one\n",
			n->clock_readings, n->clock_readings == 1 ? "" : "s");
	print_checkpoints(f, o);
	if (n->shared)
		fprintf(f, "  servers: shared: all connections to them are one conversation%s%s\n",
			o->shared_why[0] ? ". What gave it away: " : "", o->shared_why);
	if (n->untold_time)
		fprintf(f, "  note: a thread sleeps over and over: of more than four sleeps between two "
			   "requests the "
			   "servers were not told\n");
	if (o->shared_states)
		fprintf(f,
			"  servers: searched again with all connections to them as one conversation (%lu "
			"states): nothing else is found\n",
			o->shared_states);
	else if (o->shared_cut)
		fprintf(f,
			"  servers: a second search with all connections to them as one conversation was not "
			"finished; --peers shared does it in full\n");
	fprintf(f, "  peers: %s.\n", outcome_peer_assumption(o));
}
