#include "world.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_PROCESSES 64

static struct {
	struct broker *b;
	struct process {
		pid_t pid;
		bool ended;
		int status;
	} process[MAX_PROCESSES];
	u32 processes;
	pid_t server;
	struct net_address server_at;
	const char *client;
	u32 questions;
	char folder[64];
	u32 paths;
} w;

struct wire_net *world_net;

static const char *peer_program(void)
{
	const char *p = getenv("HEDDLE_TEST_PEER");

	assert_non_null(p);
	return p;
}

static pid_t start(const char *command)
{
	pid_t pid = fork();

	assert_true(pid >= 0 && w.processes < MAX_PROCESSES);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setpgid(0, 0);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	setpgid(pid, pid);
	w.process[w.processes++] = (struct process){.pid = pid};
	return pid;
}

static struct process *find(pid_t pid)
{
	for (u32 i = 0; i < w.processes; i++)
		if (w.process[i].pid == pid)
			return &w.process[i];
	fail_msg("process %d is unknown", pid);
	return NULL;
}

static bool ended(void *self, pid_t pid, int *status)
{
	struct process *p = find(pid);

	(void)self;
	if (!p->ended && waitpid(pid, &p->status, WNOHANG) == pid)
		p->ended = true;
	if (status)
		*status = p->status;
	return p->ended;
}

static void end(void *self, pid_t pid)
{
	struct process *p = find(pid);
	int status;

	kill(-pid, SIGKILL);
	if (!ended(self, pid, &status))
		waitpid(pid, NULL, 0);
	*p = w.process[--w.processes];
}

static const char *as_argument(const struct net_address *a, char out[120])
{
	if (a->family == NET_UNIX)
		snprintf(out, 120, "%s", a->path);
	else
		snprintf(out, 120, "%s%u",
			 a->family == NET_INET6 ? "6:"
			 : a->type == NET_DGRAM ? "udp:"
						: "",
			 a->port);
	return out;
}

static pid_t start_client(void *self, u32 n, const struct net_address *physical, struct problem *p)
{
	char command[512], address[120];

	(void)self;
	(void)n;
	(void)p;
	snprintf(command, sizeof(command), "exec %s %s %s 2>/dev/null", peer_program(), w.client,
		 as_argument(physical, address));
	return start(command);
}

static pid_t server_of(void *self, const struct net_address *to, struct net_address *physical)
{
	(void)self;
	if (!w.server || memcmp(to, &w.server_at, sizeof(*to)))
		return 0;
	*physical = w.server_at;
	return w.server;
}

static void last_words(void *self, pid_t pid, char *out, size_t cap)
{
	(void)self;
	snprintf(out, cap, "words of %d", pid);
}

static bool interrupted(void *self)
{
	(void)self;
	return w.questions && --w.questions == 0;
}

struct broker *world_broker(void)
{
	return w.b;
}

void world_begin(u32 peer_timeout_ms)
{
	struct broker_peers peers = {
		.start_client = start_client,
		.end_client = end,
		.server_of = server_of,
		.ended = ended,
		.last_words = last_words,
		.interrupted = interrupted,
	};
	struct problem p;

	if (!world_net)
		world_net = calloc(1, sizeof(*world_net));
	w.client = "client";
	snprintf(w.folder, sizeof(w.folder), "/tmp/heddle-test-XXXXXX");
	assert_non_null(mkdtemp(w.folder));
	w.b = broker_create(
		&(struct broker_options){.response_timeout_ms = 60, .peer_timeout_ms = peer_timeout_ms},
		&peers, &p);
	assert_non_null(w.b);
}

void world_end(void)
{
	char command[128];

	broker_free(w.b);
	while (w.processes)
		end(NULL, w.process[0].pid);
	snprintf(command, sizeof(command), "rm -rf %s", w.folder);
	assert_int_equal(system(command), 0);
	memset(&w, 0, sizeof(w));
}

