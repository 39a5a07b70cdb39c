/*
 * Peers with several connections at a time: one conversation of symbols (wire_net.h, NET_JOINT_SYMBOL).
 * Here they are made of what the SUT writes, and what the peer said is sorted out by connection.
 *
 * What was said on the way to a mark never changes, so how much of it is of which connection is counted once,
 * as long as it is remembered.
 */
#include "cache_priv.h"

#include <string.h>

#define PIECE 4096u /* even: symbols are whole */
#define COUNTS 512u

static u8 piece[PIECE];

static struct counted {
	const struct trees *t;
	struct tree_at at;
	u32 connection; /* 0: how many there are, in bytes */
	u32 flags;
	bool refused;
	u64 bytes;
	u64 start; /* what was said before belongs to earlier ones with this number */
} counts[COUNTS];

/* Symbols [i, end), a piece at a time; returns its size. */
static size_t next_piece(const struct cache *c, const struct tree_at *at, u64 i, u64 end)
{
	size_t n = (size_t)HD_MIN(end - i, (u64)PIECE);
	tree_reply_copy(c->t, at, i, piece, n);
	return n;
}

static u64 said_at(const struct cache *c, const struct tree_at *at)
{
	struct mark_view m;
	bool known = tree_mark_at(c->t, at, &m);
	hd_assert(known);
	return m.reply - m.reply % NET_JOINT_SYMBOL;
}

/* end: behind the symbol. */
static void count_event(struct counted *n, u8 what, u64 end)
{
	if (what == NET_JOINT_OPENED || what == NET_JOINT_REFUSED) {
		n->bytes = n->flags = 0;
		n->start = end;
		n->refused = what == NET_JOINT_REFUSED;
	}
	if (what == NET_JOINT_EOF)
		n->flags |= NET_EOF;
	if (what == NET_JOINT_RESET)
		n->flags |= NET_RESET;
}

static void count_symbol(struct counted *n, const u8 *symbol, u64 end)
{
	if (!n->connection)
		n->bytes += symbol[0] > NET_JOINT_EVENT && symbol[1] == NET_JOINT_OPENED;
	else if (symbol[0] == n->connection)
		n->bytes++;
	else if (symbol[0] == NET_JOINT_EVENT + n->connection)
		count_event(n, symbol[1], end);
}

static const struct counted *count(const struct cache *c, const struct tree_at *at, u32 connection)
{
	u64 place = ((u64)at->branch * 0x9e3779b1u ^ at->written * 0x85ebca77u ^ connection) % COUNTS;
	struct counted *n = &counts[place];
	if (n->t == c->t && at_equal(&n->at, at) && n->connection == connection)
		return n;
	*n = (struct counted){.t = c->t, .at = *at, .connection = connection};
	u64 end = said_at(c, at);
	for (u64 i = 0; i < end;) {
		size_t got = next_piece(c, at, i, end);
		for (size_t k = 0; k < got; k += NET_JOINT_SYMBOL)
			count_symbol(n, piece + k, i + k + NET_JOINT_SYMBOL);
		i += got;
	}
	return n;
}

void joint_look(const struct cache *c, const struct tree_at *at, u32 connection, u64 *bytes, u32 *flags)
{
	const struct counted *n = count(c, at, connection);
	*bytes = n->bytes;
	*flags = n->flags;
}

u32 joint_refusal(const struct cache *c, const struct tree_at *at, u32 connection)
{
	const struct counted *n = count(c, at, connection);
	u8 error = 0;
	if (n->refused && n->bytes)
		joint_copy(c, at, connection, 0, &error, 1);
	return error;
}

u32 joint_connections(const struct cache *c, const struct tree_at *at)
{
	return (u32)count(c, at, 0)->bytes;
}

void joint_copy(const struct cache *c, const struct tree_at *at, u32 connection, u64 from, u8 *to, size_t n)
{
	u64 seen = 0, end = said_at(c, at);
	size_t done = 0;
	for (u64 i = count(c, at, connection)->start; i < end && done < n;) {
		size_t got = next_piece(c, at, i, end);
		for (size_t k = 0; k < got && done < n; k += NET_JOINT_SYMBOL)
			if (piece[k] == connection && seen++ >= from)
				to[done++] = piece[k + 1];
		i += got;
	}
	hd_assert(done == n);
}

const u8 *joint_data(struct cache *c, u32 connection, const u8 *data, size_t n)
{
	c->symbols.len = 0;
	u8 *to = pages_vec_push(&c->symbols, NET_JOINT_SYMBOL * n);
	for (size_t i = 0; to && i < n; i++) {
		to[NET_JOINT_SYMBOL * i] = (u8)connection;
		to[NET_JOINT_SYMBOL * i + 1] = data[i];
	}
	return to;
}

u32 joint_connect(u32 connection, const struct net_address *to, u8 out[JOINT_CONNECT_MAX])
{
	u8 *packed = out + NET_JOINT_SYMBOL + NET_PACKED_MAX; /* it moves to the front */
	u32 n = net_address_pack(to, packed);
	out[0] = (u8)(NET_JOINT_EVENT + connection);
	out[1] = NET_JOINT_CONNECT;
	for (u32 i = 0; i < n; i++) {
		u8 byte = packed[i];
		out[NET_JOINT_SYMBOL * (i + 1)] = (u8)connection;
		out[NET_JOINT_SYMBOL * (i + 1) + 1] = byte;
	}
	return NET_JOINT_SYMBOL * (n + 1);
}

