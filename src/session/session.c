#include "session/session.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "iocache/tree.h"
#include "session/collect.h"
#include "session/live_replay.h"
#include "session/network.h"
#include "session/ranks.h"
#include "session/saved_search.h"
#include "session/reproduce.h"
#include "session/script_run.h"
#include "session/time_limit.h"
#include "session/workers.h"

#define TICK_MS 100
/* Limits of a second search that takes no server for independent: search_shared. */
#define SHARED_MS 30000u /* a server that looks around twice a second takes its time for each answer */
#define SHARED_STATES 20000u
#define SHARED_FIRST 5000u /* not worth trying where the first one had more */

struct session {
	const struct session_plan *plan;
	const struct session_observer *observer;
	struct launch launch; /* the plan's; the list of ignored races grows from round to round */
	struct network network;
	struct checkpoint_options options;           /* the plan's; each world has its own start_chance */
	const struct checkpoint_options *checkpoint; /* NULL: peers are not saved */
	struct shared_part part;
	struct sut worker[WIRE_MAX_WORKERS];
	u32 workers; /* that were started in this round */
	u64 start_ms;
	struct ignored_races ignored;
	struct script_run script; /* plan NULL: none */
	struct saved_search saved;
	bool begun;    /* what follows the first search is neither saved nor resumed */
	bool unsteady; /* peers act by chance, and nobody sees how */
	bool no_ranks; /* the other ranks have done their part: what follows is this one's business */
};

static int stop_requests(const struct session *s)
{
	return s->observer->stop_requests(s->observer->self);
}

static void process_runs(const struct session *s, pid_t pid, bool runs)
{
	s->observer->process(s->observer->self, pid, runs);
}

/* Counters and trees are read while the runtime writes them: a wrong number in the live line does no harm. */
static void tick(const struct session *s)
{
	const struct cache_stats *c = trees_stats(sut_trees(&s->worker[0]));
	struct session_progress progress = {.elapsed_ms = monotonic_ms() - s->start_ms,
					    .network = c->trees > 0,
					    .hits = c->hits,
					    .misses = c->misses,
					    .peers = network_peers(&s->network)};

	for (u32 i = 0; i < s->workers; i++) {
		const struct wire_worker *w = s->worker[i].worker;

		search_stats_add(&progress.stats, &w->stats);
		progress.clock_ns = HD_MAX(progress.clock_ns, w->result.clock_max);
	}
	s->observer->tick(s->observer->self, &progress);
}

/* Sleeps until a worker may have something to say, at most TICK_MS. */
static void wait_for_news(const struct session *s)
{
	struct pollfd fd[2 * WIRE_MAX_WORKERS];
	nfds_t n = 0;

	for (u32 i = 0; i < s->workers; i++) {
		if (s->worker[i].ended)
			continue;
		fd[n++] = (struct pollfd){s->worker[i].pidfd, POLLIN, 0};
		fd[n++] = (struct pollfd){s->worker[i].bell, POLLIN, 0};
	}
	poll(fd, n, TICK_MS);
}

/* How many still run. */
static u32 serve_workers(struct session *s)
{
	u32 running = 0;

	for (u32 i = 0; i < s->workers; i++) {
		struct sut *w = &s->worker[i];

		if (w->ended)
			continue;
		switch (sut_look(w)) {
		case SUT_REQUEST:
			network_serve(&s->network, w);
			break;
		case SUT_ENDED:
			process_runs(s, w->pid, false);
			continue;
		default:
			break;
		}
		running++;
	}
	return running;
}

static int start_workers(struct session *s, u32 workers, struct problem *p)
{
	for (; s->workers < workers; s->workers++) {
		if (sut_start(&s->worker[s->workers], &s->launch, &s->part, s->workers, p))
			return -1;
		process_runs(s, s->worker[s->workers].pid, true);
	}
	return 0;
}

/* For a search that lasts: those that are still to join it. One that can't be started is left out. */
static void start_late_ones(struct session *s)
{
	u32 all = s->part.wire->workers;
	struct problem unused;

	if (s->workers == all || monotonic_ms() - s->start_ms < s->plan->join_ms || stop_requests(s) ||
	    __atomic_load_n(&s->part.wire->save.resumed, __ATOMIC_ACQUIRE) == 1)
		return;
	if (s->worker[0].ended || s->part.wire->alone || start_workers(s, all, &unused))
		s->part.wire->workers = s->workers;
}

