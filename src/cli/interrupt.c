#include <signal.h>
#include <unistd.h>

#include "cli/cli.h"
#include "session/session.h"
#include "wire/wire.h"

static volatile sig_atomic_t interrupts;
static volatile pid_t watched[WIRE_MAX_WORKERS]; /* 0: a free place */

static void on_interrupt(int signo)
{
	(void)signo;
	interrupts++;
	for (size_t i = 0; interrupts == 2 && i < HD_ARRAY_LEN(watched); i++)
		if (watched[i] > 0)
			kill(watched[i], SIGKILL);
	/* Whatever we started dies with us (PR_SET_PDEATHSIG). */
	if (interrupts > 2)
		_exit(3);
}

void interrupt_install(void)
{
	struct sigaction a = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};

	sigaction(SIGINT, &a, NULL);
	sigaction(SIGTERM, &a, NULL);
	sigaction(SIGHUP, &a, NULL);
	/* A reader of our output that goes away must not leave anything behind. */
	signal(SIGPIPE, SIG_IGN);
}

int interrupt_count(void)
{
	return interrupts;
}

void interrupt_watch(pid_t pid, bool runs)
{
	for (size_t i = 0; i < HD_ARRAY_LEN(watched); i++)
		if (watched[i] == (runs ? 0 : pid)) {
			watched[i] = runs ? pid : 0;
			return;
		}
}

static void on_tick(void *self, const struct session_progress *now)
{
	(void)self;
	(void)now;
}

static void on_stopping(void *self)
{
	(void)self;
}

static void on_process(void *self, pid_t pid, bool runs)
{
	(void)self;
	interrupt_watch(pid, runs);
}

static int on_stop_requests(void *self)
{
	(void)self;
	return interrupt_count();
}

const struct session_observer interrupt_observer = {
	.tick = on_tick, .stopping = on_stopping, .process = on_process, .stop_requests = on_stop_requests};
