#include "cli/progress.h"

#include <stdio.h>
#include <unistd.h>
#include <sys/ioctl.h>

#include "report/text.h"

#define TERMINAL_MS 200
#define PIPE_MS 10000

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
	text_duration((double)clock_ns / 1e9, time, sizeof(time));
	snprintf(out, cap, ", program's clock %s", time);
}

static void net_text(const struct progress_net *n, char *out, size_t cap)
{
	char hits[32], misses[32];

	out[0] = 0;
	if (!n->used)
		return;
	text_grouped(n->hits, hits, sizeof(hits));
	text_grouped(n->misses, misses, sizeof(misses));
	snprintf(out, cap, ", cache %s/%s, %lu peer%s", hits, misses, n->peers, n->peers == 1 ? "" : "s");
}

static void print_line(const struct progress *p, const struct search_stats *s, u64 clock_ns, u64 elapsed_ms)
{
	u64 span = elapsed_ms - p->last_ms;
	char states[32], transitions[32], revisited[32], rate[32], memory[32], time[32], clock[64], net[128],
		line[640];

	text_grouped(s->states, states, sizeof(states));
	text_grouped(s->transitions, transitions, sizeof(transitions));
	text_grouped(s->revisited, revisited, sizeof(revisited));
	/* A search that starts again counts from zero. */
	text_grouped(span && s->transitions > p->last_transitions
			     ? (s->transitions - p->last_transitions) * 1000 / span
			     : 0,
		     rate, sizeof(rate));
	text_bytes_size(s->memory, memory, sizeof(memory));
	text_duration((double)elapsed_ms / 1000, time, sizeof(time));
	clock_text(clock_ns, clock, sizeof(clock));
	net_text(&p->net, net, sizeof(net));
	snprintf(line, sizeof(line),
		 "%s states, %s transitions (%s/s), %s revisited, depth %lu, %s%s%s%s, %s", states,
		 transitions, rate, revisited, s->depth, memory, net, s->violations ? ", violations" : "",
		 clock, time);
	if (p->terminal)
		fprintf(stderr, "\r\033[K%.*s", columns(), line);
	else
		fprintf(stderr, "heddle: %s\n", line);
	fflush(stderr);
}

void progress_tick(struct progress *p, const struct search_stats *s, u64 clock_ns, u64 elapsed_ms)
{
	if (!p->on || elapsed_ms - p->last_ms < (p->terminal ? TERMINAL_MS : PIPE_MS))
		return;
	print_line(p, s, clock_ns, elapsed_ms);
	p->shown = p->terminal;
	p->last_ms = elapsed_ms;
	p->last_transitions = s->transitions;
}

void progress_wipe(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}
