#include "session/live_replay.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"

#define SAMPLES_MS 3000 /* no further execution is begun after that … */
#define AT_LEAST 4      /* … but for these */
#define WALK_MS 2000    /* one that runs in a circle ends then */
#define LOOK_MS 1
#define STARTS 5 /* executions with peers that draw something else at their start */

struct playing {
	const struct live_replay *how;
	struct sut sut;
	u64 deadline_ms;
	u32 violation; /* that happened */
	bool ended;
	u64 arg; /* of WIRE_EV_END */
};

static const struct session_observer *observer(const struct playing *r)
{
	return r->how->plan->observer;
}

static void handle_event(struct playing *r)
{
	const struct wire_event *e = &r->sut.worker->event;

	if (e->kind == WIRE_EV_VIOLATION)
		r->violation = e->violation;
	if (e->kind == WIRE_EV_END) {
		r->ended = true;
		r->arg = e->arg;
	}
	sut_acknowledge(&r->sut);
}

/* False: it has ended, or nobody waits for it any more. */
static bool serve(struct playing *r)
{
	struct pollfd bell = {.fd = r->sut.bell, .events = POLLIN};

	switch (sut_look(&r->sut)) {
	case SUT_REQUEST:
		network_serve(r->how->network, &r->sut);
		return true;
	case SUT_ENDED:
		return false;
	default:
		break;
	}
	switch (sut_wait_event(&r->sut, 0)) {
	case SUT_EVENT:
		handle_event(r);
		return true;
	case SUT_ENDED:
		return false;
	default:
		poll(&bell, 1, LOOK_MS);
		return !observer(r)->stop_requests(observer(r)->self) && monotonic_ms() < r->deadline_ms;
	}
}

static enum live_end judge(const struct playing *r, enum violation_kind violation, char why[LIVE_WHY])
{
	const struct wire_result *result = &r->sut.worker->result;

	if (result->error[0] || result->incomplete[0]) {
		snprintf(why, LIVE_WHY, "%.*s", (int)sizeof(result->incomplete) - 1,
			 result->error[0] ? result->error : result->incomplete);
		return LIVE_DIFFERS;
	}
	if (!r->ended) {
		snprintf(why, LIVE_WHY, "the execution could not be played to its end");
		return LIVE_FAILED;
	}
	if (r->arg == 2 || r->violation != violation) {
		snprintf(why, LIVE_WHY, "the program took other steps, or ended in another way (%s)",
			 r->violation < VIOLATION_KINDS ? violation_traits(r->violation)->name : "unknown");
		return LIVE_DIFFERS;
	}
	return LIVE_SAME;
}

static enum live_end judge_walk(const struct playing *r, char why[LIVE_WHY])
{
	const struct wire_result *result = &r->sut.worker->result;

	if (result->error[0] || result->incomplete[0] || result->violations) {
		snprintf(why, LIVE_WHY, "%.*s", (int)sizeof(result->incomplete) - 1,
			 result->error[0]        ? result->error
			 : result->incomplete[0] ? result->incomplete
						 : result->violation[0].message);
		return LIVE_DIFFERS;
	}
	if (r->sut.worker->phase == WIRE_DONE)
		return LIVE_SAME;
	snprintf(why, LIVE_WHY, "the execution could not be played to its end");
	return LIVE_FAILED;
}

static int fresh_peers(const struct live_replay *how, const struct findings *found, char why[LIVE_WHY])
{
	struct peer_options peers = how->plan->peers;
	struct net_config c = how->launch->config.net;
	struct problem p;

	if (found->learnt.shared)
		c.peers = NET_PEERS_SHARED;
	network_end(how->network);
	peers.append_logs = true;
	if (network_start(how->network, &peers, &how->plan->broker, how->checkpoint, &c, &p) == 0)
		return 0;
	snprintf(why, LIVE_WHY, "the peers could not be started again: %.1000s", p.text);
	return -1;
}