/* One that did not come to an end keeps the others waiting: they are ended, too. */
static void end_with_one(struct session *s)
{
	if (s->workers > 1 && workers_failed(s->worker, s->workers))
		for (u32 i = 0; i < s->workers; i++)
			if (!s->worker[i].ended)
				kill(s->worker[i].pid, SIGKILL);
}

/* Until all workers have ended; the first request to stop is passed on to them. */
static void serve_until_end(struct session *s)
{
	bool asked = false, told = false;

	while (serve_workers(s)) {
		tick(s);
		start_late_ones(s);
		end_with_one(s);
		saved_search_tick(&s->saved, &s->part, s->worker, s->workers);
		if (stop_requests(s) && !told)
			s->observer->stopping(s->observer->self);
		told |= stop_requests(s) > 0;
		if (stop_requests(s) && !asked &&
		    (stop_requests(s) > 1 ||
		     saved_search_last(&s->saved, &s->part, monotonic_ms() - s->start_ms))) {
			asked = true;
			sut_ask_to_stop(&s->worker[0]);
		}
		if (time_limit_is_over(STOP_AFTER_MS))
			sut_ask_to_stop(&s->worker[0]);
		for (u32 i = 0; i < s->workers && time_limit_is_over(KILL_AFTER_MS); i++)
			if (!s->worker[i].ended)
				kill(s->worker[i].pid, SIGKILL);
		wait_for_news(s);
	}
}

static void end_workers(struct session *s)
{
	for (u32 i = 0; i < s->workers; i++) {
		if (!s->worker[i].ended)
			process_runs(s, s->worker[i].pid, false);
		sut_end(&s->worker[i]);
	}
	s->workers = 0;
	shared_part_free(&s->part);
}

static int collect(struct session *s, struct outcome *o, struct findings *found, struct problem *p)
{
	bool late = time_limit_is_over(STOP_AFTER_MS);
	bool given_up = stop_requests(s) >= 2 || s->network.gave_up || late;
	int ret = 0;

	const struct sut *failed = workers_failed(s->worker, s->workers);

	/* The others were ended because of it: it says why. */
	if (failed)
		ret = collect_worker(failed, given_up, o, found, p);
	for (u32 i = 0; i < s->workers && ret == 0; i++)
		if (&s->worker[i] != failed)
			ret = collect_worker(&s->worker[i], given_up, o, found, p);
	for (u32 i = 0; saved_search_counts(&s->saved, &s->part) && i < s->saved.formers && ret == 0; i++)
		collect_former(&s->saved.former[i], o, found);
	if (ret == 0 && late && !stop_requests(s) && (o->interrupted || o->end == SEARCH_INTERRUPTED)) {
		o->interrupted = false;
		o->end = SEARCH_LIMIT_TIME;
	}
	if (ret == 0)
		ret = collect_shared(&s->worker[0], &s->launch.config, o, found, p);
	return ret;
}

/* Fresh peers, for a search that is done again. */
static int restart_network(struct session *s, struct problem *p)
{
	struct peer_options peers = s->plan->peers;

	peers.append_logs = true;
	peers.interrupted = time_limit_give_up;
	network_end(&s->network);
	return network_start(&s->network, &peers, &s->plan->broker, s->checkpoint, &s->launch.config.net, p);
}

static int search_within(struct session *s, struct outcome *o, struct findings *found, struct problem *p)
{
	int ret;

	saved_search_init(&s->saved, s->plan);
	if (s->begun || !workers_may_share(s->plan))
		s->saved.dir = NULL;
	bool resume = s->plan->resume_dir && !s->begun;
	s->begun = true;
	for (u32 workers = workers_usable(s->plan, o);; workers--) {
		s->launch.save = s->saved.dir != NULL;
		if (shared_part_create(&s->part, &s->launch, workers, p))
			return -1;
		if ((resume && saved_search_load(&s->saved, s->plan, &s->part, p)) ||
		    (s->plan->script && script_run_prepare(&s->script, s->plan->script, &s->launch, p)) ||
		    start_workers(s, s->plan->join_ms || resume ? 1 : workers, p) ||
		    (s->plan->script && script_run_begin(&s->script, &s->worker[0], p))) {
			end_workers(s);
			return -1;
		}
		serve_until_end(s);
		o->workers = s->workers;
		/* What was explored by one that has died is not known to be complete: nothing is kept. */
		if (s->workers == 1 || stop_requests(s) >= 2 || time_limit_is_over(STOP_AFTER_MS) ||
		    !workers_note_death(s->worker, s->workers, o))
			break;
		workers = s->workers;
		end_workers(s);
		if (s->network.peers && restart_network(s, p)) /* where connections stand is not known */
			return -1;
	}
	workers_note_alone(s->part.wire, o);
	if (!s->plan->workers_asked)
		o->workers_why[0] = 0;
	o->wall_s = (double)(monotonic_ms() - s->start_ms) / 1000;
	ret = collect(s, o, found, p);
	saved_search_end(&s->saved, o);
	end_workers(s);
	/* What is wrong with the file explains the rest. */
	if (s->plan->script && script_run_end(&s->script, p))
		ret = -1;
	return ret;
}

