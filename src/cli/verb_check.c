#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/certify.h"
#include "cli/check_options.h"
#include "cli/out_folder.h"
#include "cli/progress.h"
#include "cli/ranks_option.h"
#include "cli/tell_outcome.h"
#include "report/formats.h"
#include "report/json.h"
#include "report/trees_file.h"
#include "session/script_run.h"
#include "session/properties.h"
#include "session/session.h"
#include "session/shrink_run.h"

/* Two runs at a time in one folder would mix their results. */
int check_prepare_out(struct check_options *opts, struct problem *p)
{
	char wanted[sizeof(opts->out)];

	if (opts->resume[0] && !opts->out_given) {
		memcpy(opts->out, opts->resume, sizeof(opts->out));
		opts->out_given = true;
	}
	memcpy(wanted, opts->out, sizeof(wanted));
	if (out_folder_take(opts->out, sizeof(opts->out), !opts->out_given, p))
		return -1;
	if (strcmp(wanted, opts->out))
		say("another heddle writes into %s; the results of this one go into %s", wanted, opts->out);
	return 0;
}

/* Before the search, not after it. */
static int prepare_save(const char *path, const char *option, struct problem *p)
{
	const char *slash = strrchr(path, '/');
	char dir[2048];

	if (!path[0])
		return 0;
	snprintf(dir, sizeof(dir), "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
	if (access(dir, W_OK) == 0)
		return 0;
	return problem_set(p, "%s cannot be written: %s: %s; choose another place with %s", path, dir,
			   strerror(errno), option);
}

/* Where the network was used: for heddle tree, and for a later run without peers. */
static int write_trees(const struct check_options *opts, const struct outcome *o, struct problem *p)
{
	const struct trees *t = trees_blob_trees(&o->net.trees);
	char path[4096];

	if (!t)
		return 0;
	snprintf(path, sizeof(path), "%s/" OUT_TREES, opts->out);
	if (trees_file_save(t, &o->net.config, path, p))
		return -1;
	return opts->save_trees[0] ? trees_file_save(t, &o->net.config, opts->save_trees, p) : 0;
}

static int write_graph(const struct check_options *opts, const struct outcome *o, struct problem *p)
{
	if (!opts->graph[0])
		return 0;
	if (!o->graph.states) {
		say("%s is not written: one worker alone can draw the graph (-j 1)", opts->graph);
		return 0;
	}
	if (o->graph.more)
		say("%s shows the first %u of %lu states: larger graphs are not drawn", opts->graph,
		    o->graph.states, o->stats.states);
	return state_graph_write(&o->graph, opts->graph, p);
}

int check_write_reports(const struct check_options *opts, const struct outcome *o, struct problem *p)
{
	char path[4096];

	for (size_t i = 0; i < o->violations; i++) {
		snprintf(path, sizeof(path), "%s/%s", opts->out, o->trace[i].name);
		if (trace_save(&o->trace[i], path, p))
			return -1;
	}
	for (size_t i = 0; i < opts->formats; i++)
		if (format_write(opts->format[i], o, opts->out, p))
			return -1;
	if (write_trees(opts, o, p) || write_graph(opts, o, p))
		return -1;
	if (result_json_write(o, opts->out, p))
		return -1;
	return o->script.lost ? problem_set(p, "no script was written: %s", o->script.why_not) : 0;
}

/* Virtual nanoseconds. */
#define CLOCK_WORTH_A_WORD 60000000000u

/* What the user sees of a search that runs. */
struct watcher {
	struct progress progress;
	bool quiet;
	bool clock_told; /* or there is nothing to tell */
};

static void on_tick(void *self, const struct session_progress *now)
{
	struct watcher *w = self;

	if (!w->clock_told && now->clock_ns > CLOCK_WORTH_A_WORD) {
		w->clock_told = true;
		progress_wipe(&w->progress);
		say("time-outs took the program's clock beyond a minute; if it waits periodically and reads "
		    "the "
		    "clock, its states never repeat: --time-horizon 10s bounds it");
	}
	progress_tick(&w->progress, now);
}

static void on_stopping(void *self)
{
	struct watcher *w = self;

	progress_wipe(&w->progress);
	if (!w->quiet)
		say("stopping; once more to stop at once");
}

/* A search or a replay begins or ends: what is printed next must not stand behind the live line. */
static void on_process(void *self, pid_t pid, bool runs)
{
	struct watcher *w = self;

	progress_wipe(&w->progress);
	interrupt_watch(pid, runs);
}

static int on_stop_requests(void *self)
{
	(void)self;
	return interrupt_count();
}

static bool interrupted(void)
{
	return interrupt_count() > 0;
}

int check_run(const struct check_options *opts, const struct launch *l, struct script_plan *script,
	      struct outcome *o, struct problem *p)
{
	struct watcher watcher = {.quiet = opts->quiet,
				  .clock_told = opts->quiet || opts->config.time_horizon_ms};
	const struct session_observer observer = {&watcher, on_tick, on_stopping, on_process,
						  on_stop_requests};
	struct session_plan plan = {.launch = *l,
				    .workers = opts->jobs,
				    .join_ms = opts->join_ms,
				    .workers_asked = opts->jobs_given,
				    .resume_dir = opts->resume[0] ? opts->resume : NULL,
				    .save_ms = opts->save_ms,
				    .peers = opts->peers,
				    .broker = opts->broker,
				    .suppressions = &opts->suppressions,
				    .observer = &observer,
				    .script = script};

	plan.peers.out = opts->out;
	plan.ranks = cli_ranks;
	/* With one worker it costs a table that others could use, too: who wants that, says so. */
	if (opts->save_ms && !script && !cli_ranks && (opts->jobs > 1 || opts->save_given || opts->resume[0]))
		plan.save_dir = opts->out;
	plan.confirm = opts->confirm;
	plan.peer_branches = opts->peer_branches;
	if (opts->peers.servers + opts->peers.clients)
		plan.checkpoint = &opts->checkpoint;
	/* Breadth first was asked for because of the fewest steps. */
	plan.shrink_ms = opts->config.search.strategy == SEARCH_BFS ? 0 : SHRINK_MS;
	plan.peers.interrupted = interrupted;
	progress_init(&watcher.progress, !opts->quiet && !opts->no_progress && !ranks_is_helper());
	bool failed = properties_prepare(opts->properties, &plan.launch, &observer, p);

	return ranks_agree(cli_ranks, failed, p) ? -1 : session_run(&plan, o, p);
}

/* Hits, connections, bytes sent: the recording had those, not this run. */
static void forget_costs(const struct trees_blob *trees)
{
	struct cache_stats *s = trees_stats(trees_blob_trees(trees));

	*s = (struct cache_stats){
		.trees = s->trees, .nodes = s->nodes, .branches = s->branches, .longest = s->longest};
}

/* Instead of peers: what they said to another run, and how many clients it had. */
static int load_trees(const struct check_options *opts, struct launch *l, struct trees_blob *trees,
		      struct problem *p)
{
	if (!opts->load_trees[0])
		return 0;
	if (trees_file_load(opts->load_trees, trees, &l->config.net, p))
		return -1;
	if (l->config.net.mode == CACHE_NONE)
		return problem_set(p,
				   "%s was recorded with --cache none, which takes no answer from trees; "
				   "record it again",
				   opts->load_trees);
	forget_costs(trees);
	l->trees = trees->memory;
	l->trees_len = trees->len;
	return 0;
}

/* What a script says of the program, and of how it was checked. */
static json_t *script_about(const struct check_options *opts, const struct program *program)
{
	json_t *argv = json_array(), *options = json_array();

	for (size_t i = 0; opts->argv[i]; i++)
		json_array_append_new(argv, json_text(opts->argv[i]));
	for (size_t i = 0; opts->setting && opts->setting[i]; i++)
		json_array_append_new(options, json_text(opts->setting[i]));
	return json_pack("{s:o, s:s, s:o, s:b, s:s}", "program", argv, "identity", program->identity,
			 "options", options, "hooks", program->has_hooks, "heddle_version", HEDDLE_VERSION);
}

/*
 * Several workers, or breadth first, find the states in another order: once more, in the
 * order of a script.
 */
static int run_in_order(struct check_options *opts, const struct launch *l, struct script_plan *script,
			struct outcome *o, struct problem *p)
{
	enum search_strategy strategy = opts->config.search.strategy;
	u32 jobs = opts->jobs;
	bool ordered = strategy == SEARCH_DFS && jobs == 1;
	const struct session_ranks *ranks = cli_ranks;
	struct launch again = *l;
	struct outcome *second;
	int ret = check_run(opts, l, ordered ? script : NULL, o, p);

	if (ret || ordered || outcome_verdict(o) == VERDICT_VIOLATION)
		return ret;
	second = calloc(1, sizeof(*second));
	if (!second)
		return problem_set(p, "out of memory");
	again.config.search.strategy = SEARCH_DFS;
	opts->jobs = 1;
	second->options = again.config.search;
	second->hooks = o->hooks;
	second->allow_trivial = o->allow_trivial;
	/* One process's business, of rank 0 alone if there are several. */
	cli_ranks = NULL;
	ret = check_run(opts, &again, script, second, p);
	cli_ranks = ranks;
	opts->jobs = jobs;
	o->script = second->script;
	outcome_free(second);
	free(second);
	return ret;
}

static int check(struct check_options *opts)
{
	struct trees_blob recorded = {0};
	struct program program;
	struct launch l = {
		.program = &program, .argv = opts->argv, .extra = opts->extra, .config = opts->config};
	struct outcome *o;
	struct problem p;
	int code;
	struct script_plan script = {.record = opts->script, .trustful = opts->script_trustful};

	bool failed = check_options_default_jobs(opts, &p) || program_open(opts->argv[0], &program, &p) ||
		      (!ranks_is_helper() && check_prepare_out(opts, &p)) ||
		      prepare_save(opts->save_trees, "--save-trees", &p) ||
		      prepare_save(opts->graph, "--graph", &p) || prepare_save(opts->script, "--script", &p);

	if (ranks_agree(cli_ranks, failed, &p))
		return ranks_complain(&p);
	o = calloc(1, sizeof(*o));
	if (!o) {
		problem_set(&p, "out of memory");
		return complain(&p);
	}
	o->argv = opts->argv;
	o->options = opts->config.search;
	o->hooks = program.has_hooks;
	o->races_ignored = !opts->config.races;
	o->allow_trivial = opts->config.allow_trivial;
	o->profile.asked = opts->config.profile;
	o->setting = opts->setting;
	script.about = opts->script[0] ? script_about(opts, &program) : NULL;
	opts->setting = NULL;
	int ret = load_trees(opts, &l, &recorded, &p);

	if (ret == 0)
		ret = script.about ? run_in_order(opts, &l, &script, o, &p)
				   : check_run(opts, &l, NULL, o, &p);
	if (ret) {
		code = ret < 0 ? ranks_complain(&p) : EXIT_TOOL_ERROR;
	} else {
		bool lost = check_write_reports(opts, o, &p);

		if (!lost || o->violations) /* what was found is told even if it can't be written */
			tell_outcome(opts, o);
		code = lost ? complain(&p) : verdict_exit_code(outcome_verdict(o));
	}
	json_decref(script.about);
	outcome_free(o);
	trees_blob_free(&recorded);
	free(o);
	return code;
}

int verb_check(int argc, char **argv)
{
	struct check_options opts;
	struct problem p;
	int code;

	check_options_init(&opts);
	if (ranks_agree(cli_ranks, check_options_parse(&opts, argc, argv, &p) || ranks_settle(&opts, &p),
			&p)) {
		check_options_free(&opts);
		return ranks_complain_usage("check", &p);
	}
	interrupt_install();
	code = check(&opts);
	check_options_free(&opts);
	return code;
}
