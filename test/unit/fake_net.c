#include "fake_net.h"

#include <errno.h>
#include <string.h>

struct fake_net fake_net;

static const struct fake_line *said(const struct cache_pos *pos)
{
	const struct fake_line *last = NULL;
	for (u32 i = 0; i < fake_net.lines; i++)
		if (fake_net.script[i].got <= pos->written && (!fake_net.script[i].ended || pos->ended))
			last = &fake_net.script[i];
	return last;
}

static long open_at(struct cache_pos *pos)
{
	*pos = (struct cache_pos){.tree = 1};
	return 0;
}

long net_connect(const struct net_address *to, struct cache_pos *pos)
{
	return !fake_net.there || to->port == 1 ? -ECONNREFUSED : open_at(pos);
}

long net_accept(const struct net_address *local, u32 client, struct cache_pos *pos)
{
	if (local->port != 8080 || client - 1 >= fake_net.clients)
		return -EAGAIN;
	return open_at(pos);
}

long net_write(struct cache_pos *pos, const void *data, size_t n)
{
	if (!fake_net.there)
		return -EPIPE;
	if (pos->written + n <= sizeof(fake_net.heard))
		memcpy(fake_net.heard + pos->written, data, n);
	pos->written += n;
	fake_net.writes++;
	return 0;
}

long net_end(struct cache_pos *pos)
{
	pos->ended = 1;
	fake_net.ends++;
	return 0;
}

long net_close(struct cache_pos *pos)
{
	*pos = (struct cache_pos){0};
	fake_net.closes++;
	return 0;
}

void net_copy(const struct cache_pos *pos, u64 skip, void *to, size_t n)
{
	memcpy(to, said(pos)->says + pos->read + skip, n);
}

void net_resolve(const struct cache_pos *pos)
{
	(void)pos;
}

bool net_look(const struct cache_pos *pos, u64 *bytes, u32 *flags)
{
	const struct fake_line *l = pos->tree ? said(pos) : NULL;
	*flags = l ? l->flags : 0;
	*bytes = l ? strlen(l->says) - pos->read : 0;
	return !fake_net.there || pos->tree;
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
	fake_net.sut = sut;
}

u32 net_clients(void)
{
	return fake_net.clients;
}

bool net_clients_identical(void)
{
	return false;
}

bool net_client_comes_to(u32 client, u16 port)
{
	return client <= fake_net.clients && port == 8080;
}

u32 net_next_client(const u64 *taken, u16 port)
{
	for (u32 i = 0; i < fake_net.clients; i++)
		if (!(taken[i / 64] >> i % 64 & 1) && port == 8080)
			return i + 1;
	return 0;
}

/* No client here has several connections at a time. */
bool net_client_is_joint(u32 client)
{
	(void)client;
	return false;
}

void net_resolve_first(const struct net_address *local, u32 client)
{
	(void)local;
	(void)client;
}

u32 net_first_connections(const struct net_address *local, u32 client)
{
	(void)local;
	(void)client;
	return 0;
}

u32 net_connections(const struct cache_pos *pos)
{
	(void)pos;
	return 0;
}

long net_leave(struct cache_pos *pos)
{
	return net_close(pos);
}

bool net_would_speak(const struct cache_pos *pos)
{
	(void)pos;
	return false;
}

long net_pass_time(struct cache_pos *pos)
{
	(void)pos;
	return -EINVAL;
}

bool net_client_is_next(const u64 *taken, u32 client, u16 port)
{
	return net_next_client(taken, port) == client;
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
	return fake_net.there ? open_at(pos) : -ECONNREFUSED;
}

bool net_may_serve(const struct net_address *path)
{
	return fake_net.there && path->path[0] == 's';
}

bool net_waits_for_more(const struct cache_pos *pos)
{
	(void)pos;
	return false;
}

bool net_answered(const struct cache_pos *pos)
{
	(void)pos;
	return false;
}

u32 net_client_of(const struct cache_pos *pos)
{
	return fake_net.clients && pos->tree;
}

void net_describe_peer(const struct cache_pos *pos, struct text *t)
{
	text_dec(t, (long)pos->tree);
}

/* ---- no peer has several connections at a time ---- */

bool net_servers_are_joint(void)
{
	return false;
}

long net_connect_joint(struct cache_pos *all, const struct net_address *to, u32 number, struct cache_pos *pos)
{
	(void)all;
	(void)number;
	return net_connect(to, pos);
}

/* ---- no peer has a clock that could be moved ---- */

bool net_moves_clocks(u64 ns)
{
	(void)ns;
	return false;
}

long net_move_clocks(struct cache_pos *all, u64 ns)
{
	(void)all;
	(void)ns;
	return 0;
}

void net_note_untold_time(void)
{
}
