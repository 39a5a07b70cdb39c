#include "report/outcome.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* When several hold, the strongest statement comes first; docs/VERDICTS.md says why in this order. */
enum verdict outcome_verdict(const struct outcome *o)
{
	const struct outcome_certified *c = &o->certified;

	if (o->violations)
		return VERDICT_VIOLATION;
	if (c->on && c->followed.deviation)
		return VERDICT_DEVIATION;
	if (o->refused_count || o->unconfirmed || o->incomplete_why[0] || o->net.guessed || o->trivial_why[0])
		return VERDICT_INCOMPLETE;
	if (o->interrupted || o->end != SEARCH_COMPLETE || o->horizon_hit || o->yields_cut ||
	    o->subsets_cut || o->retries_cut || o->faults_cut)
		return VERDICT_BOUNDED;
	if (!c->on)
		return VERDICT_VERIFIED;
	return c->producer[0] || c->livelocks_unknown || c->followed.unfinished || !c->followed.whole
		       ? VERDICT_BOUNDED
		       : VERDICT_CERTIFIED;
}

const char *verdict_name(enum verdict v)
{
	static const char *const names[] = {"verified",   "violation", "bounded",
					    "incomplete", "certified", "deviation"};

	return names[v];
}

int verdict_exit_code(enum verdict v)
{
	return v == VERDICT_VERIFIED || v == VERDICT_CERTIFIED ? 0 : v == VERDICT_VIOLATION ? 1 : 3;
}

double outcome_coverage(const struct outcome *o)
{
	const struct search_stats *s = &o->stats;
	return s->states ? (double)s->states / ((double)s->states + (double)s->missed) : 0;
}

/*
 * The table of states was too large, and the search went on with a filter until its end
 * (state/bit_filter.h).
 */
static void reason_filtered(const struct outcome *o, char *out, size_t cap)
{
	snprintf(out, cap,
		 "the states did not fit into %lu MB of memory: %lu are known exactly, and of those met "
		 "after them, kept as a few bits each, about %lu were taken for known ones (%.4g %% of the "
		 "states met were explored; what lies behind the others alone was not)",
		 o->options.max_memory >> 20, o->stats.filtered_from, o->stats.missed,
		 HD_MIN(100 * outcome_coverage(o), 99.99)); /* all of them can't be said */
}

static void reason_bounded(const struct outcome *o, char *out, size_t cap)
{
	const struct search_options *s = &o->options;

	if (o->interrupted || o->end == SEARCH_INTERRUPTED)
		snprintf(out, cap, "the search was interrupted");
	else if (o->end == SEARCH_LIMIT_STATES)
		snprintf(out, cap, "the limit of %lu states was reached", s->max_states);
	else if (o->end == SEARCH_LIMIT_DEPTH)
		snprintf(out, cap, "nothing was explored below a depth of %lu", s->max_depth);
	else if (o->end == SEARCH_LIMIT_TIME)
		snprintf(out, cap, "the limit of %.3g s was reached", (double)s->max_time_ms / 1000);
	else if (o->end == SEARCH_LIMIT_MEMORY && o->stats.swept)
		reason_filtered(o, out, cap);
	else if (o->end == SEARCH_LIMIT_MEMORY)
		snprintf(out, cap, "the limit of %lu MB of memory was reached", s->max_memory >> 20);
	else if (o->end == SEARCH_LIMIT_RUNS)
		snprintf(out, cap, "%lu runs are a sample, not all executions", o->stats.runs);
	else if (o->horizon_hit)
		snprintf(out, cap, "time-outs beyond the time horizon were not explored");
	else if (o->yields_cut)
		snprintf(out, cap,
			 "executions in which a thread yields again and again while others could run were "
			 "not explored");
	else if (o->retries_cut)
		snprintf(out, cap,
			 "executions in which more attempts in a row fail than --retries says were not "
			 "explored");
	else if (o->faults_cut)
		snprintf(out, cap,
			 "executions with more faults of the network than --fault-budget %u were not "
			 "explored",
			 o->net.config.fault_budget);
	else if (o->subsets_cut)
		snprintf(out, cap,
			 "so many sockets had news at once that not all subsets of them, or not all orders, "
			 "were explored (--ready-subsets all does)");
	else if (o->certified.on)
		outcome_certified_reason(o, out, cap);
	else
		snprintf(out, cap, "the search ended early");
}

/* Whole sentences; the last full stop is whoever prints the reason's. */
static void reason_network(const struct outcome *o, char *out, size_t cap)
{
	snprintf(out, cap, "%s", o->incomplete_why);
	for (size_t n = strlen(out); n && strchr(". \n", out[n - 1]); n--)
		out[n - 1] = 0;
}

