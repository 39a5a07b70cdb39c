#include "session/collect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iocache/tree.h"
#include "session/profile_names.h"

void search_stats_add(struct search_stats *sum, const struct search_stats *s)
{
	sum->states += s->states;
	sum->transitions += s->transitions;
	sum->revisited += s->revisited;
	sum->depth = HD_MAX(sum->depth, s->depth);
	sum->frontier += s->frontier;
	sum->finished = HD_MAX(sum->finished, s->finished);
	sum->max_depth = HD_MAX(sum->max_depth, s->max_depth);
	sum->end_states += s->end_states;
	sum->violations += s->violations;
	sum->runs += s->runs;
	sum->walks += s->walks;
	sum->walk_steps += s->walk_steps;
	sum->restarts = HD_MAX(sum->restarts, s->restarts); /* all workers start again together */
	sum->passes = HD_MAX(sum->passes, s->passes);
	sum->reduced += s->reduced;
	sum->pruned += s->pruned;
	sum->memory += s->memory;
	sum->filtered_from = HD_MAX(sum->filtered_from, s->filtered_from);
	sum->missed += s->missed;
	sum->swept |= s->swept;
	sum->sanity_checks += s->sanity_checks;
	sum->audits += s->audits;
	sum->glances += s->glances;
	for (u32 i = 0; i < HD_ARRAY_LEN(sum->dependence); i++) {
		sum->dependence[i].pairs += s->dependence[i].pairs;
		sum->dependence[i].agreed += s->dependence[i].agreed;
	}
	sum->unsynchronised += s->unsynchronised;
	for (u32 i = 0, to = 0; i < SEARCH_MAX_UNSYNCHRONISED && to < SEARCH_MAX_UNSYNCHRONISED; to++)
		if (!sum->unsynchronised_at[to].address)
			sum->unsynchronised_at[to] = s->unsynchronised_at[i++];
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static void add_outcomes(const struct wire_result *r, struct outcome *o)
{
	u32 count = HD_MIN(r->outcomes, WIRE_MAX_OUTCOMES);

	for (u32 i = 0; i < count && o->outcomes < WIRE_MAX_OUTCOMES; i++) {
		size_t known = 0;

		while (known < o->outcomes && o->outcome[known] != r->outcome[i])
			known++;
		if (known == o->outcomes)
			o->outcome[o->outcomes++] = r->outcome[i];
	}
}

static void add_outcome(const struct sut *s, struct outcome *o)
{
	const struct wire_result *r = &s->worker->result;
	u32 notes = HD_MIN(r->notes, HD_ARRAY_LEN(r->note));

	/* The search is complete if all workers say so. */
	if (o->end == SEARCH_COMPLETE)
		o->end = r->end;
	o->horizon_hit |= r->horizon_hit != 0;
	o->yields_cut |= r->yields_cut != 0;
	o->subsets_cut |= r->subsets_cut != 0;
	o->retries_cut |= r->retries_cut != 0;
	o->faults_cut |= r->faults_cut != 0;
	o->net.clock_readings = HD_MAX(o->net.clock_readings, r->clock_readings); /* of all workers */
	if (!o->incomplete_why[0])
		snprintf(o->incomplete_why, sizeof(o->incomplete_why), "%.*s", (int)sizeof(r->incomplete) - 1,
			 r->incomplete);
	search_stats_add(&o->stats, &s->worker->stats);
	o->initial = r->initial;
	o->certified.followed = r->followed;
	o->page_faults += r->page_faults;
	o->peak_rss += (u64)s->usage.ru_maxrss * 1024;
	double cpu_s = r->cpu_us ? (double)r->cpu_us / 1e6
				 : seconds(s->usage.ru_utime) + seconds(s->usage.ru_stime);
	o->cpu_s += cpu_s;
	o->busiest_cpu_s = HD_MAX(o->busiest_cpu_s, cpu_s);
	add_outcomes(r, o);
	for (u32 i = 0; i < notes && o->notes < HD_ARRAY_LEN(o->note); i++) {
		char note[sizeof(o->note[0])];
		size_t known = 0;

		snprintf(note, sizeof(note), "%.255s", r->note[i]);
		while (known < o->notes && strcmp(o->note[known], note))
			known++;
		if (known == o->notes)
			memcpy(o->note[o->notes++], note, sizeof(note));
	}
}

/* Is there a result at all? */
static int judge_end(const struct sut *s, bool given_up, struct outcome *o, struct problem *p)
{
	const struct wire_worker *w = s->worker;
	char why[sizeof(w->result.error)], how[1024];

	snprintf(why, sizeof(why), "%.*s", (int)sizeof(why) - 1, w->result.error);
	if (w->phase == WIRE_DONE && w->result.end != SEARCH_TOOL_ERROR && w->result.end <= SEARCH_STOPPED &&
	    !why[0] &&
	    (w->stats.states || w->number || /* others may have done all there was to do, */
	     w->result.incomplete[0] ||      /* or it was the first step, */
	     w->result.end == SEARCH_LIMIT_TIME ||
	     w->result.end == SEARCH_INTERRUPTED || /* or before main, */
	     w->result.followed.deviation))         /* of the program or of a script */
		return 0;
	if (given_up) {
		o->interrupted = true;
		return 0;
	}
	if (why[0])
		return problem_set(p, "%s", why);
	sut_describe_death(s, how, sizeof(how));
	return problem_set(p, "the checked process ended without a result%s: %s",
			   w->phase == WIRE_STARTING ? " before the program's start" : "", how);
}

static bool is_known(const struct findings *f, const struct wire_violation *v)
{
	for (size_t i = 0; i < f->violations; i++)
		if (f->violation[i].found.kind == v->kind && f->violation[i].found.key == v->key &&
		    f->violation[i].found.doubtful == v->doubtful)
			return true;
	return false;
}

static void copy_violation(const struct sut *s, const struct wire_violation *from, struct violation *to)
{
	const u32 *path = sut_path(s, from->path_offset, from->path_len);

	to->found = *from;
	to->found.message[sizeof(to->found.message) - 1] = 0;
	to->found.path_len = 0;
	if (!path || from->kind == VIOLATION_NONE || from->kind >= VIOLATION_KINDS)
		return;
	to->path = malloc((from->path_len + 1) * sizeof(u32));
	if (!to->path)
		return;
	to->found.path_len = from->path_len;
	memcpy(to->path, path, from->path_len * sizeof(u32));
}

/* One search tells of distinct violations only; two workers may have come to the same. */
static void add_violations(const struct sut *s, bool first, struct findings *f)
{
	const struct wire_result *r = &s->worker->result;
	u32 count = HD_MIN(r->violations, WIRE_MAX_VIOLATIONS);

	for (u32 i = 0; i < count && f->violations < WIRE_MAX_VIOLATIONS; i++)
		if (first || !is_known(f, &r->violation[i]))
			copy_violation(s, &r->violation[i], &f->violation[f->violations++]);
}

static void add_samples(const struct sut *s, struct findings *f)
{
	const struct wire_result *r = &s->worker->result;

	for (u32 i = 0; i < HD_MIN(r->samples, WIRE_MAX_SAMPLES) && f->samples < WIRE_MAX_SAMPLES; i++) {
		const struct wire_sample *from = &r->sample[i];
		struct found_sample *to = &f->sample[f->samples];
		const u32 *path = sut_path(s, from->path_offset, from->path_len);

		to->path = path ? malloc((from->path_len + 1) * sizeof(u32)) : NULL;
		if (!to->path)
			continue;
		to->len = from->path_len;
		memcpy(to->path, path, from->path_len * sizeof(u32));
		f->samples++;
	}
}

static void add_refused(const struct wire_result *r, struct findings *f)
{
	u32 count = HD_MIN(r->refused, WIRE_MAX_REFUSED);

	for (u32 i = 0; i < count; i++) {
		struct wire_refused call = r->refused_call[i];
		size_t at = 0;

		call.call[sizeof(call.call) - 1] = 0;
		call.stack_len = HD_MIN(call.stack_len, WIRE_REFUSED_STACK);
		while (at < f->refused_count &&
		       (f->refused[at].pc != call.pc || strcmp(f->refused[at].call, call.call)))
			at++;
		if (at < f->refused_count)
			f->refused[at].count += call.count;
		else if (at < WIRE_MAX_REFUSED)
			f->refused[f->refused_count++] = call;
	}
}

static void add_unsynchronised(const struct wire_result *r, struct findings *f)
{
	for (u32 i = 0; i < HD_MIN(r->unsynchronised, (u32)WIRE_MAX_UNSYNCHRONISED); i++) {
		size_t known = 0;

		while (known < f->unsynchronised_count &&
		       f->unsynchronised[known].address != r->unsynchronised_at[i].address)
			known++;
		if (known == f->unsynchronised_count && known < WIRE_MAX_UNSYNCHRONISED)
			f->unsynchronised[f->unsynchronised_count++] = r->unsynchronised_at[i];
	}
}

static void add_unseen(const struct wire_result *r, struct findings *f)
{
	for (u32 i = 0; i < HD_MIN(r->unseen, (u32)WIRE_MAX_UNSEEN); i++) {
		struct wire_unseen u = r->unseen_call[i];
		size_t known = 0;

		u.call[sizeof(u.call) - 1] = 0;
		while (known < f->unseen_count && strcmp(f->unseen[known].call, u.call))
			known++;
		if (known == f->unseen_count && known < WIRE_MAX_UNSEEN)
			f->unseen[f->unseen_count++] = u;
	}
}

static void add_ends(const struct wire_result *r, struct findings *f)
{
	if (!f->exit_status)
		f->exit_status = r->exit_status;
	f->ended_well |= r->ended_well != 0;
	f->slept |= r->slept != 0;
	f->fails |= r->trivial == WIRE_TRIVIAL_FAILS;
	f->no_client |= r->trivial == WIRE_TRIVIAL_NO_CLIENT;
	f->clock_max = HD_MAX(f->clock_max, r->clock_max);
}

static void add_graph(const struct sut *s, struct findings *f)
{
	const struct wire_graph *g = &s->worker->result.graph;
	const u32 *records = sut_path(s, g->offset, g->bytes / sizeof(u32));

	if (f->graph || !records || !g->bytes)
		return;
	f->graph = malloc(g->bytes);
	if (!f->graph)
		return;
	memcpy(f->graph, records, g->bytes);
	f->graph_len = g->bytes;
	f->graph_more = g->more != 0;
}

static void add_checkpoints(const struct net_checkpoints *from, struct net_checkpoints *to)
{
	*to = *from;
	to->unsaved[sizeof(to->unsaved) - 1] = 0;
}

static void add_found(const struct sut *s, struct outcome *o, struct findings *found)
{
	add_violations(s, !found->violations, found);
	if (s->worker->result.checkpoints.taken >= o->checkpoints.counts.taken) /* each tells of all so far */
		add_checkpoints(&s->worker->result.checkpoints, &o->checkpoints.counts);
	o->nondeterministic |= s->worker->result.nondeterministic & WIRE_UNSAVED;
	o->unnoticed |= s->worker->result.nondeterministic & WIRE_UNNOTICED;
	o->net.untold_time |= s->worker->result.untold_time != 0;
	o->net.several_servers |= s->worker->result.several_servers != 0;
	if (s->worker->result.shared_why[0])
		snprintf(o->shared_why, sizeof(o->shared_why), "%.*s",
			 (int)sizeof(s->worker->result.shared_why) - 1, s->worker->result.shared_why);
	add_samples(s, found);
	add_ends(&s->worker->result, found);
	add_refused(&s->worker->result, found);
	add_unsynchronised(&s->worker->result, found);
	add_unseen(&s->worker->result, found);
	add_graph(s, found);
	profile_add(&found->profile, &s->worker->result.profile);
}

int collect_worker(const struct sut *s, bool given_up, struct outcome *o, struct findings *found,
		   struct problem *p)
{
	add_outcome(s, o);
	if (judge_end(s, given_up, o, p))
		return -1;
	add_found(s, o, found);
	found->environment = s->environment;
	return 0;
}

void collect_former(const struct sut *s, struct outcome *o, struct findings *found)
{
	enum search_end end = o->end;

	add_outcome(s, o);
	o->end = end;
	add_found(s, o, found);
}

/* Only what is used: most of these megabytes were never touched, and reading a page makes it. */
static void copy_learnt(const struct wire_learnt *from, struct wire_learnt *to)
{
	to->names = HD_MIN(from->names, LAYOUT_MAX_FIBERS);
	to->observed = HD_MIN(from->observed, WIRE_MAX_OBSERVED);
	to->cells = HD_MIN(from->cells, WIRE_MAX_CELLS);
	to->clock_read = from->clock_read;
	to->cancel_used = from->cancel_used;
	to->signals_used = from->signals_used;
	to->fair = from->fair;
	to->weak = from->weak;
	to->shared = from->shared;
	to->peer_time = from->peer_time;
	to->heap_reused = from->heap_reused;
	to->recycles = from->recycles;
	to->ordered = HD_MIN(from->ordered, (u32)WIRE_MAX_ORDERED);
	memcpy(to->joint_clients, from->joint_clients, sizeof(to->joint_clients));
	memcpy(to->name, from->name, to->names * sizeof(to->name[0]));
	memcpy(to->observed_addr, from->observed_addr, to->observed * sizeof(to->observed_addr[0]));
	memcpy(to->cell_range, from->cell_range, to->cells * sizeof(to->cell_range[0]));
	memcpy(to->ordered_unit, from->ordered_unit, to->ordered * sizeof(to->ordered_unit[0]));
}

/* Checked on the way out of shared memory, like everything else. */
static int copy_trees(const struct sut *s, struct findings *f, struct problem *p)
{
	void *memory = sut_trees(s);
	struct trees *t = trees_attach(memory, WIRE_TREES_SIZE);

	if (!t && *(const u64 *)memory)
		return problem_set(p, "the recorded communication is damaged: the program wrote over it");
	if (!t || !trees_count(t))
		return 0;
	f->trees_len = trees_bytes(t);
	f->trees = malloc(f->trees_len);
	if (!f->trees)
		return problem_set(p, "out of memory");
	memcpy(f->trees, memory, f->trees_len);
	return 0;
}

static void add_note(struct outcome *o, const char *format, u32 n)
{
	if (o->notes < HD_ARRAY_LEN(o->note))
		snprintf(o->note[o->notes++], sizeof(o->note[0]), format, n);
}

/* Locks that are atomic instructions, and what was not seen of them: nobody should take them for checked. */
static void note_atomics(const struct sut *s, const struct wire_config *config, struct outcome *o)
{
	o->atomics_on = config->atomics;
	o->atomics = s->shared->atomics.atomic;
	o->atomics_unread = s->shared->atomics.unread;
	if (o->atomics && !o->atomics_on)
		add_note(o,
			 "the program has %u atomic read-modify-write instructions, and locks may be made of "
			 "them; threads were not interleaved there (--atomics on does)",
			 o->atomics);
	if (o->atomics_unread)
		add_note(o,
			 "%u functions perhaps have atomic instructions but cannot be disassembled with "
			 "certainty; threads were not interleaved there",
			 o->atomics_unread);
}

/*
 * Easily overlooked where nobody looks at the status; a Rust panic, which ends with one, is a violation by
 * itself.
 */
static void note_exit(const struct findings *f, const struct wire_config *config, struct outcome *o)
{
	if (f->exit_status && !config->check_exit)
		add_note(o, "some executions end with exit status %u; --check-exit makes that a violation",
			 (u32)f->exit_status);
}

/* Of a search that did not end: is that because the program's clock is another one in every state? */
static void note_clock(const struct findings *f, const struct wire_config *config, struct outcome *o)
{
	u64 seconds = f->clock_max / 1000000000;
	bool ended = o->end == SEARCH_COMPLETE || o->end == SEARCH_VIOLATION || o->end == SEARCH_STOPPED;

	if (seconds && !ended && !config->timeouts_never && !config->time_horizon_ms)
		add_note(o,
			 "the program reads the clock, and time-outs moved it by up to %u s: each time is "
			 "another state (--timeouts never: waits for an event have no time-out; "
			 "--time-horizon "
			 "bounds the clock)",
			 (u32)HD_MIN(seconds, (u64)~0u));
}

/* One worker saw an execution that sleeps for ever, and later it or another one an execution that ends. */
static void note_slept(const struct findings *f, struct outcome *o)
{
	if (f->slept && (f->ended_well || f->exit_status) && !o->incomplete_why[0])
		snprintf(o->incomplete_why, sizeof(o->incomplete_why),
			 "in some executions all threads sleep again and again for ever, and others end: "
			 "--strict-idle tells such sleeping as a livelock");
}

/* Verified, and nothing was tried: a wrong argument, a missing file, a forgotten client. */
static void note_trivial(const struct findings *f, const struct wire_config *config, struct outcome *o)
{
	if (config->allow_trivial || o->end != SEARCH_COMPLETE)
		return;
	if (f->fails && !f->ended_well)
		snprintf(o->trivial_why, sizeof(o->trivial_why),
			 "every execution ends at once with exit status %u, before the program has made a "
			 "thread (are its arguments and files as it expects them?)",
			 (u32)f->exit_status);
	else if (f->no_client)
		snprintf(o->trivial_why, sizeof(o->trivial_why),
			 "the program waits for clients, and there never is one (--client 'COMMAND' starts "
			 "one: "
			 "see heddle help check)");
}

int collect_shared(const struct sut *s, const struct wire_config *config, struct outcome *o,
		   struct findings *found, struct problem *p)
{
	note_atomics(s, config, o);
	note_exit(found, config, o);
	note_clock(found, config, o);
	note_slept(found, o);
	note_trivial(found, config, o);
	copy_learnt(&s->shared->learnt, &found->learnt);
	if (copy_trees(s, found, p))
		return -1;
	o->net.shared = found->learnt.shared;
	if (outcome_set_net(o, found->trees, found->trees_len, &config->net))
		return problem_set(p, "out of memory");
	return 0;
}

void findings_free(struct findings *f)
{
	for (size_t i = 0; i < f->violations; i++)
		violation_free(&f->violation[i]);
	for (size_t i = 0; i < f->samples; i++)
		free(f->sample[i].path);
	free(f->trees);
	free(f->graph);
	free(f);
}
