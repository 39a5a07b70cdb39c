/*
 * driver.c: a controller without a search, which saves a peer and brings it back as it is told.
 *
 *   checkpoint-driver OUT BACKEND [--server COMMAND]… [--client COMMAND]…
 *
 * Standard input, one answer line each; server and client commands are those of heddle. Bytes are in hexadecimal.
 *   open PORT          connect to the server for this port of the program's: "conn N", or "error …"
 *   client N PORT      start client N, which comes to this port: "conn N"
 *   ask CONN HEX       send it, wait until the peer has answered all it will: "said HEX [eof|reset]…"
 *   end CONN           shut down our writing side; as ask
 *   close CONN
 *   backend CONN       "fork: why"
 *   save CONN          save the peer of this connection, with all its connections: "saved ID", "refused: why"
 *   save0 PORT         … of the server for this port
 *   restore ID         "restored", or "problem: …"
 *   drop ID
 *   acted CONN         "yes" or "no": anything that may be different in another run, since the last time
 *   acts CONN          "getrandom 3, clock 5 (tamed)"
 *   cost               nanoseconds: "save N restore N restart N bytes N"
 *   process CONN       pid of the process that runs
 *   repeat N ID        restore it so often; the answer as of cost
 * End of file: ends all.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "broker/address.h"
#include "broker/broker.h"
#include "checkpoint/checkpoint.h"

#define CONNS 256
#define SAVED 65536

static struct peers *peers;
static struct broker *broker;
static struct checkpoints *checkpoints;
static struct wire_net *net;
static struct {
	u32 conn[CONNS];
	u32 n;
} * saved;
static pid_t peer_of_conn[65536];
static char *greeting[65536]; /* in hexadecimal: what it said before it was asked, and nobody has been told */
static bool astray[65536];    /* opened in another past */
static int nowhere;           /* an end of a pair, on which nothing ever comes */

void hd_panic(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: %s\n", file, line, what);
	abort();
}

static bool interrupted(void)
{
	return false;
}

static void show_error(void)
{
	printf("error %d: %s\n", net->status, net->text);
}

static struct net_address port_address(const char *port)
{
	return (struct net_address){
		.family = NET_INET, .type = NET_STREAM, .port = (u16)atoi(port), .ip = {127, 0, 0, 1}};
}

static pid_t server_at(const char *port)
{
	struct net_address to = port_address(port), physical;
	const struct broker_peers *calls = peers_for_broker(peers);
	return calls->server_of(calls->self, &to, &physical);
}

static pid_t newest_client;
static pid_t (*real_start)(void *self, u32 n, const struct net_address *physical, struct problem *p);

static pid_t start_client(void *self, u32 n, const struct net_address *physical, struct problem *p)
{
	return newest_client = real_start(self, n, physical, p);
}

static u64 hear_rest(char **hex, u64 len)
{
	bool more;
	do {
		char *longer = realloc(*hex, 2 * (len + net->len) + 1);
		hd_assert(longer != NULL);
		*hex = longer;
		for (u64 i = 0; i < net->len; i++)
			sprintf(longer + 2 * (len + i), "%02x", net->data[i]);
		len += net->len;
		longer[2 * len] = 0;
		more = net->flags & NET_MORE;
		if (more) {
			net->op = NET_EXCHANGE;
			net->len = 0;
			net->flags = 0;
			broker_serve(broker, net);
		}
	} while (more && !net->status);
	return len;
}

/*
 * As the cache does it: whoever is asked has come to rest before, with all that a new connection is to it. A
 * question in the middle of that is another conversation (an edge of epoll that comes twice).
 */
static void hear_greeting(void)
{
	net->op = NET_EXCHANGE;
	net->flags = 0;
	net->expected = 0;
	net->len = 0;
	broker_serve(broker, net);
	if (!net->status)
		hear_rest(&greeting[net->conn & 65535], 0);
}

