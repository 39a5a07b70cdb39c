#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/option_peers.h"
#include "cli/option_properties.h"
#include "cli/check_options.h"
#include "cli/ranks_option.h"
#include "cli/values.h"
#include "cli/verb_options.h"

static int apply_strategy(struct check_options *o, const struct option_spec *s, const char *value,
			  struct problem *p)
{
	static const char *const names[] = {"dfs", "bfs", "random", "pct"};

	(void)s;
	for (size_t i = 0; i < HD_ARRAY_LEN(names); i++)
		if (!strcmp(value, names[i])) {
			o->config.search.strategy = (enum search_strategy)i;
			return 0;
		}
	return problem_set(p, "--strategy: %s is none of dfs, bfs, random, pct", value);
}

static int apply_sanity(struct check_options *o, const struct option_spec *s, const char *value,
			struct problem *p)
{
	(void)s;
	if (strlen(value) != 1 || *value < '0' || *value > '3')
		return problem_set(p, "--sanity: %s is not a level from 0 to 3", value);
	o->config.search.sanity = (u32)(*value - '0');
	return 0;
}

static int apply_pct_depth(struct check_options *o, const struct option_spec *s, const char *value,
			   struct problem *p)
{
	u64 v;

	(void)s;
	if (!value_number(value, &v) || v < 1 || v > 1000)
		return problem_set(p, "--pct-depth: %s is not a number from 1 to 1000", value);
	o->config.search.pct_depth = (u32)v;
	return 0;
}

static int apply_atomics(struct check_options *o, const struct option_spec *s, const char *value,
			 struct problem *p)
{
	(void)s;
	if (strcmp(value, "on") && strcmp(value, "off"))
		return problem_set(p, "--atomics: %s is neither on nor off", value);
	o->config.atomics = !strcmp(value, "on");
	return 0;
}

static int apply_races(struct check_options *o, const struct option_spec *s, const char *value,
		       struct problem *p)
{
	(void)s;
	if (strcmp(value, "report") && strcmp(value, "ignore"))
		return problem_set(p, "--races: %s is neither report nor ignore", value);
	o->config.races = !strcmp(value, "report");
	return 0;
}

static int apply_timeouts(struct check_options *o, const struct option_spec *s, const char *value,
			  struct problem *p)
{
	bool never = !strcmp(value, "never");
	if (!never && strcmp(value, "explore"))
		return problem_set(p, "--%s: explore or never, not %s", s->name, value);
	o->config.timeouts_never = never;
	return 0;
}

static int apply_fd_numbers(struct check_options *o, const struct option_spec *s, const char *value,
			    struct problem *p)
{
	bool thread = !strcmp(value, "thread");
	if (!thread && strcmp(value, "lowest"))
		return problem_set(p, "--%s: lowest or thread, not %s", s->name, value);
	o->config.fds_by_thread = thread;
	return 0;
}

static int apply_heap_reuse(struct check_options *o, const struct option_spec *s, const char *value,
			    struct problem *p)
{
	static const char *const words[] = {
		[WIRE_REUSE_AUTO] = "auto", [WIRE_REUSE_NEVER] = "never", [WIRE_REUSE_ALWAYS] = "always"};

	for (u32 i = 0; i < HD_ARRAY_LEN(words); i++)
		if (!strcmp(value, words[i])) {
			o->config.heap_reuse = i;
			return 0;
		}
	return problem_set(p, "--%s: auto, never or always, not %s", s->name, value);
}

static int apply_suppressions(struct check_options *o, const struct option_spec *s, const char *value,
			      struct problem *p)
{
	(void)s;
	return suppressions_load(&o->suppressions, value, p);
}

static int apply_out(struct check_options *o, const struct option_spec *s, const char *value,
		     struct problem *p)
{
	(void)s;
	if (!*value || snprintf(o->out, sizeof(o->out), "%s", value) >= (int)sizeof(o->out))
		return problem_set(p, "--out: a folder's name, not empty and below 2000 bytes");
	o->out_given = true;
	return 0;
}

