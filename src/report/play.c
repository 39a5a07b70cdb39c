#include "report/play.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

/* Backtraces cost time: steps longer ago than this have none. */
#define STEPS_WITH_FRAMES 2000
#define POLL_MS 100

struct player {
	struct sut *sut;
	const struct launch *launch;
	const struct play_listener *listener;
	struct story *story;
	struct symbols *symbols;
	struct problem *problem;
	u64 last_step;
	bool out_of_memory;
};

void play_describe_death(const struct sut *s, char *out, size_t cap)
{
	char words[512];
	int n;

	sut_last_words(s, words, sizeof(words));
	if (WIFSIGNALED(s->status))
		n = snprintf(out, cap, "it was killed by signal %d (%s)", WTERMSIG(s->status),
			     strsignal(WTERMSIG(s->status)));
	else
		n = snprintf(out, cap, "it ended with status %d", WEXITSTATUS(s->status));
	if (words[0] && n > 0 && (size_t)n < cap)
		snprintf(out + n, cap - (size_t)n, "; its last words: %s", words);
}

static bool wants_frames(const struct player *pl, const struct wire_event *e)
{
	if (e->kind == WIRE_EV_OUTPUT)
		return false;
	return e->kind != WIRE_EV_STEP || e->step + STEPS_WITH_FRAMES >= pl->launch->task.path_len;
}

/* The process may have scribbled over the wire: nothing in the event is trusted to be terminated. */
static void copy_event(struct wire_event *to, const struct wire_event *from)
{
	*to = *from;
	to->text_len = HD_MIN(to->text_len, (u32)sizeof(to->text) - 1);
	to->text[to->kind == WIRE_EV_OUTPUT ? to->text_len : sizeof(to->text) - 1] = 0;
	to->thread_name[sizeof(to->thread_name) - 1] = 0;
}

static void tell(struct player *pl, const struct wire_event *e)
{
	struct frame frames[FRAMES_MAX];
	char text[2 * sizeof(e->text)];
	struct story_line l = {
		.kind = e->kind,
		.thread = e->thread + 1,
		.op = e->op,
		.alt = e->alt,
		.step = e->kind == WIRE_EV_STEP ? e->step : pl->last_step,
		.arg = e->arg,
		.text = text,
		.frame = frames,
		.regs = e->regs,
	};

	snprintf(l.name, sizeof(l.name), "%s", e->thread_name);
	if (e->kind == WIRE_EV_OUTPUT)
		snprintf(text, sizeof(text), "%s", e->text);
	else
		symbols_expand(pl->symbols, e->text, text, sizeof(text));
	if (wants_frames(pl, e))
		l.frames = (u32)symbols_unwind(pl->symbols, &e->regs, frames, FRAMES_MAX);
	if (e->kind == WIRE_EV_STEP)
		pl->last_step = e->step;
	if (e->kind == WIRE_EV_VIOLATION)
		pl->story->violation_kind = e->violation;
	if (!story_add(pl->story, &l))
		pl->out_of_memory = true;
	if (pl->listener->line)
		pl->listener->line(pl->listener->self, &l);
}

static enum play_end how_it_ended(struct player *pl, const struct wire_event *e)
{
	if (pl->listener->at_end)
		pl->listener->at_end(pl->listener->self, pl->symbols);
	if (e->arg == 2) {
		problem_set(pl->problem, "the recorded path could not be followed: %s",
			    e->text[0] ? e->text : "an action is not possible");
		return PLAY_NOT_FOLLOWED;
	}
	return e->arg == 1 && pl->story->violation.text ? PLAY_VIOLATION : PLAY_NO_VIOLATION;
}

/* After the last event the process ends, or stops for gdb. */
static void let_go(struct player *pl)
{
	enum sut_news news;

	sut_acknowledge(pl->sut);
	do
		news = sut_wait_end(pl->sut, POLL_MS);
	while (news == SUT_NOTHING && !(pl->listener->give_up && pl->listener->give_up(pl->listener->self)));
}

static enum play_end died(struct player *pl)
{
	const struct wire_result *r = &pl->sut->worker->result;
	char how[1024], why[sizeof(r->error)];

	snprintf(why, sizeof(why), "%.*s", (int)sizeof(why) - 1, r->error);
	play_describe_death(pl->sut, how, sizeof(how));
	problem_set(pl->problem, "the program's process ended in the middle of the replay: %s",
		    why[0] ? why : how);
	return PLAY_FAILED;
}

static bool handle_event(struct player *pl, enum play_end *end)
{
	struct wire_event e;

	copy_event(&e, &pl->sut->worker->event);
	if (!pl->symbols) {
		pl->symbols = symbols_open(pl->sut->pid, pl->sut->shared->config.runtime_path, pl->problem);
		if (!pl->symbols) {
			*end = PLAY_FAILED;
			return true;
		}
	}
	if (e.kind == WIRE_EV_END) {
		*end = how_it_ended(pl, &e);
		let_go(pl);
		return true;
	}
	tell(pl, &e);
	sut_acknowledge(pl->sut);
	return false;
}

static enum play_end listen_to(struct player *pl)
{
	enum play_end end;

	for (;;) {
		switch (sut_wait_event(pl->sut, POLL_MS)) {
		case SUT_EVENT:
			if (handle_event(pl, &end))
				return end;
			break;
		case SUT_ENDED:
			return died(pl);
		case SUT_REQUEST: /* a replay has no peers */
		case SUT_STOPPED:
		case SUT_NOTHING:
			break;
		}
		if (pl->listener->give_up && pl->listener->give_up(pl->listener->self))
			return PLAY_GIVEN_UP;
	}
}

enum play_end play(struct sut *s, const struct launch *l, const struct play_listener *listener,
		   struct story *story, struct problem *p)
{
	struct player pl = {.sut = s, .launch = l, .listener = listener, .story = story, .problem = p};
	enum play_end end;

	if (sut_start(s, l, NULL, 0, p))
		return PLAY_FAILED;
	if (listener->started)
		listener->started(listener->self, s->pid);
	end = listen_to(&pl);
	symbols_close(pl.symbols);
	if (pl.out_of_memory) {
		problem_set(p, "out of memory while the execution was replayed");
		return PLAY_FAILED;
	}
	return end;
}
