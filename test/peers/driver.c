/*
 * driver.c: a controller without a search: starts peers as it is told, and ends as a controller may end.
 *
 *   peers-driver OUT [--server COMMAND]… [--client COMMAND]…
 *
 * Standard input, one answer line each:
 *   servers            start them all: "ready", or "problem: …"
 *   client N PORT      start client N, which is to connect to PORT: its pid
 *   ended PID          "no", "exit STATUS" or "signal NUMBER"
 *   words PID          its last words
 *   end PID            "gone"
 *   at PORT            where the server for the program's port really is: "PID PORT"
 *   running            how many
 * End of file: ends all peers, status 0. SIGINT: the same, status 3.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "peer/peer.h"

static volatile sig_atomic_t interrupts;
static struct peers *peers;
static const struct broker_peers *calls;

void hd_panic(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: %s\n", file, line, what);
	abort();
}

static void on_interrupt(int signo)
{
	(void)signo;
	interrupts++;
}

static bool interrupted(void)
{
	return interrupts > 0;
}

void broker_forget(struct broker *b, pid_t pid)
{
	(void)b;
	(void)pid;
}

/* In the place of the broker's: ready is who has said so in its log. */
int broker_wait_ready(struct broker *b, pid_t pid, const char *name, struct problem *p)
{
	const struct timespec moment = {0, 1000000};
	char words[64];

	(void)b;
	for (;;) {
		/* Looked at first: what it said before its end is read below. */
		bool over = calls->interrupted(calls->self) || calls->ended(calls->self, pid, NULL);

		calls->last_words(calls->self, pid, words, sizeof(words));
		if (!strcmp(words, "ready"))
			return 0;
		if (over)
			return problem_set(p, "%s does not become ready", name);
		nanosleep(&moment, NULL);
	}
}

static void tell_servers(void)
{
	struct problem p;

	if (peers_start_servers(peers, NULL, &p))
		printf("problem: %s\n", p.text);
	else
		puts("ready");
}

static void tell_client(unsigned n, unsigned port)
{
	struct net_address at = {
		.family = NET_INET, .type = NET_STREAM, .port = (u16)port, .ip = {127, 0, 0, 1}};
	struct problem p;
	pid_t pid = calls->start_client(calls->self, n, &at, &p);

	if (pid < 0)
		printf("problem: %s\n", p.text);
	else
		printf("%d\n", pid);
}

static void tell_ended(pid_t pid)
{
	int status;

	if (!calls->ended(calls->self, pid, &status))
		puts("no");
	else if (WIFSIGNALED(status))
		printf("signal %d\n", WTERMSIG(status));
	else
		printf("exit %d\n", WEXITSTATUS(status));
}

static void tell_place(unsigned port)
{
	struct net_address to = {
		.family = NET_INET, .type = NET_STREAM, .port = (u16)port, .ip = {127, 0, 0, 1}};
	struct net_address at;
	pid_t pid = calls->server_of(calls->self, &to, &at);

	printf("%d %u\n", pid, at.port);
}

static void obey(const char *line)
{
	char words[256];
	unsigned n, port;
	pid_t pid;

	if (!strcmp(line, "servers\n")) {
		tell_servers();
	} else if (sscanf(line, "client %u %u", &n, &port) == 2) {
		tell_client(n, port);
	} else if (sscanf(line, "ended %d", &pid) == 1) {
		tell_ended(pid);
	} else if (sscanf(line, "words %d", &pid) == 1) {
		calls->last_words(calls->self, pid, words, sizeof(words));
		puts(words);
	} else if (sscanf(line, "end %d", &pid) == 1) {
		calls->end_client(calls->self, pid);
		puts("gone");
	} else if (sscanf(line, "at %u", &port) == 1) {
		tell_place(port);
	} else if (!strcmp(line, "running\n")) {
		printf("%lu\n", peers_running(peers));
	} else {
		puts("what?");
	}
	fflush(stdout);
}

static int parse(struct peer_options *o, int argc, char **argv)
{
	int i;

	o->out = argv[1];
	o->server = calloc((size_t)argc, sizeof(char *));
	o->client = calloc((size_t)argc, sizeof(char *));
	for (i = 2; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--server"))
			o->server[o->servers++] = argv[i + 1];
		else if (!strcmp(argv[i], "--client"))
			o->client[o->clients++] = argv[i + 1];
		else
			return -1;
	}
	return o->server && o->client ? 0 : -1;
}

int main(int argc, char **argv)
{
	struct sigaction a = {.sa_handler = on_interrupt}; /* without SA_RESTART: fgets is to end */
	struct peer_options o = {.interrupted = interrupted};
	static struct net_config c;
	struct problem p;
	char line[256];

	if (argc < 2 || parse(&o, argc, argv))
		return 2;
	sigaction(SIGINT, &a, NULL);
	if (peers_check(&o, &c, &p) || !(peers = peers_start(&o, &p))) {
		printf("problem: %s\n", p.text);
		return 2;
	}
	calls = peers_for_broker(peers);
	puts("started");
	fflush(stdout);
	while (!interrupts && fgets(line, sizeof(line), stdin))
		obey(line);
	peers_end(peers);
	free(o.server);
	free(o.client);
	return interrupts ? 3 : 0;
}
