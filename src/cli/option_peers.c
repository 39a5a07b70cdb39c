#include "cli/option_peers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/values.h"

#define DEFAULT_RESPONSE_TIMEOUT_MS 100
#define DEFAULT_PEER_TIMEOUT_MS 10000
#define DEFAULT_SAMPLES 4

void option_peers_init(struct check_options *o)
{
	o->broker.response_timeout_ms = DEFAULT_RESPONSE_TIMEOUT_MS;
	o->broker.peer_timeout_ms = DEFAULT_PEER_TIMEOUT_MS;
	o->config.net.samples = DEFAULT_SAMPLES;
}

static void free_commands(char ***list, size_t *n)
{
	while (*n > 0)
		free((*list)[--*n]);
	free(*list);
	*list = NULL;
}

void option_peers_free(struct check_options *o)
{
	free_commands(&o->peers.server, &o->peers.servers);
	free_commands(&o->peers.client, &o->peers.clients);
}

void option_peers_scenario_read(struct check_options *o)
{
	o->scenario_servers = o->peers.servers > 0;
	o->scenario_clients = o->peers.clients > 0;
}

static int add_command(char ***list, size_t *n, const char *command, struct problem *p)
{
	char **grown = realloc(*list, (*n + 1) * sizeof(*grown));

	if (!grown)
		return problem_set(p, "out of memory");
	*list = grown;
	grown[*n] = strdup(command);
	if (!grown[*n])
		return problem_set(p, "out of memory");
	++*n;
	return 0;
}

static int take_command(const struct option_spec *s, bool *of_scenario, char ***list, size_t *n,
			const char *command, struct problem *p)
{
	if (!command[strspn(command, " \t\n")])
		return problem_set(p, "--%s: the command is empty", s->name);
	if (*of_scenario)
		free_commands(list, n);
	*of_scenario = false;
	return add_command(list, n, command, p);
}

int apply_server(struct check_options *o, const struct option_spec *s, const char *value, struct problem *p)
{
	return take_command(s, &o->scenario_servers, &o->peers.server, &o->peers.servers, value, p);
}

int apply_client(struct check_options *o, const struct option_spec *s, const char *value, struct problem *p)
{
	return take_command(s, &o->scenario_clients, &o->peers.client, &o->peers.clients, value, p);
}

int apply_clients(struct check_options *o, const struct option_spec *s, const char *value, struct problem *p)
{
	(void)s;
	if (!value_number(value, &o->clients) || o->clients < 1 || o->clients > NET_MAX_CLIENTS)
		return problem_set(p, "--clients: %s is not a number from 1 to %d", value, NET_MAX_CLIENTS);
	return 0;
}

int apply_short_io(struct check_options *o, const struct option_spec *s, const char *value, struct problem *p)
{
	bool on = !strcmp(value, "on");
	if (!on && strcmp(value, "off"))
		return problem_set(p, "--%s: on or off, not %s", s->name, value);
	o->config.net.short_io = on;
	return 0;
}

int apply_ready_subsets(struct check_options *o, const struct option_spec *s, const char *value,
			struct problem *p)
{
	bool all = !strcmp(value, "all");
	if (!all && strcmp(value, "some"))
		return problem_set(p, "--%s: all or some, not %s", s->name, value);
	o->config.net.all_subsets = all;
	return 0;
}

int apply_retries(struct check_options *o, const struct option_spec *s, const char *value, struct problem *p)
{
	u64 n;
	if (!value_number(value, &n) || n < 1 || n > UINT8_MAX)
		return problem_set(p, "--%s: %s is not a number from 1 to %d", s->name, value, UINT8_MAX);
	o->config.net.retries = (u32)n;
	return 0;
}

static int add_fault(struct check_options *o, const struct option_spec *s, const char *name,
		     struct problem *p)
{
	for (size_t i = 0; i < NET_FAULT_KINDS; i++)
		if (!strcmp(name, net_fault_name(i))) {
			o->config.net.faults |= 1u << i;
			return 0;
		}
	return problem_set(p, "--%s: %s is none of reset, refuse, timeout, loss, duplicate, reorder", s->name,
			   name);
}

/* A list with commas, added to what was asked for before; "none" takes that back. */
int apply_net_faults(struct check_options *o, const struct option_spec *s, const char *value,
		     struct problem *p)
{
	char list[128], *rest = list, *name;
	if (snprintf(list, sizeof(list), "%s", value) >= (int)sizeof(list))
		return problem_set(p, "--%s: the list is too long", s->name);
	if (!strcmp(value, "none")) {
		o->config.net.faults = 0;
		return 0;
	}
	while ((name = strsep(&rest, ",")))
		if (add_fault(o, s, name, p))
			return -1;
	return 0;
}