static void open_one(u32 client, const char *port)
{
	struct problem p;
	net->op = NET_OPEN;
	net->client = client;
	net->to = port_address(port);
	net->flags = 0;
	net->len = 0;
	broker_serve(broker, net);
	if (net->status) {
		show_error();
		return;
	}
	u32 conn = net->conn;
	pid_t peer = client ? newest_client : server_at(port);
	peer_of_conn[conn] = peer;
	if (checkpoint_adopt(checkpoints, peer, &p)) {
		printf("problem: %s\n", p.text);
		return;
	}
	hear_greeting();
	printf("conn %u\n", conn);
}

static void show_reply(u32 conn)
{
	char **said = &greeting[conn & 65535];
	if (net->status) {
		show_error();
		return;
	}
	hear_rest(said, *said ? strlen(*said) / 2 : 0);
	printf("said %s", *said);
	free(*said);
	*said = NULL;
	printf("%s%s%s\n", net->flags & NET_EOF ? " eof" : "", net->flags & NET_RESET ? " reset" : "",
	       net->flags & NET_UNREAD ? " unread" : "");
}

static void ask(u32 conn, const char *hex, u32 flags)
{
	net->op = NET_EXCHANGE;
	net->conn = conn;
	net->flags = flags;
	net->expected = 0;
	net->len = strlen(hex) / 2;
	for (u64 i = 0; i < net->len; i++) {
		unsigned byte = 0;
		sscanf(hex + 2 * i, "%2x", &byte);
		net->data[i] = (u8)byte;
	}
	broker_serve(broker, net);
	show_reply(conn);
}

static void save(pid_t peer)
{
	struct problem p;
	int fd[CONNS];
	u64 id;
	u32 conn[CONNS], all = broker_connections(broker, peer, conn, CONNS), n = 0;
	for (u32 i = 0; i < all; i++)
		if (!astray[conn[i]]) {
			conn[n] = conn[i];
			fd[n] = broker_fd(broker, conn[n]);
			n++;
		}
	int r = checkpoint_save(checkpoints, peer, fd, n, &id, &p);
	if (r) {
		printf("%s: %s\n", r == -EOPNOTSUPP ? "refused" : "problem", p.text);
		return;
	}
	hd_assert(id < SAVED);
	saved[id].n = n;
	memcpy(saved[id].conn, conn, sizeof(conn));
	printf("saved %llu\n", (unsigned long long)id);
}

static bool restore(u64 id, struct problem *p)
{
	int fd[CONNS];
	pid_t now, peer = checkpoint_of(checkpoints, id, NULL);
	u32 conn[CONNS], n = broker_connections(broker, peer, conn, CONNS), kept;
	if (checkpoint_restore(checkpoints, id, fd, &now, p))
		return false;
	for (u32 i = 0; i < n;
	     i++) { /* opened since then: it leads nowhere, until that is brought back, too */
		for (kept = 0; kept < saved[id].n && saved[id].conn[kept] != conn[i]; kept++)
			;
		if (kept == saved[id].n) {
			broker_replace(broker, conn[i], dup(nowhere));
			astray[conn[i]] = true;
		}
	}
	for (u32 i = 0; i < saved[id].n; i++) {
		broker_replace(broker, saved[id].conn[i], fd[i]);
		astray[saved[id].conn[i]] = false;
	}
	return true;
}

static void show_acts(pid_t peer)
{
	struct checkpoint_act act[64];
	u32 n = checkpoint_acts(checkpoints, peer, act, 64);
	for (u32 i = 0; i < n; i++)
		printf("%s%s %llu%s", i ? ", " : "", act[i].call, (unsigned long long)act[i].count,
		       act[i].tamed ? " (tamed)" : "");
	printf("\n");
}

static void show_cost(void)
{
	struct checkpoint_cost c;
	checkpoint_cost(checkpoints, 0, &c);
	printf("save %llu restore %llu restart %llu bytes %llu\n", (unsigned long long)c.save_ns,
	       (unsigned long long)c.restore_ns, (unsigned long long)c.restart_ns,
	       (unsigned long long)c.bytes);
}

static void repeat(u32 times, u64 id)
{
	struct problem p;
	for (u32 i = 0; i < times; i++)
		if (!restore(id, &p)) {
			printf("problem: %s\n", p.text);
			return;
		}
	show_cost();
}