static int apply_resume(struct check_options *o, const struct option_spec *s, const char *value,
			struct problem *p)
{
	(void)s;
	if (!*value || snprintf(o->resume, sizeof(o->resume), "%s", value) >= (int)sizeof(o->resume))
		return problem_set(p, "--resume: a folder's name, not empty and below 2000 bytes");
	return 0;
}

static int apply_save_every(struct check_options *o, const struct option_spec *s, const char *value,
			    struct problem *p)
{
	(void)s;
	o->save_given = true;
	if (!strcmp(value, "0")) {
		o->save_ms = 0;
		return 0;
	}
	if (!value_time_ms(value, &o->save_ms) || !o->save_ms)
		return problem_set(p, "--save-every: %s is no time (30s, 5m), nor 0", value);
	return 0;
}

static int apply_format(struct check_options *o, const struct option_spec *s, const char *value,
			struct problem *p)
{
	const struct format *f = format_by_name(value);

	(void)s;
	if (!f)
		return problem_set(p, "--format: %s is none of text, json, junit, sarif, html, github",
				   value);
	for (size_t i = 0; i < o->formats; i++)
		if (o->format[i] == f)
			return 0;
	hd_assert(o->formats < OPTIONS_FORMATS);
	o->format[o->formats++] = f;
	return 0;
}

static int apply_stdin(struct check_options *o, const struct option_spec *s, const char *value,
		       struct problem *p)
{
	char *real = realpath(value, NULL);
	int n = real ? snprintf(o->config.stdin_path, sizeof(o->config.stdin_path), "%s", real) : 0;

	(void)s;
	if (!real)
		return problem_set(p, "--stdin: %s: %s", value, strerror(errno));
	free(real);
	if (n >= (int)sizeof(o->config.stdin_path))
		return problem_set(p, "--stdin: the path is longer than %zu bytes",
				   sizeof(o->config.stdin_path) - 1);
	return 0;
}

static int apply_env(struct check_options *o, const struct option_spec *s, const char *value,
		     struct problem *p)
{
	char **grown = realloc(o->extra, (o->extras + 2) * sizeof(*grown));

	(void)s;
	if (!grown)
		return problem_set(p, "out of memory");
	o->extra = grown;
	o->extra[o->extras] = NULL;
	if (value[0] == '=' || !strchr(value, '='))
		return problem_set(p, "--env: %s is not of the form NAME=VALUE", value);
	o->extra[o->extras] = strdup(value);
	o->extra[++o->extras] = NULL;
	return 0;
}

static int apply_graph(struct check_options *o, const struct option_spec *s, const char *value,
		       struct problem *p)
{
	(void)s;
	if (!*value || snprintf(o->graph, sizeof(o->graph), "%s", value) >= (int)sizeof(o->graph))
		return problem_set(p, "--graph: a file's name, not empty and below 2000 bytes");
	o->config.graph = 1;
	return 0;
}

static int apply_script(struct check_options *o, const struct option_spec *s, const char *value,
			struct problem *p)
{
	(void)s;
	if (!*value || snprintf(o->script, sizeof(o->script), "%s", value) >= (int)sizeof(o->script))
		return problem_set(p, "--script: a file's name, not empty and below 2000 bytes");
	return 0;
}

static int apply_script_kind(struct check_options *o, const struct option_spec *s, const char *value,
			     struct problem *p)
{
	(void)s;
	o->script_trustful = !strcmp(value, "trustful");
	if (!o->script_trustful && strcmp(value, "full"))
		return problem_set(p, "--script-kind: %s is neither full nor trustful", value);
	return 0;
}

static int apply_por(struct check_options *o, const struct option_spec *s, const char *value,
		     struct problem *p)
{
	bool on = !strcmp(value, "on");

	(void)s;
	if (!on && strcmp(value, "off"))
		return problem_set(p, "--por: %s is neither on nor off", value);
	o->config.search.reduce = o->config.search.reduce_asked = on;
	o->por_given = true;
	return 0;
}

/* Others are started for searches that last: a second process costs as much as many a whole search. */
#define JOIN_MS 2000

static u32 all_cores(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	return (u32)HD_MIN(HD_MAX(CPU_COUNT(&set), 1), WIRE_MAX_WORKERS);
}

static int apply_jobs(struct check_options *o, const struct option_spec *s, const char *value,
		      struct problem *p)
{
	u64 n;

