#include <stdlib.h>
#include <stdio.h>

#include "report/explain.h"
#include "report/file.h"
#include "report/formats.h"
#include "report/json.h"
#include "report/trees.h"

#define RESULT_VERSION 1

static json_t *violations_json(const struct outcome *o)
{
	json_t *list = json_array();

	for (size_t i = 0; i < o->violations; i++) {
		const struct trace *t = &o->trace[i];

		u64 found = t->violation.found_len ? t->violation.found_len : t->violation.found.path_len;
		char *explanation = explain(t);

		json_array_append_new(
			list,
			json_pack("{s:s, s:o, s:o, s:i, s:o, s:s, s:I, s:I, s:s}", "kind",
				  violation_traits(t->violation.found.kind)->name, "message",
				  json_text(t->violation.message), "explanation", json_text(explanation),
				  "thread", (int)t->violation.thread, "where", json_text(t->violation.where),
				  "trace", o->trace[i].name, "steps", (json_int_t)t->violation.found.path_len,
				  "steps_found", (json_int_t)found, "found_by",
				  t->violation.found.by_walk ? "walk" : "search"));
		free(explanation);
	}
	return list;
}

static json_t *refused_json(const struct outcome *o)
{
	json_t *list = json_array();

	for (size_t i = 0; i < o->refused_count; i++)
		json_array_append_new(list,
				      json_pack("{s:o, s:o, s:I}", "call", json_text(o->refused[i].call),
						"where", json_text(o->refused[i].where), "count",
						(json_int_t)o->refused[i].count));
	return list;
}

static json_t *unsynchronised_json(const struct outcome *o)
{
	json_t *list = json_array();

	for (size_t i = 0; i < o->unsynchronised_count; i++) {
		const struct outcome_unsynchronised *u = &o->unsynchronised[i];

		json_array_append_new(list,
				      json_pack("{s:o, s:[i, i], s:[o, o]}", "variable", json_text(u->what),
						"threads", (int)u->thread[0], (int)u->thread[1], "where",
						json_text(u->where[0]), json_text(u->where[1])));
	}
	return list;
}

/* Of those behind refused calls one is kept. */
static json_t *doubtful_json(const struct outcome *o)
{
	json_t *list = json_array();

	if (o->doubtful[0])
		json_array_append_new(list, json_pack("{s:o, s:o}", "call", json_text(o->doubtful_call),
						      "violation", json_text(o->doubtful)));
	return list;
}

static json_t *unseen_json(const struct outcome *o)
{
	json_t *list = json_array();

	for (size_t i = 0; i < o->unseen_count; i++)
		json_array_append_new(list, json_pack("{s:o, s:o}", "call", json_text(o->unseen[i].call),
						      "where", json_text(o->unseen[i].where)));
	return list;
}

/* Without peers: the contract's section, with zeroes. */
static json_t *cache_json(const struct outcome_net *n)
{
	const struct cache_stats *c = &n->cache;
	const struct {
		const char *name;
		u64 value;
	} counts[] = {
		{"hits", c->hits},
		{"misses", c->misses},
		{"connections", c->connections},
		{"peer_starts", c->peer_starts},
		{"trees", c->trees},
		{"nodes", c->nodes},
		{"branches", c->branches},
		{"bytes_sent", c->bytes_sent},
		{"bytes_replayed", c->bytes_replayed},
		{"bytes_received", c->bytes_received},
		{"polls", c->polls},
		{"longest", c->longest},
		{"rechecked", c->rechecked},
		{"timed", n->timed},
		{"guessed", n->guessed},
		{"clock_readings", n->clock_readings},
	};
	json_t *j = json_pack("{s:s, s:b}", "mode", n->used ? cache_mode_name(n->config.mode) : "none",
			      "live", !!n->config.live);

	for (size_t i = 0; i < HD_ARRAY_LEN(counts); i++)
		json_object_set_new(j, counts[i].name, json_integer((json_int_t)counts[i].value));
	return j;
}

static json_t *peer_json(const struct outcome *o, const struct outcome_peer *p, const char *command,
			 bool server)
{
	json_t *noticed = json_object(), *tamed = json_object();

	for (u32 i = 0; i < p->acts; i++)
		json_object_set_new(p->act[i].tamed ? tamed : noticed, p->act[i].call,
				    json_integer((json_int_t)p->act[i].count));
	return json_pack("{s:o, s:s, s:s, s:o, s:o, s:o}", "command", json_text(command), "model",
			 !server || o->net.shared ? "shared" : "independent", "backend",
			 p->backend[0] ? p->backend : "none", "reason", json_text(p->reason), "noticed",
			 noticed, "tamed", tamed);
}