/* One round of several has what the others have left of the time. */
static int search(struct session *s, struct outcome *o, struct findings *found, struct problem *p)
{
	u64 *limit = &s->launch.config.search.max_time_ms, asked = *limit;
	int ret;

	s->start_ms = monotonic_ms();
	*limit = time_limit_round(asked);
	ret = search_within(s, o, found, p);
	*limit = asked;
	return ret;
}

/* Many ranks have left it to this one, and said why. */
static int search_alone(struct session *s, struct outcome *o, struct findings *found, struct problem *p)
{
	char why[sizeof(o->workers_why)];
	int ret;

	memcpy(why, o->workers_why, sizeof(why));
	ret = search(s, o, found, p);
	memcpy(o->workers_why, why, sizeof(why));
	return ret;
}

static int search_with_others(struct session *s, struct outcome *o, struct findings *found, struct problem *p)
{
	s->no_ranks = true;
	switch (ranks_search(s->plan->ranks, &s->launch, s->observer, o, found, p)) {
	case RANKS_REPORT:
		/* Replays are one process's. */
		s->launch.config.search.strategy = SEARCH_DFS;
		return 0;
	case RANKS_DONE:
		return 1;
	case RANKS_ALONE:
		s->launch.config.search.strategy = SEARCH_DFS;
		s->launch.learnt = NULL;
		return search_alone(s, o, found, p);
	case RANKS_FAILED:
		break;
	}
	return -1;
}

static int run_round(struct session *s, struct outcome *o, struct problem *p)
{
	struct launch plain = s->launch; /* replays have no script */
	const struct live_replay live = {s->plan,     s->checkpoint,          &plain,
					 &s->network, &o->net.clock_readings, time_limit_end()};
	struct reproduction how = {&plain,      s->observer,        s->plan->suppressions,
				   &s->ignored, s->plan->shrink_ms, NULL};
	struct findings *found = calloc(1, sizeof(*found));
	int ret;

	if (!found)
		return problem_set(p, "out of memory");
	ret = s->plan->ranks && !s->no_ranks ? search_with_others(s, o, found, p) : search(s, o, found, p);
	network_report(&s->network, &o->checkpoints);
	if (s->unsteady)
		o->checkpoints.counts.chose += !o->checkpoints.counts.chose;
	/* Fresh peers that act by chance do something else; what was heard of them was heard in one run. */
	if (s->plan->confirm && s->network.peers && !o->checkpoints.counts.chose)
		how.live = &live;
	if (ret == 0) {
		reproduce_places(&how, found, o);
		ret = reproduce_violations(&how, found, o, p);
	}
	if (ret == 0)
		script_run_keep(&s->script, &s->launch, &found->learnt, found->environment, o);
	script_run_drop(&s->script);
	if (ret == 0 && how.live && s->launch.config.net.samples && outcome_verdict(o) == VERDICT_VERIFIED)
		live_replay_samples(&live, found, o);
	if (ret == 0 && outcome_drew_at_start(o) && outcome_verdict(o) == VERDICT_VERIFIED)
		o->checkpoints.start_matters = !how.live || !s->launch.config.net.samples ||
					       s->plan->peer_branches > 1 ||
					       live_replay_start_matters(&live, found);
	findings_free(found);
	return ret;
}

/*
 * Servers were taken for independent of what was said on other connections, and a whole execution with fresh
 * ones shows that they are not: the search is done again, with all connections to them as one conversation.
 */