	o->join_ms = 0;
	o->jobs_given = true;
	if (!strcmp(value, "auto")) {
		o->jobs = all_cores();
		o->join_ms = JOIN_MS;
		return 0;
	}
	if (!value_number(value, &n) || n == 0 || n > WIRE_MAX_WORKERS)
		return problem_set(p, "-%c: %s is neither auto nor a number of workers from 1 to %u",
				   s->letter, value, WIRE_MAX_WORKERS);
	o->jobs = (u32)n;
	return 0;
}

int check_options_default_jobs(struct check_options *o, struct problem *p)
{
	static const struct option_spec spec = {.letter = 'j'};
	const char *jobs = getenv("HEDDLE_JOBS");

	if (o->jobs_given || o->script[0] || cli_ranks)
		return 0;
	if (jobs && *jobs) {
		if (apply_jobs(o, &spec, jobs, p))
			return problem_set(p, "HEDDLE_JOBS: %.100s is neither auto nor a number from 1 to %u",
					   jobs, WIRE_MAX_WORKERS);
		o->jobs_given = false;
		return 0;
	}
	o->jobs = all_cores();
	o->join_ms = JOIN_MS;
	return 0;
}

/* Read before everything else: check_options_parse. */
static int apply_nothing(struct check_options *o, const struct option_spec *s, const char *value,
			 struct problem *p)
{
	(void)o;
	(void)s;
	(void)value;
	(void)p;
	return 0;
}