/* A port nobody has at this moment. */
static u16 free_port(int family, int type)
{
	struct sockaddr_storage s = {.ss_family = (sa_family_t)family};
	socklen_t n = sizeof(s);
	int fd = socket(family, type, 0);

	assert_int_equal(
		bind(fd, (struct sockaddr *)&s, family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(s)),
		0);
	getsockname(fd, (struct sockaddr *)&s, &n);
	close(fd);
	return ntohs(((struct sockaddr_in *)&s)->sin_port);
}

struct net_address world_address(const char *kind)
{
	struct net_address a = {.family = NET_INET, .type = NET_STREAM, .ip = {127, 0, 0, 1}};

	if (strcmp(kind, "unix") == 0) {
		a = (struct net_address){.family = NET_UNIX, .type = NET_STREAM};
		a.path_len = (u16)(snprintf(a.path, sizeof(a.path), "%s/%u", w.folder, ++w.paths) + 1);
		return a;
	}
	if (strcmp(kind, "tcp6") == 0)
		a = (struct net_address){.family = NET_INET6, .type = NET_STREAM, .ip[15] = 1};
	if (strcmp(kind, "udp") == 0)
		a.type = NET_DGRAM;
	a.port = free_port(a.family, a.type);
	return a;
}

pid_t world_server_command(const char *command, const char *kind, struct net_address *at)
{
	char text[512], address[120];
	struct problem p = {""};

	*at = w.server_at = world_address(kind);
	as_argument(at, address);
	snprintf(text, sizeof(text), command, address, address);
	w.server = start(text);
	if (broker_wait_ready(w.b, w.server, command, &p))
		fail_msg("%s", p.text);
	return w.server;
}

pid_t world_server(const char *manner, const char *kind, struct net_address *at)
{
	char command[512];

	snprintf(command, sizeof(command), "exec %s %s %%s", peer_program(), manner);
	return world_server_command(command, kind, at);
}

pid_t world_start(const char *manner)
{
	char command[512];

	snprintf(command, sizeof(command), "exec %s %s 0 2>/dev/null", peer_program(), manner);
	return start(command);
}

void world_forget_server(void)
{
	w.server = 0;
}

void world_client(const char *manner)
{
	w.client = manner;
}

void world_interrupt_after(u32 questions)
{
	w.questions = questions;
}

static int open_with(const struct net_address *to, u32 client, u32 flags)
{
	world_net->op = NET_OPEN;
	world_net->to = *to;
	world_net->client = client;
	world_net->flags = flags;
	broker_serve(w.b, world_net);
	return world_net->status;
}

int world_open(const struct net_address *to, u32 client)
{
	return open_with(to, client, 0);
}

int world_open_joint(const struct net_address *to, u32 client)
{
	return open_with(to, client, NET_JOINT);
}

int world_exchange_bytes(u32 conn, const void *data, u64 len, u32 flags)
{
	world_net->op = NET_EXCHANGE;
	world_net->conn = conn;
	world_net->flags = flags;
	world_net->len = len;
	memcpy(world_net->data, data, len);
	broker_serve(w.b, world_net);
	return world_net->status;
}

int world_exchange(u32 conn, const char *text)
{
	return world_exchange_bytes(conn, text, strlen(text), 0);
}

bool world_answered(const char *text)
{
	return world_net->status == 0 && world_net->len == strlen(text) &&
	       memcmp(world_net->data, text, world_net->len) == 0;
}

bool world_ask(u32 conn, u32 number)
{
	char question[32], answer[32];

	snprintf(question, sizeof(question), "%u\n", number);
	snprintf(answer, sizeof(answer), "re %u\n", number);
	world_exchange(conn, question);
	if (world_answered(answer))
		return true;
	printf("# asked %u: status %d, %llu bytes \"%.*s\", %s\n", number, world_net->status,
	       (unsigned long long)world_net->len, (int)world_net->len, (const char *)world_net->data,
	       world_net->text);
	return false;
}

double world_now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}