static bool learns_shared(struct session *s, struct outcome *o)
{
	struct net_config *c = &s->launch.config.net;

	bool told = o->differed[0] || (o->shared_why[0] && !o->net.shared);

	if (!told || c->peers != NET_PEERS_AUTO || !c->servers || c->mode == CACHE_LINEAR || o->net.shared ||
	    o->interrupted || stop_requests(s))
		return false;
	if (o->differed[0])
		memcpy(o->shared_why, o->differed, sizeof(o->shared_why));
	c->peers = NET_PEERS_SHARED;
	return true;
}

/*
 * A peer does not say the same again, and nobody knows why: it is done again with peers that can be saved,
 * and are watched.
 */
static bool learns_to_save(struct session *s, const struct outcome *o, bool nondeterministic)
{
	struct net_config *c = &s->launch.config.net;

	if (!nondeterministic || c->save_all || c->checkpoint == NET_CHECKPOINT_NONE ||
	    c->mode == CACHE_LINEAR || !s->plan->checkpoint || o->interrupted || stop_requests(s))
		return false;
	c->save_all = 1;
	return true;
}

/*
 * A peer does not say the same again, and was not seen to act (rdrand, files of others, the time that it
 * waited): whatever it does is followed by a checkpoint.
 */
static bool learns_to_save_often(struct session *s, const struct outcome *o)
{
	struct net_config *c = &s->launch.config.net;

	if (!o->unnoticed || c->checkpoint != NET_CHECKPOINT_ND || c->mode == CACHE_LINEAR ||
	    !s->plan->checkpoint || o->interrupted || stop_requests(s))
		return false;
	c->checkpoint = NET_CHECKPOINT_IO;
	c->save_all = 1;
	if (o->net.shared)
		c->peers = NET_PEERS_SHARED;
	s->unsteady = true;
	return true;
}

/*
 * Servers were taken for independent, and a few executions with fresh ones did not show otherwise; one in
 * another order may. Is a search worth its time that does not take it for granted?
 */
static bool doubts_independence(struct session *s, const struct outcome *o)
{
	const struct net_config *c = &s->launch.config.net;

	return c->peers == NET_PEERS_AUTO && c->mode == CACHE_BRANCHING && c->live && c->servers &&
	       c->samples && o->stats.states <= SHARED_FIRST && s->plan->confirm && !o->net.shared &&
	       o->net.several_servers && s->launch.config.search.strategy == SEARCH_DFS && !s->plan->script &&
	       !s->plan->ranks && !stop_requests(s) && !time_limit_is_over(0) &&
	       outcome_verdict(o) == VERDICT_VERIFIED;
}

/* What was found stays, and o is as before a search. */
static struct outcome *put_aside(struct outcome *o)
{
	struct outcome *first = malloc(sizeof(*first));

	if (!first)
		return NULL;
	memcpy(first, o, sizeof(*first));
	memset(&o->net.trees, 0, sizeof(o->net.trees));
	memset(&o->graph, 0, sizeof(o->graph));
	o->trace = NULL;
	o->violations = 0;
	outcome_forget(o);
	return first;
}

/*
 * The search once more with all connections to the servers as one conversation, within limits. A violation is
 * the result then; else the first search stands.
 */
static int search_shared(struct session *s, struct outcome *o, struct problem *p)
{
	const struct wire_config before = s->launch.config;
	struct search_options *search = &s->launch.config.search;
	struct outcome *first = put_aside(o);
	int ret;

	if (!first)
		return problem_set(p, "out of memory");
	s->launch.config.net.peers = NET_PEERS_SHARED;
	s->launch.config.net.samples = 0;
	search->max_states = SHARED_STATES;
	if (before.search.max_states)
		search->max_states = HD_MIN(search->max_states, before.search.max_states);
	search->max_time_ms = SHARED_MS;
	ret = restart_network(s, p);
	if (ret == 0)
		ret = run_round(s, o, p);
	s->launch.config = before;
	if (ret == 0 && outcome_verdict(o) == VERDICT_VIOLATION) {
		snprintf(o->shared_why, sizeof(o->shared_why),
			 "the violation, which needs answers that depend on what was said on other "
			 "connections.");
		outcome_forget(first);
	} else {
		bool complete = ret == 0 && outcome_verdict(o) == VERDICT_VERIFIED;
		u64 states = o->stats.states;

		outcome_forget(o);
		memcpy(o, first, sizeof(*o));
		o->shared_states = complete ? states : 0;
		o->shared_cut = !complete;
	}
	free(first);
	return 0;
}

