#include "peer/peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "peer/listening.h"
#include "peer/peer_priv.h"

struct peer *peer_find(const struct peers *s, pid_t pid)
{
	for (size_t i = 0; i < s->slots; i++)
		if (s->peer[i].pid == pid)
			return &s->peer[i];
	return NULL;
}

static struct peer *find_server(const struct peers *s, u32 n)
{
	for (size_t i = 0; i < s->slots; i++)
		if (s->peer[i].pid && s->peer[i].server == n)
			return &s->peer[i];
	return NULL;
}

/* A slot for one more; valid until the next call. */
static struct peer *take_slot(struct peers *s)
{
	struct peer *free_one = peer_find(s, 0);
	size_t more = s->slots ? s->slots * 2 : 8;
	if (!free_one) {
		free_one = realloc(s->peer, more * sizeof(*s->peer));
		if (!free_one)
			return NULL;
		s->peer = free_one;
		free_one += s->slots;
		memset(free_one, 0, (more - s->slots) * sizeof(*free_one));
		s->slots = more;
	}
	memset(free_one, 0, sizeof(*free_one));
	return free_one;
}

/* The command, behind what the shell is to do before; to be freed. */
static char *wrapped(const struct peers *s, const char *command)
{
	char *text = NULL, *before = s->options.wrap ? s->options.wrap(s->options.wrap_self) : strdup("");
	if (before && asprintf(&text, "%s%s", before, command) < 0)
		text = NULL;
	free(before);
	return text;
}

pid_t peer_start(struct peers *s, u32 server, u32 client, const char *command, struct problem *p)
{
	u32 *starts = &s->starts[client ? s->options.servers + client - 1 : server - 1];
	struct peer *e = take_slot(s);
	if (!e)
		return problem_set(p, "out of memory");
	e->server = server;
	e->client = client;
	int fd = peer_log_open(s, e, *starts + 1, &e->log_from, p);
	if (fd < 0)
		return -1;
	char *text = wrapped(s, command);
	pid_t pid = text ? warden_start_peer(&s->warden, text, fd, p) : problem_set(p, "out of memory");
	free(text);
	close(fd);
	if (pid < 0)
		return -1;
	++*starts;
	return e->pid = pid;
}

static pid_t start_client(void *self, u32 n, const struct net_address *physical, struct problem *p)
{
	struct peers *s = self;
	char *command = client_command(s, n, physical, p);
	pid_t pid = command ? peer_start(s, 0, n, command, p) : -1;
	free(command);
	return pid;
}

static bool ended(void *self, pid_t pid, int *status)
{
	struct peers *s = self;
	struct peer *e = peer_find(s, pid);
	if (!e)
		return false;
	/* A warden that is gone has taken its peers along. */
	if (!e->ended)
		e->ended = warden_peer_ended(&s->warden, pid, &e->status) != 0;
	if (e->ended && status)
		*status = e->status;
	return e->ended;
}

static void end_client(void *self, pid_t pid)
{
	struct peers *s = self;
	struct peer *e = peer_find(s, pid);
	if (!e)
		return;
	if (!e->ended)
		warden_end_peer(&s->warden, pid);
	memset(e, 0, sizeof(*e));
}

/* Looking through all processes takes milliseconds, so what was found is remembered. */
static pid_t find_listener(struct peers *s, const struct net_address *at)
{
	struct served *slot = &s->served[s->served_count % HD_ARRAY_LEN(s->served)];
	for (size_t i = 0; i < HD_ARRAY_LEN(s->served); i++)
		if (s->served[i].pid && !memcmp(&s->served[i].at, at, sizeof(*at)))
			return s->served[i].pid;
	for (size_t i = 0; i < s->slots; i++)
		if (s->peer[i].server && listening_is_below(s->peer[i].pid, at)) {
			*slot = (struct served){*at, s->peer[i].pid};
			s->served_count++;
			return slot->pid;
		}
	return 0;
}

