#include "cli/progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>

#include "report/plain_text.h"

#define TERMINAL_MS 200
#define PIPE_MS 10000
#define STATES_WITHOUT_A_REVISIT 20000

void progress_init(struct progress *p, bool on)
{
	*p = (struct progress){.on = on, .terminal = isatty(STDERR_FILENO)};
}

static int columns(void)
{
	struct winsize w;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 20 ? w.ws_col - 1 : 119;
}

/* A clock that runs and runs is why some searches never end. */
static void clock_text(u64 clock_ns, char *out, size_t cap)
{
	char time[32];

	out[0] = 0;
	if (!clock_ns)
		return;
	plain_duration((double)clock_ns / 1e9, time, sizeof(time));
	snprintf(out, cap, ", program's clock %s", time);
}

/* How the search gets on: what is left open, how much of the latest was new, how many branches are done. */
static void course_text(const struct progress *p, const struct search_stats *s, bool brief, char *out,
			size_t cap)
{
	u64 steps = s->transitions > p->last_transitions ? s->transitions - p->last_transitions : 0;
	u64 found = s->states > p->last_states ? s->states - p->last_states : 0;
	char open[32];
	size_t n = 0;

	out[0] = 0;
	if (s->frontier) {
		plain_number(s->frontier, open, sizeof(open));
		n += (size_t)snprintf(out, cap, ", %s open", open);
	}
	if (!s->revisited && s->states > STATES_WITHOUT_A_REVISIT)
		n += (size_t)snprintf(out + n, cap - n, ", no state came twice yet");
	else if (steps)
		n += (size_t)snprintf(out + n, cap - n, ", %lu %% new", HD_MIN(found * 100 / steps, 100ul));
	if (s->finished)
		snprintf(out + n, cap - n, ", %.3g %% %sdone", (double)s->finished / 10000,
			 brief ? "" : "of the first branches ");
}

static void net_text(const struct session_progress *now, char *out, size_t cap)
{
	char hits[32], misses[32];

	out[0] = 0;
	if (!now->network)
		return;
	plain_number(now->hits, hits, sizeof(hits));
	plain_number(now->misses, misses, sizeof(misses));
	snprintf(out, cap, ", cache %s/%s, %lu peer%s", hits, misses, now->peers, now->peers == 1 ? "" : "s");
}

static void print_line(const struct progress *p, const struct session_progress *now)
{
	const struct search_stats *s = &now->stats;
	u64 span = now->elapsed_ms - p->last_ms;
	char states[32], transitions[32], revisited[32], rate[32], memory[32], time[32], clock[64], net[128],
		course[128], line[768];

	plain_number(s->states, states, sizeof(states));
	plain_number(s->transitions, transitions, sizeof(transitions));
	plain_number(s->revisited, revisited, sizeof(revisited));
	/* A search that starts again counts from zero. */
	plain_number(span && s->transitions > p->last_transitions
			     ? (s->transitions - p->last_transitions) * 1000 / span
			     : 0,
		     rate, sizeof(rate));
	plain_size(s->memory, memory, sizeof(memory));
	plain_duration((double)now->elapsed_ms / 1000, time, sizeof(time));
	clock_text(now->clock_ns, clock, sizeof(clock));
	net_text(now, net, sizeof(net));
	course_text(p, s, false, course, sizeof(course));
	snprintf(line, sizeof(line),
		 "%s states, %s transitions (%s/s), %s revisited, depth %lu%s, %s%s%s%s, %s", states,
		 transitions, rate, revisited, s->depth, course, memory, net,
		 s->violations ? ", violations" : "", clock, time);
	/* What is cut off would be the time, and how far it has come. */
	if (p->terminal && strlen(line) > (size_t)columns()) {
		course_text(p, s, true, course, sizeof(course));
		snprintf(line, sizeof(line), "%s states (%s/s), depth %lu%s%s, %s", states, rate, s->depth,
			 course, s->violations ? ", violations" : "", time);
	}
	if (p->terminal)
		fprintf(stderr, "\r\033[K%.*s", columns(), line);
	else
		fprintf(stderr, "heddle: %s\n", line);
	fflush(stderr);
}

void progress_tick(struct progress *p, const struct session_progress *now)
{
	if (now->elapsed_ms < p->last_ms) /* another search */
		p->last_ms = p->last_transitions = p->last_states = 0;
	if (!p->on || now->elapsed_ms - p->last_ms < (p->terminal ? TERMINAL_MS : PIPE_MS))
		return;
	print_line(p, now);
	p->shown = p->terminal;
	p->last_ms = now->elapsed_ms;
	p->last_transitions = now->stats.transitions;
	p->last_states = now->stats.states;
}

void progress_wipe(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}
