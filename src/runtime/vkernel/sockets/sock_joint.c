/*
 * sock_joint.c: connections of joint peers, those that have several at a time (wire_net.h, NET_JOINT): of a
 * client that opens them, or to the server peers, if their answers depend on all that was said to them. Such
 * a peer has one conversation over all of them. Where that is, is kept in vk->client_last or vk->shared, and
 * in the position of each of its sockets, which are moved together: what is written to one can make the peer
 * speak on another, or open one more.
 *
 * Connections that the client has opened wait to be accepted, in any order: it does not notice which is taken
 * first, and the network may delay each of them. To servers the SUT connects: that is something it says.
 */
#include "runtime/net/net.h"
#include "runtime/vkernel/sockets/sock.h"
#include "runtime/vkernel/vk_ops.h"

#define NAPS_MAX 4u
#define PORT_ROUNDS 60u /* so many connections of a client have ports of their own */

u16 sock_port_of_client(u32 client, u32 connection)
{
	u32 round = connection ? (connection - 1) % PORT_ROUNDS : 0;
	return (u16)(SOCK_CLIENT_PORT + client + round * NET_MAX_CLIENTS);
}

u32 sock_client_of_port(u16 port)
{
	return (port - SOCK_CLIENT_PORT - 1) % NET_MAX_CLIENTS + 1;
}

bool sock_joint_is_taken(u32 client, u32 connection)
{
	return vk->joint_taken[client - 1][connection / 64] >> connection % 64 & 1;
}

/* One that has not been started opens one at least. */
u32 sock_joint_opened(const struct vk_sock *l, u32 client, bool started)
{
	if (started)
		return net_connections(&vk->client_last[client - 1]);
	struct net_address at = sock_client_address(l);
	return HD_MAX(net_first_connections(&at, client), 1u);
}

u32 sock_joint_waiting(const struct vk_sock *l, u32 client, bool started)
{
	u32 n = 0, opened = sock_joint_opened(l, client, started);
	for (u32 k = 1; k <= opened; k++)
		n += !sock_joint_is_taken(client, k);
	return n;
}

void sock_joint_resolve(const struct vk_sock *l)
{
	for (u32 client = 1; client <= net_clients(); client++) {
		if (!net_client_is_joint(client) || !net_client_comes_to(client, l->local.port))
			continue;
		struct net_address at = sock_client_address(l);
		if (vk->client_last[client - 1].tree)
			net_resolve(&vk->client_last[client - 1]);
		else if (net_client_is_next(vk->client_taken, client, l->local.port))
			net_resolve_first(&at, client);
	}
}

long sock_joint_accept(const struct net_address *local, u32 client, u32 connection, bool started,
		       struct cache_pos *pos)
{
	vk_declare(VK_CLIENTS, ACCESS_WRITE);
	long err = started ? 0 : net_accept(local, client, &vk->client_last[client - 1]);
	if (err)
		return err;
	vk->joint_taken[client - 1][connection / 64] |= (u64)1 << connection % 64;
	*pos = vk->client_last[client - 1];
	pos->connection = connection;
	return 0;
}

/* Of a client; 0: the servers. */
static struct cache_pos *whole_of(u32 client)
{
	return client ? &vk->client_last[client - 1] : &vk->shared;
}

static u64 object_of(u32 client)
{
	return client ? VK_CLIENTS : VK_SHARED;
}

static bool is_part(u32 slot, u32 client)
{
	const struct vk_sock *s = &vk->sock[slot];
	return vk->desc[slot].kind == VK_SOCKET && s->client == client && s->pos.connection;
}

/* All its sockets are where its conversation is. */
static void move_all(u32 client)
{
	const struct cache_pos *all = whole_of(client);
	for (u32 i = 0; i < vk->desc_limit; i++) {
		struct vk_sock *s = &vk->sock[i];
		if (!is_part(i, client))
			continue;
		sock_declare(s);
		s->pos.branch = all->branch;
		s->pos.written = all->written;
	}
}