static json_t *peers_json(const struct outcome *o)
{
	json_t *list = json_array();
	const struct outcome_checkpoints *c = &o->checkpoints;

	for (size_t i = 0; i < o->servers && i < SAVER_PEERS; i++)
		json_array_append_new(list, peer_json(o, &c->server[i], o->server[i], true));
	for (size_t i = 0; i < o->clients && i < SAVER_PEERS; i++)
		json_array_append_new(list, peer_json(o, &c->client[i], o->client[i], false));
	return list;
}

static json_t *average_json(u64 sum, u64 count)
{
	return json_integer((json_int_t)(count ? sum / count : 0));
}

static json_t *checkpoints_json(const struct outcome *o)
{
	const struct net_checkpoints *c = &o->checkpoints.counts;
	json_t *j = json_pack("{s:s, s:o}", "strategy",
			      o->net.used ? net_checkpoint_name(o->net.config.checkpoint) : "none", "peers",
			      peers_json(o));

	json_object_set_new(j, "taken", json_integer((json_int_t)c->taken));
	json_object_set_new(j, "restored", json_integer((json_int_t)c->restored));
	json_object_set_new(j, "restarted", json_integer((json_int_t)c->restarted));
	json_object_set_new(j, "replayed", json_integer((json_int_t)c->replayed));
	json_object_set_new(j, "dropped", json_integer((json_int_t)c->dropped));
	json_object_set_new(j, "peak", json_integer((json_int_t)c->peak));
	json_object_set_new(j, "chose", json_integer((json_int_t)c->chose));
	json_object_set_new(j, "bytes", json_integer((json_int_t)o->checkpoints.bytes));
	json_object_set_new(j, "save_ns", json_integer((json_int_t)o->checkpoints.save_ns));
	json_object_set_new(j, "restore_ns", average_json(c->restore_ns, c->restored));
	json_object_set_new(j, "start_ns", average_json(c->start_ns, c->starts));
	json_object_set_new(j, "request_ns", average_json(c->request_ns, c->requests));
	json_object_set_new(j, "cheaper", json_integer((json_int_t)c->cheaper));
	if (o->shared_why[0])
		json_object_set_new(j, "gave_away", json_text(o->shared_why));
	if (c->unsaved[0])
		json_object_set_new(j, "unsaved", json_text(c->unsaved));
	return j;
}

static json_t *outcomes_json(const struct outcome *o)
{
	json_t *list = json_array();

	for (size_t i = 0; i < o->outcomes; i++)
		json_array_append_new(list, json_integer(o->outcome[i]));
	return list;
}

static json_t *notes_json(const struct outcome *o)
{
	json_t *list = json_array();

	for (size_t i = 0; i < o->notes; i++)
		json_array_append_new(list, json_text(o->note[i]));
	return list;
}

static void add_counts(json_t *j, const struct outcome *o)
{
	const struct search_stats *s = &o->stats;
	const struct {
		const char *name;
		u64 value;
	} counts[] = {
		{"states", s->states},
		{"transitions", s->transitions},
		{"revisited", s->revisited},
		{"max_depth", s->max_depth},
		{"end_states", s->end_states},
		{"pruned", s->pruned},
		{"runs", s->runs},
		{"walks", s->walks},
		{"walk_steps", s->walk_steps},
		{"restarts", s->restarts},
		{"passes", s->passes + 1},
		{"reduced_states", s->reduced},
		{"sanity_checks", s->sanity_checks},
		{"audits", s->audits},
		{"glances", s->glances},
		{"unsynchronised", s->unsynchronised},
	};

	for (size_t i = 0; i < HD_ARRAY_LEN(counts); i++)
		json_object_set_new(j, counts[i].name, json_integer((json_int_t)counts[i].value));
	json_object_set_new(j, "workers", json_integer(o->workers));
	json_object_set_new(j, "wall_s", json_real(o->wall_s));
	json_object_set_new(j, "cpu_s", json_real(o->cpu_s));
	json_object_set_new(j, "busiest_cpu_s", json_real(o->busiest_cpu_s));
	json_object_set_new(j, "memory_bytes", json_integer((json_int_t)s->memory));
	json_object_set_new(j, "peak_rss_bytes", json_integer((json_int_t)o->peak_rss));
	json_object_set_new(j, "page_faults", json_integer((json_int_t)o->page_faults));
}