/* A port that several commands name belongs to whoever listens there; before anybody does, to the first. */
static pid_t server_of(void *self, const struct net_address *to, struct net_address *physical)
{
	struct peers *s = self;
	const struct place *l = places_find(&s->places, to, physical);
	const struct peer *e = l ? find_server(s, l->server) : NULL;
	s->set[0].independent = true;
	if (!l)
		*physical = *to;
	pid_t pid = find_listener(s, physical);
	return pid ? pid : e ? e->pid : 0;
}

static void last_words(void *self, pid_t pid, char *out, size_t cap)
{
	const struct peers *s = self;
	const struct peer *e = peer_find(s, pid);
	out[0] = 0;
	if (e)
		peer_log_last_words(s, e, out, cap);
}

static bool interrupted(void *self)
{
	const struct peers *s = self;
	return s->options.interrupted && s->options.interrupted();
}

const struct broker_peers *peers_for_broker(struct peers *s)
{
	return &s->for_broker;
}

bool peers_number(const struct peers *s, pid_t pid, u32 *n, bool *client)
{
	const struct peer *e = peer_find(s, pid);
	if (!e || pid <= 0)
		return false;
	*client = e->client > 0;
	*n = e->client ? e->client : e->server;
	return *n > 0;
}

const char *peers_folder(const struct peers *s)
{
	return s->places.folder;
}

u64 peers_running(const struct peers *s)
{
	u64 count = 0;
	for (size_t i = 0; i < s->slots; i++)
		count += s->peer[i].pid && !s->peer[i].ended;
	return count;
}

/* Places are chosen before the warden starts: it is to remove their folder. */
static int choose_places(struct peers *s, struct problem *p)
{
	for (u32 n = 1; n <= s->options.servers; n++) {
		struct server_set first = {.places = s->places};
		char *command = server_command(s, &first, n, p);
		s->places = first.places;
		if (!command)
			return -1;
		free(command);
	}
	return 0;
}

bool peers_are_shown(void)
{
	char self[32];
	ssize_t n = readlink("/proc/self", self, sizeof(self) - 1);
	if (n <= 0)
		return false;
	self[n] = 0;
	return atol(self) == getpid();
}

static int prepare(struct peers *s, struct problem *p)
{
	size_t commands = s->options.servers + s->options.clients;
	s->starts = calloc(commands + 1, sizeof(*s->starts));
	if (!s->starts)
		return problem_set(p, "out of memory");
	for (size_t i = 0; s->options.append_logs && i < commands; i++)
		s->starts[i] = 1;
	/* Whom the program talks to may run already, and often there is nobody. */
	if (!commands)
		return 0;
	if (!peers_are_shown())
		return problem_set(
			p, "/proc shows the processes of another pid namespace, so that peers can't be "
			   "looked into: mount it anew (unshare --pid --fork --mount-proc)");
	return choose_places(s, p) ? -1 : warden_start(&s->warden, s->places.folder, s->options.folder, p);
}

struct peers *peers_start(const struct peer_options *o, struct problem *p)
{
	struct peers *s = calloc(1, sizeof(*s));
	if (!s) {
		problem_set(p, "out of memory");
		return NULL;
	}
	s->options = *o;
	s->for_broker = (struct broker_peers){.self = s,
					      .start_client = start_client,
					      .end_client = end_client,
					      .server_of = server_of,
					      .ended = ended,
					      .last_words = last_words,
					      .interrupted = interrupted,
					      .take_servers = server_set_take,
					      .end_servers = server_set_end,
					      .server_pids = server_set_pids,
					      .server_place = server_set_place};
	if (prepare(s, p) == 0)
		return s;
	if (s->places.folder[0])
		rmdir(s->places.folder);
	server_sets_release(s);
	free(s->starts);
	free(s);
	return NULL;
}

void peers_end(struct peers *s)
{
	if (!s)
		return;
	if (s->warden.pid)
		warden_end(&s->warden);
	server_sets_release(s);
	free(s->peer);
	free(s->starts);
	free(s);
}
