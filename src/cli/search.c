#include "cli/search.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "iocache/tree.h"
#include "report/play.h"

#define TICK_MS 100

static u64 now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000 + (u64)t.tv_nsec / 1000000;
}

/* The counters may be read while the runtime writes them. */
static void count_network(struct sut *s, const struct network *network, struct progress_net *out)
{
	const struct cache_stats *c = trees_stats(sut_trees(s));

	*out = (struct progress_net){
		.used = c->trees > 0, .hits = c->hits, .misses = c->misses, .peers = network_peers(network)};
}

/* Until the process ends; ^C asks it to, once. */
static void watch(struct sut *s, struct network *network, struct progress *progress, u64 start, bool quiet)
{
	bool asked = false;
	enum sut_news news;

	while ((news = sut_wait_end(s, TICK_MS)) != SUT_ENDED) {
		struct search_stats stats = s->worker->stats;

		if (news == SUT_REQUEST)
			network_serve(network, s);
		count_network(s, network, &progress->net);
		progress_tick(progress, &stats, s->worker->result.clock_max, now_ms() - start);
		if (interrupt_count() && !asked) {
			asked = true;
			sut_ask_to_stop(s);
			progress_wipe(progress);
			if (!quiet)
				say("stopping; once more to stop at once");
		}
	}
	progress_wipe(progress);
}

static void copy_violation(const struct sut *s, const struct wire_violation *from, struct found_violation *to)
{
	const u32 *path = sut_path(s, from->path_offset, from->path_len);

	to->kind = from->kind;
	to->thread = from->thread;
	to->key = from->key;
	to->race = (struct wire_ignored){{from->pc, from->other_pc}, from->address};
	to->other_thread = from->other_thread;
	snprintf(to->message, sizeof(to->message), "%.*s", (int)sizeof(from->message) - 1, from->message);
	if (!path || to->kind == VIOLATION_NONE || to->kind >= VIOLATION_KINDS)
		return;
	to->path_len = from->path_len;
	to->path = malloc((to->path_len + 1) * sizeof(u32));
	if (to->path)
		memcpy(to->path, path, to->path_len * sizeof(u32));
}

/* Only what is used: most of these megabytes were never touched, and reading a page makes it. */
static void copy_learnt(const struct wire_learnt *from, struct wire_learnt *to)
{
	to->names = HD_MIN(from->names, LAYOUT_MAX_FIBERS);
	to->observed = HD_MIN(from->observed, WIRE_MAX_OBSERVED);
	to->visible = HD_MIN(from->visible, WIRE_MAX_VISIBLE);
	to->clock_read = from->clock_read;
	to->cancel_used = from->cancel_used;
	to->fair = from->fair;
	memcpy(to->name, from->name, to->names * sizeof(to->name[0]));
	memcpy(to->observed_addr, from->observed_addr, to->observed * sizeof(to->observed_addr[0]));
	memcpy(to->visible_addr, from->visible_addr, to->visible * sizeof(to->visible_addr[0]));
}

static void copy_found(const struct sut *s, struct found *f)
{
	const struct wire_result *r = &s->worker->result;
	size_t i;

	f->violations = HD_MIN(r->violations, WIRE_MAX_VIOLATIONS);
	for (i = 0; i < f->violations; i++)
		copy_violation(s, &r->violation[i], &f->violation[i]);
	f->refuseds = HD_MIN(r->refused, WIRE_MAX_REFUSED);
	for (i = 0; i < f->refuseds; i++) {
		f->refused[i] = r->refused_call[i];
		f->refused[i].call[sizeof(f->refused[i].call) - 1] = 0;
		f->refused[i].stack_len = HD_MIN(f->refused[i].stack_len, WIRE_REFUSED_STACK);
	}
	copy_learnt(&s->shared->learnt, &f->learnt);
	f->environment = s->environment;
}