static void reason_incomplete(const struct outcome *o, char *out, size_t cap)
{
	const struct outcome_refused *r = o->refused;

	if (o->unconfirmed)
		snprintf(out, cap, "%s could not be reproduced in a fresh process and %s not reported: %s",
			 o->unconfirmed == 1 ? "a violation" : "violations",
			 o->unconfirmed == 1 ? "is" : "are", o->unconfirmed_why);
	else if (o->incomplete_why[0])
		reason_network(o, out, cap);
	else if (o->doubtful[0])
		snprintf(out, cap,
			 "the program used %s, which heddle does not model; what it does behind that "
			 "failed call may not happen otherwise: %s",
			 o->doubtful_call, o->doubtful);
	else if (o->refused_count)
		snprintf(out, cap, "the program used %s%s%s, which heddle does not model%s", r->call,
			 r->where[0] ? " at " : "", r->where,
			 o->refused_count > 1 ? ", and other such calls" : "");
	else if (o->trivial_why[0])
		snprintf(out, cap, "%s; --allow-trivial makes that a success", o->trivial_why);
	else
		snprintf(out, cap,
			 "the end of %lu answers was guessed: the peer is not on this machine, and silence "
			 "for "
			 "--response-timeout was taken for the end",
			 o->net.guessed);
}

static void reason_violation(const struct outcome *o, char *out, size_t cap)
{
	const struct trace *t = &o->trace[0];
	const char *kind = violation_traits(t->violation.found.kind)->name;

	if (o->violations > 1)
		snprintf(out, cap, "%zu different violations; the first: %s at %s", o->violations, kind,
			 t->violation.where);
	else
		snprintf(out, cap, "%s%s%s", kind, t->violation.where[0] ? " at " : "", t->violation.where);
}

void outcome_reason(const struct outcome *o, char *out, size_t cap)
{
	switch (outcome_verdict(o)) {
	case VERDICT_VERIFIED:
		snprintf(out, cap, "the search was complete and no state violates a property");
		break;
	case VERDICT_VIOLATION:
		reason_violation(o, out, cap);
		break;
	case VERDICT_BOUNDED:
		reason_bounded(o, out, cap);
		break;
	case VERDICT_INCOMPLETE:
		reason_incomplete(o, out, cap);
		break;
	case VERDICT_CERTIFIED:
	case VERDICT_DEVIATION:
		outcome_certified_reason(o, out, cap);
		break;
	}
}

const char *outcome_granularity(const struct outcome *o)
{
	return o->hooks ? "memory" : "sync";
}

const char *outcome_assumption(const struct outcome *o)
{
	if (o->hooks && o->races_ignored)
		return "memory accesses are interleaved too, under sequential consistency; data races are "
		       "not reported "
		       "(--races ignore)";
	if (o->hooks)
		return "memory accesses are interleaved too, under sequential consistency";
	if (o->atomics && o->atomics_on)
		return "data races are not looked at: threads are interleaved at synchronisation operations, "
		       "system calls and atomic read-modify-write instructions, not at other memory "
		       "accesses; "
		       "rebuild with heddle cc to have them checked";
	return "data races are not looked at: threads are interleaved at synchronisation operations and "
	       "system calls only, not at memory accesses; rebuild with heddle cc to have them checked";
}

void outcome_forget(struct outcome *o)
{
	for (size_t i = 0; i < o->violations; i++)
		trace_free(&o->trace[i]);
	free(o->trace);
	o->trace = NULL;
	o->violations = 0;
	o->unconfirmed = 0;
	o->doubtful[0] = o->doubtful_call[0] = 0;
	o->refused_count = o->unsynchronised_count = o->unseen_count = 0;
	o->notes = 0;
	o->outcomes = 0;
	o->incomplete_why[0] = o->trivial_why[0] = o->differed[0] = 0;
	o->unconfirmed_why[0] = 0;
	o->played_again = 0;
	o->shared_states = 0;
	o->shared_cut = false;
	o->end = SEARCH_COMPLETE;
	o->nondeterministic = o->unnoticed = false;
	o->interrupted = o->horizon_hit = o->yields_cut = o->subsets_cut = false;
	o->retries_cut = o->faults_cut = false;
	memset(&o->stats, 0, sizeof(o->stats));
	state_graph_free(&o->graph);
	o->profile = (struct profile){.asked = o->profile.asked};
	o->cpu_s = 0;
	o->peak_rss = o->page_faults = 0;
	trees_blob_free(&o->net.trees);
	memset(&o->net, 0, sizeof(o->net));
	memset(&o->checkpoints, 0, sizeof(o->checkpoints));
}

void outcome_free(struct outcome *o)
{
	outcome_forget(o);
	for (size_t i = 0; o->setting && o->setting[i]; i++)
		free(o->setting[i]);
	free(o->setting);
	memset(o, 0, sizeof(*o));
}