u32 joint_times(const struct cache *c, const struct tree_at *at)
{
	u32 times = 0;
	for (u64 i = 0; i < at->written;) {
		size_t n = (size_t)HD_MIN(at->written - i, (u64)PIECE);
		tree_bytes_copy(c->t, at, i, piece, n);
		for (size_t k = 0; k + 1 < n; k += NET_JOINT_SYMBOL)
			times += piece[k] == NET_JOINT_EVENT && piece[k + 1] == NET_JOINT_TIME;
		i += n;
	}
	return times;
}

/* The end of the last byte that was written to the connection; 0: none was. */
static u64 last_written(const struct cache *c, const struct tree_at *at, u32 connection)
{
	for (u64 end = at->written; end;) {
		size_t n = (size_t)HD_MIN(end, (u64)PIECE);
		tree_bytes_copy(c->t, at, end - n, piece, n);
		for (size_t k = n; k; k -= NET_JOINT_SYMBOL)
			if (piece[k - NET_JOINT_SYMBOL] == connection)
				return end - n + k;
		end -= n;
	}
	return 0;
}

/* Has it said nothing on this connection since the SUT last wrote there, but something before? */
bool joint_answered(const struct cache *c, const struct tree_at *at, u32 connection)
{
	struct tree_at earlier = *at;
	struct mark_view m;
	earlier.written = last_written(c, at, connection);
	if (!earlier.written || !tree_mark_at(c->t, at, &m))
		return false;
	earlier.written--; /* inside a symbol no mark is: the one before it */
	if (!tree_mark_before(c->t, &earlier, &m))
		return false;
	u64 now = count(c, at, connection)->bytes, then = 0;
	for (u64 i = 0; i < m.reply;) {
		size_t got = next_piece(c, at, i, m.reply);
		for (size_t k = 0; k < got; k += NET_JOINT_SYMBOL)
			then += piece[k] == connection;
		i += got;
	}
	return now && now == then;
}

/* "(connects to 127.0.0.1:80)": the address in the symbols behind the event. Returns its bytes. */
static u64 put_connect(struct text *t, const u8 *symbols, u64 n)
{
	u8 packed[NET_PACKED_MAX];
	struct net_address to;
	u64 len = n >= NET_JOINT_SYMBOL ? symbols[1] : 0;
	if (!len || len > sizeof(packed) || len * NET_JOINT_SYMBOL > n) {
		text_str(t, "(connects)");
		return n;
	}
	for (u64 i = 0; i < len; i++)
		packed[i] = symbols[NET_JOINT_SYMBOL * i + 1];
	text_str(t, "(connects to ");
	if (net_address_unpack(packed, (u32)len, &to))
		error_put_address(t, &to);
	text_str(t, ")");
	return len * NET_JOINT_SYMBOL;
}

/* "(2000 ms pass)". Returns the bytes of the time behind the event. */
static u64 put_clock(struct text *t, const u8 *symbols, u64 n)
{
	u64 ns = net_joint_clock(symbols, n);
	text_str(t, "(");
	text_dec(t, (long)(ns / 1000000));
	text_str(t, " ms pass)");
	return HD_MIN(n, (u64)NET_JOINT_SYMBOL * NET_JOINT_CLOCK_BYTES);
}

void joint_put(struct text *t, const u8 *symbols, u64 n)
{
	static const char *const events[NET_JOINT_EVENTS] = {
		[NET_JOINT_OPENED] = "opened", [NET_JOINT_EOF] = "ended",
		[NET_JOINT_RESET] = "reset",   [NET_JOINT_END] = "end of writing",
		[NET_JOINT_CLOSE] = "closed",  [NET_JOINT_TIME] = "time passes",
		[NET_JOINT_CONNECT] = "",      [NET_JOINT_REFUSED] = "refused",
		[NET_JOINT_CLOCK] = ""};
	u32 last = 0;
	for (u64 i = 0; i + 1 < n; i += NET_JOINT_SYMBOL) {
		u32 number = symbols[i] % NET_JOINT_EVENT;
		if (number && number != last)
			text_fmt(t, "%s[%u] ", i ? " " : "", number);
		last = number;
		if (symbols[i] < NET_JOINT_EVENT)
			text_escaped(t, symbols + i + 1, 1);
		else if (symbols[i + 1] == NET_JOINT_CONNECT)
			i += put_connect(t, symbols + i + NET_JOINT_SYMBOL, n - i - NET_JOINT_SYMBOL);
		else if (symbols[i + 1] == NET_JOINT_CLOCK)
			i += put_clock(t, symbols + i + NET_JOINT_SYMBOL, n - i - NET_JOINT_SYMBOL);
		else if (symbols[i + 1] && symbols[i + 1] < HD_ARRAY_LEN(events))
			text_fmt(t, "(%s)", events[symbols[i + 1]]);
	}
}