/*
 * The next round begins with nothing. 1: there is no time left for it, and what the last one has found does
 * not stand alone.
 */
static int restart_for_round(struct session *s, struct outcome *o, struct problem *p)
{
	int ret = 0;

	if (!time_limit_is_out()) {
		outcome_forget(o);
		ret = restart_network(s, p);
	}
	if (!time_limit_is_out())
		return ret;
	o->end = SEARCH_LIMIT_TIME;
	return 1;
}

/*
 * A search ends at a suppressed race, or does not look behind it: it is done again, and passes it over. So it
 * is where servers turn out to be one conversation.
 */
static int run_rounds(struct session *s, struct outcome *o, struct problem *p)
{
	struct wire_config *c = &s->launch.config;
	u32 worlds = 0;
	int ret;

	for (;;) {
		ret = run_round(s, o, p);
		o->suppressed = s->ignored.count;
		if (ret == 0 && (learns_shared(s, o) || learns_to_save(s, o, o->nondeterministic) ||
				 learns_to_save_often(s, o))) {
			ret = restart_for_round(s, o, p);
			if (ret)
				return HD_MIN(ret, 0);
			continue;
		}
		if (ret == 0 && ++worlds < s->plan->peer_branches &&
		    (o->checkpoints.counts.chose || o->checkpoints.start_matters) &&
		    outcome_verdict(o) == VERDICT_VERIFIED && !stop_requests(s)) {
			/* A world of its own: nothing of what was heard is kept. */
			s->options.start_chance = worlds;
			ret = restart_for_round(s, o, p);
			if (ret)
				return HD_MIN(ret, 0);
			continue;
		}
		o->worlds = worlds;
		if (ret || s->ignored.count == c->ignored || stop_requests(s) ||
		    (o->violations && !c->search.keep_going))
			return ret == 0 && doubts_independence(s, o) ? search_shared(s, o, p) : ret;
		c->ignored = s->ignored.count;
		memcpy(c->ignored_race, s->ignored.race, sizeof(c->ignored_race));
		outcome_forget(o);
	}
}

int session_run(const struct session_plan *plan, struct outcome *o, struct problem *p)
{
	struct session *s = calloc(1, sizeof(*s));
	struct peer_options peers = plan->peers;
	int ret;

	if (!s)
		return problem_set(p, "out of memory");
	s->plan = plan;
	o->server = plan->peers.server;
	o->servers = plan->peers.servers;
	o->client = plan->peers.client;
	o->clients = plan->peers.clients;
	s->observer = plan->observer;
	s->launch = plan->launch;
	if (plan->checkpoint) {
		s->options = *plan->checkpoint;
		s->checkpoint = &s->options;
	}
	time_limit_begin(plan->launch.config.search.max_time_ms, plan->peers.interrupted);
	peers.interrupted = time_limit_give_up;
	ret = s->launch.config.net.live ? network_start(&s->network, &peers, &plan->broker, s->checkpoint,
							&s->launch.config.net, p)
					: 0;
	if (ret == 0) {
		ret = run_rounds(s, o, p);
		network_end(&s->network);
	} else if (time_limit_is_out()) { /* the peers were not ready in time */
		o->end = SEARCH_LIMIT_TIME;
		o->workers = 1;
		ret = 0;
	}
	free(s);
	return ret;
}

int session_fingerprint(const struct launch *l, const struct session_observer *observer,
			struct fingerprint *out, struct problem *p)
{
	struct launch fingerprint = *l;
	struct sut s;
	char how[1024];
	int ret = 0;

	fingerprint.task.mode = WIRE_FINGERPRINT;
	if (sut_start(&s, &fingerprint, NULL, 0, p))
		return -1;
	observer->process(observer->self, s.pid, true);
	while (sut_wait_end(&s, TICK_MS) != SUT_ENDED)
		if (observer->stop_requests(observer->self))
			sut_ask_to_stop(&s);
	observer->process(observer->self, s.pid, false);
	sut_describe_death(&s, how, sizeof(how));
	if (s.worker->phase == WIRE_DONE)
		*out = s.worker->result.initial;
	else
		ret = problem_set(p, "%.1023s", s.worker->result.error[0] ? s.worker->result.error : how);
	sut_end(&s);
	return ret;
}