/* Plays what l's task says, with fresh peers, and compares each answer with the trees. */
static enum live_end play(const struct live_replay *how, const struct findings *found, struct launch *l,
			  char why[LIVE_WHY])
{
	struct playing r = {.how = how};
	struct problem p;
	enum live_end end;

	why[0] = 0;
	if (fresh_peers(how, found, why))
		return LIVE_FAILED;
	l->config.net.live = 1;
	l->config.net.confirm = 1;
	l->learnt = &found->learnt;
	l->trees = found->trees;
	l->trees_len = found->trees_len;
	if (sut_start(&r.sut, l, NULL, 0, &p)) {
		snprintf(why, LIVE_WHY, "%.1000s", p.text);
		return LIVE_FAILED;
	}
	observer(&r)->process(observer(&r)->self, r.sut.pid, true);
	r.deadline_ms = monotonic_ms() + 3ull * how->plan->broker.peer_timeout_ms + 10000;
	while (!r.ended && serve(&r))
		;
	end = l->task.mode == WIRE_SEARCH ? judge_walk(&r, why) : judge(&r, l->task.violation, why);
	*how->clock_readings += r.sut.worker->result.clock_readings;
	observer(&r)->process(observer(&r)->self, r.sut.pid, false);
	sut_end(&r.sut);
	return end;
}

enum live_end live_replay(const struct live_replay *how, const struct findings *found, const u32 *path,
			  u64 len, enum violation_kind violation, char why[LIVE_WHY])
{
	struct launch l = *how->launch;

	l.task = (struct wire_task){.mode = WIRE_REPLAY, .violation = violation, .path_len = len};
	l.path = path;
	return play(how, found, &l, why);
}

/*
 * One execution that a random scheduler chooses. Those that the search keeps differ in how they end; paths
 * that differ only in the order in which the peers were asked lead to known states, and none is kept.
 */
static enum live_end walk(const struct live_replay *how, const struct findings *found, u64 seed,
			  char why[LIVE_WHY])
{
	struct launch l = *how->launch;

	l.task = (struct wire_task){.mode = WIRE_SEARCH};
	l.config.search = (struct search_options){
		.strategy = SEARCH_PCT, .seed = seed, .max_runs = 1, .pct_depth = 2, .max_time_ms = WALK_MS};
	l.config.net.samples = 0;
	l.config.net.recheck = 0;
	return play(how, found, &l, why);
}

/* Paths and walks take turns, as long as there are paths. NULL: the next one is a walk. */
static const struct found_sample *next_path(const struct findings *found, size_t *paths)
{
	return *paths < found->samples ? &found->sample[(*paths)++] : NULL;
}

void live_replay_samples(const struct live_replay *how, const struct findings *found, struct outcome *o)
{
	const struct session_observer *watch = how->plan->observer;
	/* Without an end that could be kept there are no walks either: they would not end. */
	size_t paths = 0, all = found->samples ? found->samples + how->launch->config.net.samples : 0;
	u64 start = monotonic_ms();
	char why[LIVE_WHY];

	for (size_t i = 0; i < all && (i < AT_LEAST || monotonic_ms() - start < SAMPLES_MS); i++) {
		const struct found_sample *s = i % 2 ? NULL : next_path(found, &paths);
		enum live_end end;

		if (watch->stop_requests(watch->self) || (*how->end_ms && monotonic_ms() >= *how->end_ms))
			return;
		end = s ? live_replay(how, found, s->path, s->len, VIOLATION_NONE, why)
			: walk(how, found, i, why);
		if (end == LIVE_FAILED) {
			if (o->notes < HD_ARRAY_LEN(o->note))
				snprintf(o->note[o->notes++], sizeof(o->note[0]),
					 "no execution was played again with fresh peers: %.180s", why);
			return;
		}
		o->played_again++;
		if (end == LIVE_DIFFERS) {
			snprintf(o->differed, sizeof(o->differed), "%.1000s", why);
			snprintf(o->incomplete_why, sizeof(o->incomplete_why),
				 "An execution was played again with fresh peers, and differs: %.2900s", why);
			return;
		}
	}
}

bool live_replay_start_matters(const struct live_replay *how, const struct findings *found)
{
	const struct session_observer *watch = how->plan->observer;
	struct checkpoint_options other = *how->checkpoint;
	struct live_replay with_other = *how;
	char why[LIVE_WHY];

	with_other.checkpoint = &other;
	for (size_t i = 0; i < STARTS; i++) {
		const struct found_sample *s = found->samples ? &found->sample[i % found->samples] : NULL;

		if (!s || watch->stop_requests(watch->self) ||
		    (*how->end_ms && monotonic_ms() >= *how->end_ms))
			return true;
		other.start_chance = how->checkpoint->start_chance + ~(u64)i;
		if (live_replay(&with_other, found, s->path, s->len, VIOLATION_NONE, why) != LIVE_SAME)
			return true;
	}
	return false;
}