/* Checked on the way out of shared memory, like everything else. */
static int copy_trees(const struct sut *s, struct found *f, struct problem *p)
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

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static void copy_outcome(const struct sut *s, struct outcome *o)
{
	const struct wire_result *r = &s->worker->result;
	size_t i;

	o->end = r->end;
	o->horizon_hit = r->horizon_hit;
	snprintf(o->incomplete_why, sizeof(o->incomplete_why), "%.*s", (int)sizeof(r->incomplete) - 1,
		 r->incomplete);
	o->yields_cut = r->yields_cut;
	o->stats = s->worker->stats;
	o->initial = r->initial;
	o->page_faults = r->page_faults;
	o->peak_rss = (u64)s->usage.ru_maxrss * 1024;
	o->cpu_s = r->cpu_us ? (double)r->cpu_us / 1e6
			     : seconds(s->usage.ru_utime) + seconds(s->usage.ru_stime);
	o->outcomes = HD_MIN(r->outcomes, WIRE_MAX_OUTCOMES);
	memcpy(o->outcome, r->outcome, o->outcomes * sizeof(o->outcome[0]));
	o->notes = HD_MIN(r->notes, HD_ARRAY_LEN(o->note));
	for (i = 0; i < o->notes; i++)
		snprintf(o->note[i], sizeof(o->note[i]), "%.255s", r->note[i]);
}

static void add_note(struct outcome *o, const char *format, u32 n)
{
	if (o->notes < HD_ARRAY_LEN(o->note))
		snprintf(o->note[o->notes++], sizeof(o->note[0]), format, n);
}

/* Locks that are atomic instructions, and what was not seen of them: nobody should take them for checked. */
static void note_atomics(const struct sut *s, struct outcome *o)
{
	o->atomics_on = s->shared->config.atomics;
	o->atomics = s->shared->atomics.atomic;
	o->atomics_unread = s->shared->atomics.unread;
	if (o->atomics && !o->atomics_on)
		add_note(o,
			 "the program has %u atomic read-modify-write instructions, and locks may be made of "
			 "them; "
			 "threads were not interleaved there (--atomics on does)",
			 o->atomics);
	if (o->atomics_unread)
		add_note(o,
			 "%u functions perhaps have atomic instructions but cannot be disassembled with "
			 "certainty; "
			 "threads were not interleaved there",
			 o->atomics_unread);
}

/* Easily overlooked where nobody looks at the status; a Rust panic, which ends with one, is a violation by itself. */
static void note_exit(const struct sut *s, struct outcome *o)
{
	if (s->worker->result.exit_status && !s->shared->config.check_exit)
		add_note(o, "some executions end with exit status %u; --check-exit makes that a violation",
			 (u32)s->worker->result.exit_status);
}

/* Is there a result at all? */
static int judge_end(const struct sut *s, const struct network *network, struct outcome *o, struct problem *p)
{
	const struct wire_worker *w = s->worker;
	char why[sizeof(w->result.error)], how[1024];

	snprintf(why, sizeof(why), "%.*s", (int)sizeof(why) - 1, w->result.error);
	if (w->phase == WIRE_DONE && o->end != SEARCH_TOOL_ERROR && o->end <= SEARCH_STOPPED && !why[0] &&
	    o->stats.states)
		return 0;
	if (interrupt_count() >= 2 || network->gave_up) {
		o->interrupted = true;
		return 0;
	}
	if (why[0])
		return problem_set(p, "%s", why);
	play_describe_death(s, how, sizeof(how));
	return problem_set(p, "the checked process ended without a result%s: %s",
			   w->phase == WIRE_STARTING ? " before the program's start" : "", how);
}

int search_process(const struct check_options *options, const struct launch *l, struct network *network,
		   struct outcome *o, struct found *found, struct problem *p)
{
	struct progress progress;
	struct sut s;
	u64 start = now_ms();
	int ret;

	if (sut_start(&s, l, NULL, 0, p))
		return -1;
	interrupt_watch(s.pid);
	progress_init(&progress, !options->quiet && !options->no_progress);
	watch(&s, network, &progress, start, options->quiet);
	interrupt_watch(0);
	o->wall_s = (double)(now_ms() - start) / 1000;
	copy_outcome(&s, o);
	note_atomics(&s, o);
	note_exit(&s, o);
	ret = judge_end(&s, network, o, p);
	if (ret == 0) {
		copy_found(&s, found);
		ret = copy_trees(&s, found, p);
	}
	if (ret == 0 && outcome_set_net(o, found->trees, found->trees_len, &l->config.net))
		ret = problem_set(p, "out of memory");
	sut_end(&s);
	return ret;
}

void found_free(struct found *f)
{
	size_t i;

	for (i = 0; i < f->violations; i++)
		free(f->violation[i].path);
	free(f->trees);
	free(f);
}