#define AT(field) offsetof(struct check_options, field)
static const struct option_spec check_table[] = {
	{"file", 'f', OPTION_CALL, "SCENARIO", "read options from a scenario file; the command line wins", 0,
	 apply_nothing},
	{"strategy", 0, OPTION_CALL, "dfs|bfs|random|pct", "how to explore (default dfs)", 0, apply_strategy},
	{"seed", 0, OPTION_NUMBER, "N", "of the strategies random and pct, and of the walks beside dfs",
	 AT(config.search.seed), NULL},
	{"max-states", 0, OPTION_NUMBER, "N", "stop after so many states", AT(config.search.max_states),
	 NULL},
	{"max-depth", 0, OPTION_NUMBER, "N", "explore no deeper", AT(config.search.max_depth), NULL},
	{"max-time", 0, OPTION_TIME, "TIME", "stop after so long (90, 5m, 2h)", AT(config.search.max_time_ms),
	 NULL},
	{"max-memory", 0, OPTION_SIZE, "SIZE",
	 "need no more: states are kept as bits, or it stops (512M, 8G; default 80 %)",
	 AT(config.search.max_memory), NULL},
	{"runs", 0, OPTION_NUMBER, "N", "of the strategies random and pct (default 1000)",
	 AT(config.search.max_runs), NULL},
	{"pct-depth", 0, OPTION_CALL, "N", "bug depth that pct looks for (default 3)", 0, apply_pct_depth},
	{"keep-going", 'k', OPTION_BOOL, NULL, "collect violations, distinct by kind and place",
	 AT(config.search.keep_going), NULL},
	{"timeouts", 0, OPTION_CALL, "explore|never",
	 "never: a wait for an event has no time-out, so that what only a tick repairs is a deadlock", 0,
	 apply_timeouts},
	{"fd-numbers", 0, OPTION_CALL, "lowest|thread",
	 "thread: descriptors that a thread opens have numbers of its own; for programs that only hand them "
	 "on "
	 "to calls",
	 0, apply_fd_numbers},
	{"heap-reuse", 0, OPTION_CALL, "auto|never|always",
	 "malloc may hand out what was freed just before (ABA); auto: once a pointer to freed memory is "
	 "compared with",
	 0, apply_heap_reuse},
	{"spurious", 0, OPTION_FLAG, NULL, "condition variables may wake without being signalled",
	 AT(config.spurious), NULL},
	{"atomics", 0, OPTION_CALL, "on|off",
	 "threads may switch at atomic read-modify-write instructions (default on)", 0, apply_atomics},
	{"races", 0, OPTION_CALL, "report|ignore",
	 "data races of programs built with heddle cc (default report)", 0, apply_races},
	{"suppressions", 0, OPTION_CALL, "FILE", "data races to pass over, as race:NAME lines; repeatable", 0,
	 apply_suppressions},
	{"invariant", 0, OPTION_CALL, "EXPR",
	 "holds in every state; over global variables by name, as in C: 'used <= capacity'; repeatable", 0,
	 apply_property},
	{"step", 0, OPTION_CALL, "EXPR",
	 "holds on every step that changes what it reads: 'next(count) >= count'; repeatable", 0,
	 apply_property},
	{"invariant-file", 0, OPTION_CALL, "FILE",
	 "one expression a line, those with next() for steps; # begins a comment; repeatable", 0,
	 apply_property_file},
	{"check-exit", 0, OPTION_FLAG, NULL, "an exit status other than 0 is a violation",
	 AT(config.check_exit), NULL},
	{"check-fds", 0, OPTION_FLAG, NULL,
	 "using or closing a descriptor that another thread has closed is a violation", AT(config.check_fds),
	 NULL},
	{"no-deadlock", 0, OPTION_CLEAR, NULL, "a deadlock is no violation", AT(config.check_deadlock), NULL},
	{"strict-idle", 0, OPTION_FLAG, NULL,
	 "waiting for an idle client or a signal from outside, or sleeping for ever, is a violation",
	 AT(config.strict_idle), NULL},
	{"allow-trivial", 0, OPTION_FLAG, NULL,
	 "a program that always fails at its start, or that no client reaches, may be verified",
	 AT(config.allow_trivial), NULL},
	{"hang-time", 0, OPTION_TIME, "TIME", "CPU time one transition may use (default 10s)",
	 AT(config.hang_ms), NULL},
	{"time-horizon", 0, OPTION_TIME, "TIME", "explore no time-out beyond this virtual time",
	 AT(config.time_horizon_ms), NULL},
	{"heap-limit", 0, OPTION_SIZE, "SIZE", "then malloc fails in the program", AT(config.heap_limit),
	 NULL},
	{"random-seed", 0, OPTION_NUMBER, "N", "of the program's own random numbers", AT(config.random_seed),
	 NULL},
	{"stdin", 0, OPTION_CALL, "FILE", "the program's input (default: empty)", 0, apply_stdin},
	{"env", 0, OPTION_CALL, "NAME=VALUE", "set a variable for the program; repeatable", 0, apply_env},
	{"server", 0, OPTION_CALL, "COMMAND",
	 "start a server that the program connects to ({port:N}: a free port for its port N); repeatable", 0,
	 apply_server},
	{"client", 0, OPTION_CALL, "COMMAND",
	 "start a client that connects to the program, at {port}; repeatable", 0, apply_client},
	{"clients", 0, OPTION_CALL, "N", "so many clients; the last --client serves for the rest", 0,
	 apply_clients},
	{"short-io", 0, OPTION_CALL, "on|off",
	 "what a peer sends arrives in parts, and a non-blocking send may take a part only (default on)", 0,
	 apply_short_io},
	{"accept", 0, OPTION_CALL, "explore|always",
	 "always: who does not wait for a client, and could have one, gets it", 0, apply_always},
	{"read", 0, OPTION_CALL, "explore|always", "always: what a peer has sent has arrived", 0,
	 apply_always},
	{"write", 0, OPTION_CALL, "explore|always", "always: a non-blocking send takes all", 0, apply_always},
	{"connect", 0, OPTION_CALL, "explore|always",
	 "always: a connection that is under way is there when somebody looks", 0, apply_always},
	{"retries", 0, OPTION_CALL, "N",
	 "at most N non-blocking attempts in a row fail (the verdict is bounded); default: any number", 0,
	 apply_retries},
	{"net-faults", 0, OPTION_CALL, "LIST",
	 "the network fails, too: reset, refuse, timeout (of a connect), loss, duplicate, reorder (of "
	 "datagrams), with commas between them",
	 0, apply_net_faults},
	{"fault-budget", 0, OPTION_CALL, "N",
	 "at most N such faults in an execution (the verdict is bounded); default: any number", 0,
	 apply_fault_budget},
	{"ready-subsets", 0, OPTION_CALL, "some|all",
	 "all: where more than five sockets could have news (epoll: four), explore every subset and order "
	 "(default: some, and the verdict is bounded)",
	 0, apply_ready_subsets},
	{"peers", 0, OPTION_CALL, "auto|independent|shared",
	 "does a server's answer on one connection depend on what was said on others? shared: it does; auto "
	 "(default): not until an answer gives it away",
	 0, apply_peers},
	{"checkpoint", 0, OPTION_CALL, "none|always|io|connect|nd",
	 "after which steps peers are saved: nd (default): in which one did something non-deterministic; io: "
	 "with network I/O; connect: with a connect or accept",
	 0, apply_checkpoint},
	{"checkpoint-backend", 0, OPTION_CALL, "auto|fork|criu|restart",
	 "how peers are saved (default auto: the first of fork, criu, restart that can hold the peer)", 0,
	 apply_checkpoint_backend},
	{"peer-branches", 0, OPTION_CALL, "N",
	 "explore up to N worlds of peers that act by chance (default 1)", 0, apply_peer_branches},
	{"recheck", 0, OPTION_CALL, "N",
	 "at the end, play N executions and have N conversations once more with peers, and compare (default: "
	 "4 executions with servers, none with clients)",
	 0, apply_recheck},
	{"ask-again", 0, OPTION_CALL, NULL, NULL, 0, apply_ask_again},
	{"identical-clients", 0, OPTION_FLAG, NULL, "all clients say the same to the same",
	 AT(config.net.identical_clients), NULL},
	{"client-order", 0, OPTION_CALL, "any|given",
	 "clients with different commands come in any order (default), or as given", 0, apply_client_order},
	{"cache", 0, OPTION_CALL, "branching|linear|none",
	 "how communication is remembered (default branching)", 0, apply_cache},
	{"allow-refused", 0, OPTION_FLAG, NULL,
	 "where nobody listens the program sees ECONNREFUSED, and it is no error of the set-up",
	 AT(config.net.allow_refused), NULL},
	{"response-timeout", 0, OPTION_CALL, "TIME",
	 "silence of a peer elsewhere that ends its answer (default 100ms)", 0, apply_response_timeout},
	{"peer-timeout", 0, OPTION_CALL, "TIME", "a peer here that works longer is stuck (default 10s)", 0,
	 apply_peer_timeout},
	{"save-trees", 0, OPTION_CALL, "FILE", "write down all communication", 0, apply_save_trees},
	{"load-trees", 0, OPTION_CALL, "FILE", "start no peer; take recorded communication", 0,
	 apply_load_trees},
	{"out", 'o', OPTION_CALL, "DIR", "where results go (default heddle-out)", 0, apply_out},
	{"format", 0, OPTION_CALL, "text|json|junit|sarif|html|github",
	 "also write this report into DIR (github: ::error lines to stdout); repeatable", 0, apply_format},
	{"quiet", 'q', OPTION_BOOL, NULL, "say nothing but errors", AT(quiet), NULL},
	{"verbose", 'v', OPTION_BOOL, NULL, "also print every step of a violation", AT(verbose), NULL},
	{"no-progress", 0, OPTION_BOOL, NULL, "no live line", AT(no_progress), NULL},
	{"profile", 0, OPTION_FLAG, NULL,
	 "tell where the states come from: by which operations, which values never repeat, which locks are "
	 "one thread's",
	 AT(config.profile), NULL},
	{"graph", 0, OPTION_CALL, "FILE", "write the graph of states, up to 1000 of them, for dot(1)", 0,
	 apply_graph},
	{"sanity", 0, OPTION_CALL, "0..3", "how much heddle checks itself (default 0)", 0, apply_sanity},
	{"no-matching", 0, OPTION_BOOL, NULL,
	 "walk every path, without state matching; for small cross-checks", AT(config.search.no_matching),
	 NULL},
	{"por", 0, OPTION_CALL, "on|off",
	 "partial-order reduction: leave out orders of steps that lead to the same (default on)", 0,
	 apply_por},
	{"save-every", 0, OPTION_CALL, "TIME",
	 "save the search in DIR so often, for --resume (default 1m; 0: never)", 0, apply_save_every},
	{"resume", 0, OPTION_CALL, "DIR", "go on with the search that was saved there", 0, apply_resume},
	{"jobs", 'j', OPTION_CALL, "N|auto",
	 "search with N processes at a time; auto (default): all cores, after two seconds", 0, apply_jobs},
	{"script", 0, OPTION_CALL, "FILE",
	 "write a search script, which heddle certify follows (depth first; other strategies: a second pass)",
	 0, apply_script},
	{"script-kind", 0, OPTION_CALL, "full|trustful",
	 "trustful: only for who trusts it, and can be followed faster (default full)", 0, apply_script_kind},
};