static void obey(const char *verb, const char *a, const char *b)
{
	struct problem p;
	const char *why;
	u32 conn = (u32)atoi(a);
	pid_t peer = peer_of_conn[conn & 65535];
	if (!strcmp(verb, "open"))
		open_one(0, a);
	else if (!strcmp(verb, "client"))
		open_one((u32)atoi(a), b);
	else if (!strcmp(verb, "ask"))
		ask(conn, b, 0);
	else if (!strcmp(verb, "end"))
		ask(conn, "", NET_END);
	else if (!strcmp(verb, "save"))
		save(peer);
	else if (!strcmp(verb, "save0"))
		save(checkpoint_adopt(checkpoints, server_at(a), &p) ? 0 : server_at(a));
	else if (!strcmp(verb, "restore"))
		printf(restore((u64)atoi(a), &p) ? "restored\n" : "problem: %s\n", p.text);
	else if (!strcmp(verb, "repeat"))
		repeat((u32)atoi(a), (u64)atoi(b));
	else if (!strcmp(verb, "acted"))
		printf("%s\n", checkpoint_acted(checkpoints, peer) ? "yes" : "no");
	else if (!strcmp(verb, "acts"))
		show_acts(peer);
	else if (!strcmp(verb, "cost"))
		show_cost();
	else if (!strcmp(verb, "process"))
		printf("%d\n", checkpoint_process(checkpoints, peer));
	else if (!strcmp(verb, "backend")) {
		const char *name = checkpoint_backend(checkpoints, peer, &why);
		printf("%s: %s\n", name, why);
	} else if (!strcmp(verb, "drop")) {
		checkpoint_drop(checkpoints, (u64)atoi(a));
		printf("dropped\n");
	} else if (!strcmp(verb, "close")) {
		net->op = NET_CLOSE;
		net->conn = conn;
		broker_serve(broker, net);
		printf("closed\n");
	} else
		printf("what is %s?\n", verb);
}

static enum checkpoint_choice choice(const char *name)
{
	static const char *const names[] = {"auto", "fork", "criu", "restart"};
	for (u32 i = 0; i < HD_ARRAY_LEN(names); i++)
		if (!strcmp(name, names[i]))
			return (enum checkpoint_choice)i;
	return CHECKPOINT_AUTO;
}

static void fail(const struct problem *p)
{
	printf("problem: %s\n", p->text);
	exit(2);
}

int main(int argc, char **argv)
{
	static char line[1 << 20], verb[16], a[32], b[1 << 20];
	struct problem p;
	struct peer_options o = {.out = argv[1], .interrupted = interrupted};
	struct checkpoint_options how = {.choice = choice(argv[2])};
	struct broker_options patience = {0};
	int pair[2];
	setvbuf(stdout, NULL, _IOLBF, 0);
	o.server = calloc((size_t)argc, sizeof(char *));
	o.client = calloc((size_t)argc, sizeof(char *));
	for (int i = 3; i + 1 < argc; i += 2)
		if (!strcmp(argv[i], "--server"))
			o.server[o.servers++] = argv[i + 1];
		else
			o.client[o.clients++] = argv[i + 1];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return 2;
	nowhere = pair[0];
	net = calloc(1, sizeof(*net));
	saved = calloc(SAVED, sizeof(*saved));
	checkpoints = checkpoints_create(&how, &o, &p);
	if (!checkpoints || !(peers = peers_start(&o, &p)))
		fail(&p);
	struct broker_peers calls = *peers_for_broker(peers);
	real_start = calls.start_client;
	calls.start_client = start_client;
	broker = broker_create(&patience, &calls, &p);
	checkpoints_set_peers(checkpoints, peers, broker);
	if (!broker || peers_start_servers(peers, broker, &p)) {
		peers_end(peers);
		fail(&p);
	}
	printf("ready\n");
	while (fgets(line, sizeof(line), stdin)) {
		verb[0] = a[0] = b[0] = 0;
		sscanf(line, "%15s %31s %1048575s", verb, a, b);
		obey(verb, a, b);
	}
	checkpoints_free(checkpoints);
	broker_free(broker);
	peers_end(peers);
	free(saved);
	free(net);
	free(o.server);
	free(o.client);
	return 0;
}
