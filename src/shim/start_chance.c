/*
 * start_chance.c: what a peer draws before it has talked to anybody (seeds of hash tables, of random
 * generators, a session key) is the same in each run: bytes of a fixed generator. So a peer that is
 * started anew is the same peer as before, and can be compared with it. It is one behaviour of many; the
 * controller says which one (SHIM_CHANCE_ENV).
 *
 * From its first connection on, or its first datagram, chance is the kernel's.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "shim/shim_priv.h"

static u64 state = 0x6865646464656c65ull;

static u8 next_byte(void)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (u8)(state >> 56);
}

static void fill(u8 *out, u64 n)
{
	for (u64 i = 0; i < n; i++)
		out[i] = next_byte();
}

/* Started by somebody who had the connection already, as inetd does it. */
void start_chance_begin(const char *which)
{
	shim.started = which && !strcmp(which, SHIM_CHANCE_OVER);
	if (shim.started) {
		shim.page->started = 1;
		return;
	}
	state += (which ? text_number(which, "", 10) : 0) * 0x9e3779b97f4a7c15ull;
	int type = 0;
	u32 len = sizeof(type);
	u8 address[128];
	u32 room = sizeof(address);
	shim.started = shim_call(SYS_getsockopt, 0, SOL_SOCKET, SO_TYPE, &type, &len) == 0 &&
		       shim_call(SYS_getpeername, 0, address, &room) == 0;
}

static bool has_started(void)
{
	return shim.started || __atomic_load_n(&shim.page->started, __ATOMIC_RELAXED);
}

/*
 * A program that is started in the middle of a conversation (a helper for each request) does not begin anew:
 * it would draw the same each time. Such a process is told by its environment.
 */
void start_chance_pass_on(char **environment)
{
	static char over[] = SHIM_CHANCE_ENV "=" SHIM_CHANCE_OVER;
	for (; has_started() && *environment; environment++)
		if (text_starts(*environment, SHIM_CHANCE_ENV "="))
			*environment = over;
}

/* A call has gone well: does it begin a conversation? Then for all that it has forked, too. */
void start_chance_look(const struct call *c, long result)
{
	switch (c->nr) {
	case SYS_accept:
	case SYS_accept4:
		shim.started |= result >= 0;
		break;
	case SYS_connect:
		shim.started |= result == 0 && ((const struct sockaddr *)c->arg[1])->sa_family != AF_UNSPEC;
		break;
	case SYS_recvfrom:
	case SYS_recvmsg:
		shim.started |= result > 0;
		break;
	default:
		break;
	}
	if (shim.started)
		__atomic_store_n(&shim.page->started, 1, __ATOMIC_RELAXED);
}

long start_chance_getrandom(struct call *c)
{
	if (has_started()) {
		shim_note(ACT_GETRANDOM);
		return call_again(c);
	}
	shim_note(ACT_START);
	fill((u8 *)c->arg[0], (u64)c->arg[1]);
	return c->arg[1];
}

/* `n` bytes were read from a random device. */
void start_chance_read(const struct call *c, long n)
{
	if (has_started()) {
		shim_note(ACT_URANDOM);
		return;
	}
	shim_note(ACT_START);
	if (c->nr == SYS_read) {
		fill((u8 *)c->arg[1], (u64)n);
		return;
	}
	const struct iovec *v = (const struct iovec *)c->arg[1];
	for (long i = 0; i < c->arg[2] && n > 0; n -= (long)v[i].iov_len, i++)
		fill(v[i].iov_base, HD_MIN((u64)n, v[i].iov_len));
}