#undef AT

static const struct option_spec replay_table[] = {
	{"gdb", 0, OPTION_BOOL, NULL, "then debug it, at its end at first; it can go back and forth",
	 offsetof(struct replay_options, gdb), NULL},
	{"at", 0, OPTION_NUMBER, "STEP", "the same, before this step at first",
	 offsetof(struct replay_options, at), NULL},
	{"gdb-args", 0, OPTION_TEXT, "ARGS", "the same, with further arguments for gdb",
	 offsetof(struct replay_options, gdb_args), NULL},
	{"quiet", 'q', OPTION_BOOL, NULL, "only how it ends", offsetof(struct replay_options, quiet), NULL},
};

static const struct option_spec shrink_table[] = {
	{"output", 'o', OPTION_TEXT, "FILE", "write there, and leave the trace alone",
	 offsetof(struct shrink_options, output), NULL},
};

static const struct option_spec tree_table[] = {
	{"format", 0, OPTION_TEXT, "text|dot|pcap", "how to print (default text)",
	 offsetof(struct tree_options, format), NULL},
	{"output", 'o', OPTION_TEXT, "FILE", "where to (default: standard output)",
	 offsetof(struct tree_options, output), NULL},
};

/* For the help text: verb_certify.c takes them apart from those of heddle check, which it has, too. */
static const struct option_spec certify_table[] = {
	{"trustful", 0, OPTION_BOOL, NULL,
	 "trust the script: only the spanning tree is followed, nothing is compared", 0, NULL},
	{"live", 0, OPTION_BOOL, NULL, "ask peers again (--server, --client) in place of the script's trees",
	 0, NULL},
	{"part", 0, OPTION_TEXT, "I/K", "of a whole script: only part I of K equal ones", 0, NULL},
	{"fp-out", 0, OPTION_TEXT, "MAP", "of a part: write its map of fingerprints, for --merge", 0, NULL},
	{"merge", 0, OPTION_BOOL, NULL, "compare the maps of all parts; no program is run", 0, NULL},
	{"jobs", 'j', OPTION_TEXT, "N", "follow the script with N processes, a part each", 0, NULL},
};

