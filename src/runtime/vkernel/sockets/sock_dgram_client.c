/*
 * sock_dgram_client.c: client peers that send datagrams to a socket of the SUT.
 *
 * A client comes with its first datagram: who receives that takes the client (vk->client_taken, as accept
 * does), and from then on the client is a connection of that socket: a position in its tree
 * (vk->dgram_client), and an address, 127.0.0.1 (or ::1), port 50000 + n. Unlike accept, which takes clients
 * by number, any client may be the first: there is no queue but the network. Only identical clients come by
 * number, since nobody could tell them apart.
 *
 * They come to sockets that were bound by the SUT and are not connected; and only where no listener waits for
 * them: a client peer speaks one protocol, and which one it is nobody says.
 */
#include "runtime/net/net.h"
#include "runtime/vkernel/sockets/sock.h"

static struct dgram_client *client_of(u32 client)
{
	return &vk->dgram_client[client - 1];
}

static u32 number_of(const struct vk_sock *s)
{
	return (u32)(s - vk->sock) + 1;
}

static bool is_taken(u32 client)
{
	return vk->client_taken[(client - 1) / 64] >> (client - 1) % 64 & 1;
}

/* ---- who may come? ---- */

bool sock_somebody_listens(u32 client)
{
	for (u32 i = 0; i < vk->desc_limit; i++) {
		const struct vk_sock *l = &vk->sock[i];
		if (l->flavour == SOCK_LISTEN && (!client || net_client_comes_to(client, l->local.port)))
			return true;
	}
	return false;
}

static bool fits(const struct vk_sock *s, u32 client)
{
	return net_client_comes_to(client, s->local.port) && !sock_somebody_listens(client);
}

static bool serves(const struct vk_sock *s)
{
	return net_clients() && s->flavour == SOCK_DATAGRAM && s->family != NET_UNIX &&
	       s->bound == SOCK_NAMED && !s->remote.family;
}

bool sock_expects_clients(const struct vk_sock *s)
{
	if (!serves(s))
		return false;
	for (u32 client = 1; client <= net_clients(); client++)
		if (client_of(client)->socket == number_of(s) || fits(s, client))
			return true;
	return false;
}

static bool is_the_first(const struct vk_sock *s, u32 client)
{
	return !net_clients_identical() || net_next_client(vk->client_taken, s->local.port) == client;
}

/* ---- addresses ---- */

static struct net_address address_of(const struct vk_sock *s, u32 client)
{
	struct net_address a = {.family = sock_client_address(s).family, .type = NET_DGRAM};
	a.port = (u16)(SOCK_CLIENT_PORT + client);
	return sock_address_plain(&a);
}

/* Every client has its port for itself. */
static bool is_from(const struct net_address *a, u32 client)
{
	struct net_address plain = sock_address_plain(a);
	struct net_address name = address_of(&vk->sock[client_of(client)->socket - 1], client);
	return plain.family == name.family && plain.port == name.port &&
	       !memcmp(plain.ip, name.ip, sizeof(name.ip));
}

u32 sock_client_at(const struct net_address *to)
{
	u32 client = to->port - SOCK_CLIENT_PORT;
	if (to->family == NET_UNIX || client - 1 >= net_clients() || !client_of(client)->socket)
		return 0;
	return is_from(to, client) ? client : 0;
}

const struct cache_pos *sock_client_connected(const struct vk_sock *s)
{
	u32 client = s->remote.family ? sock_client_at(&s->remote) : 0;
	return client && client_of(client)->socket == number_of(s) ? &client_of(client)->pos : NULL;
}

/* ---- receiving ---- */

/* A socket that is connected hears one sender alone. */
static bool hears(const struct vk_sock *s, u32 client)
{
	return !s->remote.family || (sock_client_at(&s->remote) == client && sock_hears(s, &s->remote));
}

void sock_clients_resolve(const struct vk_sock *s)
{
	for (u32 client = 1; client <= net_clients(); client++)
		if (client_of(client)->socket == number_of(s) && hears(s, client))
			net_resolve(&client_of(client)->pos);
}

bool sock_client_ready(const struct vk_sock *s, u32 client)
{
	const struct dgram_client *c = client_of(client);
	if (c->socket)
		return c->socket == number_of(s) && hears(s, client) &&
		       sock_frame_next(&c->pos, c->in_fault) >= 0;
	return serves(s) && !is_taken(client) && fits(s, client) && is_the_first(s, client);
}

static long take(const struct vk_sock *s, u32 client)
{
	static struct net_address at; /* off the fiber's stack */
	at = sock_client_address(s);
	at.type = NET_DGRAM;
	long err = net_accept(&at, client, &client_of(client)->pos);
	if (err)
		return err;
	vk_declare(VK_CLIENTS, ACCESS_WRITE);
	client_of(client)->socket = number_of(s);
	vk->client_taken[(client - 1) / 64] |= (u64)1 << (client - 1) % 64;
	return 0;
}

long sock_client_recv(struct vk_sock *s, u32 client, struct vk_uio *u, u32 flags, struct net_address *from,
		      u32 *out_flags)
{
	long err = client_of(client)->socket ? 0 : take(s, client);
	if (err)
		return err;
	struct net_address a = address_of(s, client);
	*from = sock_address_in_family(s->family, &a);
	struct dgram_client *d = client_of(client);
	return sock_frame_recv(&d->pos, &d->in_fault, u, flags, out_flags);
}

long sock_client_lose(struct vk_sock *s, u32 client)
{
	long err = client_of(client)->socket ? 0 : take(s, client);
	if (err)
		return err;
	sock_frame_skip(&client_of(client)->pos);
	return 0;
}

/* ---- the rest ---- */

/*
 * Linux keeps what others had sent until then, and it is read as if nothing had happened. Here it would be
 * lost.
 */
void sock_clients_note_connect(struct vk_call *c, const struct vk_sock *s, const struct net_address *to)
{
	sock_clients_resolve(s);
	for (u32 client = 1; client <= net_clients(); client++)
		if (sock_client_ready(s, client) && sock_client_at(to) != client) {
			vk_refuse(c,
				  "connect (of a socket that other client peers may have sent datagrams to)");
			return;
		}
}

/* A client is known to the broker as the sender to one port. */
long sock_client_send(struct vk_call *c, const struct vk_sock *s, u32 client, struct vk_uio *u)
{
	if (client_of(client)->socket != number_of(s)) {
		vk_refuse(c, "datagrams to a client peer from another socket than it has sent to");
		return -EPERM;
	}
	return sock_frame_send(&client_of(client)->pos, u);
}

void sock_clients_close(const struct vk_sock *s)
{
	for (u32 client = 1; client <= net_clients(); client++) {
		if (client_of(client)->socket != number_of(s))
			continue;
		vk_declare(VK_CLIENTS, ACCESS_WRITE);
		net_close(&client_of(client)->pos);
		*client_of(client) = (struct dgram_client){0};
	}
}

void sock_describe_client(u32 client, struct text *t)
{
	const struct dgram_client *c = client_of(client);
	u8 data[SOCK_SHOWN];
	text_str(t, ": client ");
	text_dec(t, client);
	long n = sock_frame_next(&c->pos, DGRAM_WELL);
	if (n < 0) {
		text_str(t, ", which is new");
		return;
	}
	net_copy(&c->pos, NET_FRAME_HEAD, data, (size_t)HD_MIN(n, (long)SOCK_SHOWN));
	text_str(t, ": ");
	sock_describe_data(data, (u64)n, t);
}