void sock_joint_moved(struct vk_sock *s)
{
	if (!s->pos.connection)
		return;
	vk_declare(object_of(s->client), ACCESS_WRITE);
	struct cache_pos *all = whole_of(s->client);
	all->branch = s->pos.branch;
	all->written = s->pos.written;
	if (!s->client)
		vk->naps = 0;
	move_all(s->client);
}

/* ---- servers ---- */

/* The lowest number that no open connection has; 0: there is none. */
static u32 free_number(void)
{
	u64 taken[NET_JOINT_MAX / 64 + 1] = {0};
	for (u32 i = 0; i < vk->desc_limit; i++)
		if (is_part(i, 0))
			taken[vk->sock[i].pos.connection / 64] |= (u64)1 << vk->sock[i].pos.connection % 64;
	for (u32 n = 1; n <= NET_JOINT_MAX; n++)
		if (!(taken[n / 64] >> n % 64 & 1))
			return n;
	return 0;
}

long sock_server_connect(const struct net_address *to, struct cache_pos *pos)
{
	if (!net_servers_are_joint())
		return net_connect(to, pos);
	vk_declare(VK_SHARED, ACCESS_WRITE);
	vk->naps = 0;
	long err = net_connect_joint(&vk->shared, to, free_number(), pos);
	move_all(0);
	return err;
}

void sock_joint_accesses(const struct vk_sock *s)
{
	if (s->client || !net_servers_are_joint())
		return;
	access_declare(VK_SHARED, 1, ACCESS_WRITE);
	for (u32 i = 0; i < vk->desc_limit; i++)
		if (is_part(i, 0))
			access_declare(vk_socket_object(i), 1, ACCESS_WRITE);
}

/* ---- a peer that speaks by itself, when its time-out ends ---- */

static u32 client_of_alt(u32 n)
{
	return n == ALT_PEER_SERVERS ? 0 : n + 1;
}

bool vk_peer_waits(u32 n)
{
	u32 client = client_of_alt(n);
	bool joint = client ? net_client_is_joint(client) : net_servers_are_joint();
	return joint && net_would_speak(whole_of(client));
}

void vk_peer_acts(u32 n)
{
	net_pass_time(whole_of(client_of_alt(n)));
	move_all(client_of_alt(n));
}

void vk_peer_access(u32 n)
{
	vk_declare(object_of(client_of_alt(n)), ACCESS_WRITE);
	for (u32 i = 0; i < vk->desc_limit; i++)
		if (is_part(i, client_of_alt(n)))
			sock_declare(&vk->sock[i]);
}

/*
 * A program that sleeps between two requests finds a session expired, and a limit of requests a second
 * forgotten. A loop that only sleeps, until another thread has done something, sleeps for any time: what
 * servers are told of that is bounded.
 */
bool vk_time_passes(u64 until, bool sleeps)
{
	u64 now = clock_now();
	if (until <= now || !net_moves_clocks(sleeps ? until - now : 0) || !vk->shared.tree)
		return false;
	if (vk->naps == NAPS_MAX) {
		net_note_untold_time();
		return false;
	}
	vk_peer_access(ALT_PEER_SERVERS);
	vk->naps++;
	net_move_clocks(&vk->shared, until - now);
	move_all(0);
	return true;
}

void vk_describe_peer(u32 n, struct text *t)
{
	if (n == ALT_PEER_SERVERS) {
		text_str(t, "waits, and a time-out of a server ends");
		return;
	}
	text_str(t, "waits, and a time-out of client ");
	text_dec(t, (long)n + 1);
	text_str(t, " ends");
}

void sock_joint_leave(struct vk_sock *s)
{
	net_leave(&s->pos);
	sock_joint_moved(s);
	s->pos = (struct cache_pos){0};
}

u32 sock_joint_open(const struct cache_pos **out, u32 room)
{
	u32 n = 0;
	for (u32 i = 0; i < net_clients() && n < room; i++)
		if (net_client_is_joint(i + 1) && vk->client_last[i].tree)
			out[n++] = &vk->client_last[i];
	if (vk->shared.tree && n < room)
		out[n++] = &vk->shared;
	return n;
}