int apply_fault_budget(struct check_options *o, const struct option_spec *s, const char *value,
		       struct problem *p)
{
	u64 n;
	if (!value_number(value, &n) || n < 1 || n > UINT16_MAX)
		return problem_set(p, "--%s: %s is not a number from 1 to %d", s->name, value, UINT16_MAX);
	o->config.net.fault_budget = (u32)n;
	return 0;
}

/* --accept, --read, --write, --connect. */
int apply_always(struct check_options *o, const struct option_spec *s, const char *value, struct problem *p)
{
	static const struct {
		const char *name;
		enum net_always bit;
	} table[] = {{"accept", NET_ACCEPT_ALWAYS},
		     {"read", NET_READ_ALWAYS},
		     {"write", NET_WRITE_ALWAYS},
		     {"connect", NET_CONNECT_ALWAYS}};
	bool always = !strcmp(value, "always");
	if (!always && strcmp(value, "explore"))
		return problem_set(p, "--%s: explore or always, not %s", s->name, value);
	for (size_t i = 0; i < HD_ARRAY_LEN(table); i++)
		if (!strcmp(s->name, table[i].name))
			o->config.net.always = always ? o->config.net.always | table[i].bit
						      : o->config.net.always & ~(u32)table[i].bit;
	return 0;
}

int apply_peers(struct check_options *o, const struct option_spec *s, const char *value, struct problem *p)
{
	static const char *const names[] = {[NET_PEERS_AUTO] = "auto",
					    [NET_PEERS_INDEPENDENT] = "independent",
					    [NET_PEERS_SHARED] = "shared"};

	(void)s;
	for (u32 i = 0; i < HD_ARRAY_LEN(names); i++)
		if (!strcmp(value, names[i])) {
			o->config.net.peers = i;
			return 0;
		}
	return problem_set(p, "--peers: %s is none of auto, independent, shared", value);
}

int apply_checkpoint(struct check_options *o, const struct option_spec *s, const char *value,
		     struct problem *p)
{
	(void)s;
	for (u32 i = 0; i <= NET_CHECKPOINT_CONNECT; i++)
		if (!strcmp(value, net_checkpoint_name(i))) {
			o->config.net.checkpoint = i;
			o->config.net.save_all = 1;
			return 0;
		}
	return problem_set(p, "--checkpoint: %s is none of none, always, io, connect, nd", value);
}

int apply_checkpoint_backend(struct check_options *o, const struct option_spec *s, const char *value,
			     struct problem *p)
{
	static const char *const names[] = {[CHECKPOINT_AUTO] = "auto",
					    [CHECKPOINT_FORK] = "fork",
					    [CHECKPOINT_CRIU] = "criu",
					    [CHECKPOINT_RESTART] = "restart"};

	(void)s;
	for (u32 i = 0; i < HD_ARRAY_LEN(names); i++)
		if (!strcmp(value, names[i])) {
			o->checkpoint.choice = (enum checkpoint_choice)i;
			o->config.net.save_all = 1;
			return 0;
		}
	return problem_set(p, "--checkpoint-backend: %s is none of auto, fork, criu, restart", value);
}

int apply_peer_branches(struct check_options *o, const struct option_spec *s, const char *value,
			struct problem *p)
{
	u64 n;
	(void)s;
	if (!value_number(value, &n) || n < 1 || n > 1000)
		return problem_set(p, "--peer-branches: %s is not a number from 1 to 1000", value);
	o->peer_branches = (u32)n;
	if (n > 1) /* who is not watched is not seen to act by chance */
		o->config.net.save_all = 1;
	return 0;
}

int apply_recheck(struct check_options *o, const struct option_spec *s, const char *value, struct problem *p)
{
	(void)s;
	if (!value_number(value, &o->config.net.recheck))
		return problem_set(p, "--recheck: %s is not a number", value);
	o->config.net.samples = (u32)HD_MIN(o->config.net.recheck, (u64)WIRE_MAX_SAMPLES);
	return 0;
}

/* The old name of --recheck, without a limit. */
int apply_ask_again(struct check_options *o, const struct option_spec *s, const char *value,
		    struct problem *p)
{
	(void)s;
	(void)value;
	(void)p;
	o->config.net.recheck = ~0ull;
	return 0;
}

int apply_client_order(struct check_options *o, const struct option_spec *s, const char *value,
		       struct problem *p)
{
	(void)s;
	if (!strcmp(value, "any"))
		o->peers.order = CLIENT_ORDER_ANY;
	else if (!strcmp(value, "given"))
		o->peers.order = CLIENT_ORDER_GIVEN;
	else
		return problem_set(p, "--client-order: %s is none of any, given", value);
	return 0;
}