static const struct option_spec partition_table[] = {
	{"parts", 'k', OPTION_NUMBER, "K", "how many parts", offsetof(struct partition_options, parts), NULL},
	{"output", 'o', OPTION_TEXT, "DIR", "write each part as a file into this folder",
	 offsetof(struct partition_options, output), NULL},
	{"subgraphs", 0, OPTION_BOOL, NULL,
	 "cut off whole subgraphs only, by the greedy algorithm (default: cut anywhere, in equal parts)",
	 offsetof(struct partition_options, subgraphs), NULL},
	{"quick", 0, OPTION_BOOL, NULL, "only the sizes: paths are not looked up",
	 offsetof(struct partition_options, quick), NULL},
	{"quiet", 'q', OPTION_BOOL, NULL, "only the last line", offsetof(struct partition_options, quiet),
	 NULL},
};

const struct option_list check_option_list = {check_table, HD_ARRAY_LEN(check_table)};
const struct option_list replay_option_list = {replay_table, HD_ARRAY_LEN(replay_table)};
const struct option_list shrink_option_list = {shrink_table, HD_ARRAY_LEN(shrink_table)};
const struct option_list tree_option_list = {tree_table, HD_ARRAY_LEN(tree_table)};
const struct option_list certify_option_list = {certify_table, HD_ARRAY_LEN(certify_table)};
const struct option_list partition_option_list = {partition_table, HD_ARRAY_LEN(partition_table)};
const struct option_list no_option_list = {NULL, 0};
