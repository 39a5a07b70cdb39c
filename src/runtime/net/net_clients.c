/* Client peers, as the run was told of them. */
#include "runtime/net/net.h"
#include "runtime/rt.h"
#include "wire/wire.h"

u32 net_clients(void)
{
	return rt_wire->config.net.clients;
}

bool net_clients_identical(void)
{
	return rt_wire->config.net.identical_clients;
}

bool net_client_comes_to(u32 client, u16 port)
{
	u16 named = rt_wire->config.net.client_port[client - 1];
	return !named || named == port;
}

bool net_client_is_next(const u64 *taken, u32 client, u16 port)
{
	const struct net_config *c = &rt_wire->config.net;
	for (u32 i = 0; i < client; i++) {
		bool waits = !(taken[i / 64] >> i % 64 & 1) && net_client_comes_to(i + 1, port);
		if (waits && c->client_class[i] == c->client_class[client - 1])
			return i + 1 == client;
	}
	return false;
}

u32 net_next_client(const u64 *taken, u16 port)
{
	const struct net_config *c = &rt_wire->config.net;
	for (u32 i = 0; i < c->clients; i++)
		if (!(taken[i / 64] >> i % 64 & 1) && net_client_comes_to(i + 1, port))
			return i + 1;
	return 0;
}