int apply_cache(struct check_options *o, const struct option_spec *s, const char *value, struct problem *p)
{
	static const char *const names[] = {
		[CACHE_BRANCHING] = "branching", [CACHE_LINEAR] = "linear", [CACHE_NONE] = "none"};

	(void)s;
	for (u32 i = 0; i < HD_ARRAY_LEN(names); i++)
		if (!strcmp(value, names[i])) {
			o->config.net.mode = i;
			return 0;
		}
	return problem_set(p, "--cache: %s is none of branching, linear, none", value);
}

static int apply_timeout(const struct option_spec *s, const char *value, u32 *ms, struct problem *p)
{
	u64 v;

	if (!value_time_ms(value, &v) || v < 1 || v > INT32_MAX)
		return problem_set(p, "--%s: %s is not a time (like 100ms or 10s)", s->name, value);
	*ms = (u32)v;
	return 0;
}

int apply_response_timeout(struct check_options *o, const struct option_spec *s, const char *value,
			   struct problem *p)
{
	return apply_timeout(s, value, &o->broker.response_timeout_ms, p);
}

int apply_peer_timeout(struct check_options *o, const struct option_spec *s, const char *value,
		       struct problem *p)
{
	return apply_timeout(s, value, &o->broker.peer_timeout_ms, p);
}

static int take_file(const struct option_spec *s, const char *value, char *out, size_t cap, struct problem *p)
{
	if (!*value || snprintf(out, cap, "%s", value) >= (int)cap)
		return problem_set(p, "--%s: a file's name, not empty and below 2000 bytes", s->name);
	return 0;
}

int apply_save_trees(struct check_options *o, const struct option_spec *s, const char *value,
		     struct problem *p)
{
	return take_file(s, value, o->save_trees, sizeof(o->save_trees), p);
}

int apply_load_trees(struct check_options *o, const struct option_spec *s, const char *value,
		     struct problem *p)
{
	return take_file(s, value, o->load_trees, sizeof(o->load_trees), p);
}

/* The last command serves the clients that have none of their own. */
static int repeat_last(struct check_options *o, struct problem *p)
{
	struct peer_options *peers = &o->peers;

	if (!o->clients)
		return 0;
	if (!peers->clients)
		return problem_set(p, "--clients %lu needs --client with their command", o->clients);
	if (peers->clients > o->clients)
		return problem_set(p, "--clients %lu, but there are %zu commands (--client)", o->clients,
				   peers->clients);
	while (peers->clients < o->clients)
		if (add_command(&peers->client, &peers->clients, peers->client[peers->clients - 1], p))
			return -1;
	return 0;
}

int option_peers_settle(struct check_options *o, struct problem *p)
{
	if (repeat_last(o, p) || peers_check(&o->peers, &o->config.net, p))
		return -1;
	if (o->config.net.mode == CACHE_NONE && (o->load_trees[0] || o->save_trees[0]))
		return problem_set(p, "--%s-trees: with --cache none there are no trees to speak of",
				   o->load_trees[0] ? "load" : "save");
	/* Saved is a process with all its connections. */
	bool saves = o->config.net.checkpoint == NET_CHECKPOINT_ALWAYS ||
		     o->config.net.checkpoint == NET_CHECKPOINT_IO ||
		     o->config.net.checkpoint == NET_CHECKPOINT_CONNECT;
	if (saves && o->peers.servers && o->config.net.mode != CACHE_LINEAR &&
	    o->config.net.peers == NET_PEERS_AUTO)
		o->config.net.peers = NET_PEERS_SHARED;
	if (o->config.net.peers == NET_PEERS_SHARED && o->config.net.mode == CACHE_LINEAR)
		return problem_set(p, "--peers shared: a linear cache knows one conversation, and with the "
				      "schedule the order changes in which the servers are spoken to; use "
				      "--cache branching");
	if (o->config.net.peers == NET_PEERS_SHARED && !o->peers.servers && !o->load_trees[0])
		return problem_set(p, "--peers shared needs --server with a command: a server that was not "
				      "started here can't be started again");
	o->config.net.live = !o->load_trees[0];
	/* Clients of the real world tell ports and times, and leave by an end or a reset as
	   it happens: only on request. */
	bool unasked = o->peers.clients && !o->config.net.recheck;
	bool possible = o->config.net.mode != CACHE_NONE && o->config.net.live;
	o->confirm = possible && o->config.net.samples;
	if (!possible || !(o->peers.servers + o->peers.clients) || unasked)
		o->config.net.samples = 0;
	return 0;
}