static void add_script(json_t *j, const struct outcome *o)
{
	static const char *const deviation[] = {"",     "no-transition", "left-out", "other-state",
						"fact", "ignored",       "damaged"};
	const struct outcome_script *s = &o->script;
	const struct outcome_certified *c = &o->certified;

	if (s->path[0])
		json_object_set_new(
			j, "script",
			json_pack("{s:o, s:s, s:I, s:I, s:I, s:I, s:I, s:o}", "file", json_text(s->path),
				  "kind", s->trustful ? "trustful" : "full", "states", (json_int_t)s->states,
				  "transitions", (json_int_t)s->transitions, "bytes", (json_int_t)s->bytes,
				  "script_bytes", (json_int_t)s->script_bytes, "subgraph_bytes",
				  (json_int_t)s->subgraph_bytes, "not_written", json_text(s->why_not)));
	if (c->on)
		json_object_set_new(j, "certified",
				    json_pack("{s:b, s:b, s:s, s:I, s:o, s:o, s:i, s:i, s:I, s:f}",
					      "trustful", c->trustful, "live", c->live, "deviation",
					      deviation[HD_MIN(c->followed.deviation, (u32)DEVIATIONS - 1)],
					      "at_state", (json_int_t)c->followed.state, "where",
					      json_text(c->where), "producer_options", json_text(c->producer),
					      "processes", (int)c->processes, "parts", (int)c->parts,
					      "largest_part", (json_int_t)c->largest, "compare_s",
					      c->compare_s));
}

/* Class and modes are numbers of search/footprint.h: tools/dependency-table names them. */
static json_t *dependence_json(const struct outcome *o)
{
	json_t *list = json_array();

	for (u32 i = 0; i < HD_ARRAY_LEN(o->stats.dependence); i++) {
		const struct search_dependence *d = &o->stats.dependence[i];
		int modes = i % SEARCH_DEPENDENCE_MODES;

		if (d->pairs)
			json_array_append_new(list,
					      json_pack("{s:i, s:[i, i], s:I, s:I}", "class",
							(int)(i / SEARCH_DEPENDENCE_MODES), "modes",
							modes / 7, modes % 7, "pairs", (json_int_t)d->pairs,
							"agreed", (json_int_t)d->agreed));
	}
	return list;
}

static json_t *coverage_json(const struct outcome *o)
{
	return json_pack("{s:f, s:I, s:I, s:b}", "estimate", outcome_coverage(o), "exact_states",
			 (json_int_t)o->stats.filtered_from, "missed_states", (json_int_t)o->stats.missed,
			 "ended", o->stats.swept != 0);
}

static json_t *result_json(const struct outcome *o)
{
	char reason[OUTCOME_REASON], headline[1024], initial[40];
	json_t *j;

	outcome_reason(o, reason, sizeof(reason));
	snprintf(initial, sizeof(initial), "%016lx%016lx", o->initial.hi, o->initial.lo);
	j = json_pack("{s:i, s:s, s:o, s:o}", "version", RESULT_VERSION, "verdict",
		      verdict_name(outcome_verdict(o)), "reason", json_text(reason), "program",
		      json_texts(o->argv));
	if (!j)
		return NULL;
	add_counts(j, o);
	outcome_headline(o, headline, sizeof(headline));
	json_object_set_new(j, "headline", json_text(headline));
	if (o->options.sanity >= 3)
		json_object_set_new(j, "dependent_pairs", dependence_json(o));
	if (o->stats.filtered_from)
		json_object_set_new(j, "coverage", coverage_json(o));
	json_object_set_new(j, "violations", violations_json(o));
	json_object_set_new(j, "unconfirmed", json_integer(o->unconfirmed));
	json_object_set_new(j, "doubtful", doubtful_json(o));
	json_object_set_new(j, "trivial", json_boolean(o->trivial_why[0]));
	json_object_set_new(j, "played_again", json_integer(o->played_again));
	json_object_set_new(j, "shared_states", json_integer((json_int_t)o->shared_states));
	json_object_set_new(j, "suppressed", json_integer(o->suppressed));
	json_object_set_new(j, "refused", refused_json(o));
	json_object_set_new(j, "unsynchronised_at", unsynchronised_json(o));
	json_object_set_new(j, "not_looked_into", unseen_json(o));
	json_object_set_new(j, "outcomes", outcomes_json(o));
	json_object_set_new(j, "notes", notes_json(o));
	json_object_set_new(j, "granularity", json_string(outcome_granularity(o)));
	json_object_set_new(j, "initial_fingerprint", json_string(initial));
	if (profile_has_news(&o->profile))
		json_object_set_new(j, "profile", profile_json(&o->profile));
	add_script(j, o);
	json_object_set_new(j, "cache", cache_json(&o->net));
	json_object_set_new(j, "checkpoints", checkpoints_json(o));
	json_object_set_new(j, "heddle_version", json_string(HEDDLE_VERSION));
	json_object_set_new(j, "options", json_texts(o->setting));
	return j;
}

int result_json_write(const struct outcome *o, const char *dir, struct problem *p)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/result.json", dir);
	return file_write_json(path, result_json(o), p);
}
