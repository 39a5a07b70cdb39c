/* A network without anybody: for tests of the virtual kernel. */
#include "runtime/net/net.h"

#include <errno.h>

long net_connect(const struct net_address *to, struct cache_pos *pos)
{
	(void)to;
	(void)pos;
	return -ECONNREFUSED;
}

long net_accept(const struct net_address *local, u32 client, struct cache_pos *pos)
{
	(void)local;
	(void)client;
	(void)pos;
	return -EAGAIN;
}

long net_write(struct cache_pos *pos, const void *data, size_t n)
{
	(void)pos;
	(void)data;
	(void)n;
	return -EPIPE;
}

long net_end(struct cache_pos *pos)
{
	(void)pos;
	return 0;
}

long net_close(struct cache_pos *pos)
{
	(void)pos;
	return 0;
}

void net_copy(const struct cache_pos *pos, u64 skip, void *to, size_t n)
{
	(void)pos;
	(void)skip;
	(void)to;
	(void)n;
}

void net_resolve(const struct cache_pos *pos)
{
	(void)pos;
}

bool net_look(const struct cache_pos *pos, u64 *bytes, u32 *flags)
{
	(void)pos;
	*bytes = *flags = 0;
	return true;
}

u64 net_ask(const struct cache_pos *pos, u32 *flags)
{
	u64 bytes;
	net_look(pos, &bytes, flags);
	return bytes;
}

bool net_has_unknown(void)
{
	return false;
}

void net_register(const struct net_sut *sut)
{
	(void)sut;
}

u32 net_next_client(const u64 *taken, u16 port)
{
	(void)taken;
	(void)port;
	return 0;
}

bool net_client_is_next(const u64 *taken, u32 client, u16 port)
{
	(void)taken;
	(void)client;
	(void)port;
	return false;
}

bool net_is_full(const struct cache_pos *pos)
{
	(void)pos;
	return false;
}

bool net_comes_again(const struct cache_pos *last)
{
	(void)last;
	return false;
}

long net_accept_again(const struct cache_pos *last, struct cache_pos *pos)
{
	(void)last;
	(void)pos;
	return -ECONNREFUSED;
}

u32 net_clients(void)
{
	return 0;
}

bool net_clients_identical(void)
{
	return false;
}

bool net_client_comes_to(u32 client, u16 port)
{
	(void)client;
	(void)port;
	return false;
}

bool net_may_serve(const struct net_address *path)
{
	(void)path;
	return false;
}

bool net_answered(const struct cache_pos *pos)
{
	(void)pos;
	return false;
}

u32 net_client_of(const struct cache_pos *pos)
{
	(void)pos;
	return 0;
}

void net_describe_peer(const struct cache_pos *pos, struct text *t)
{
	(void)pos;
	(void)t;
}
