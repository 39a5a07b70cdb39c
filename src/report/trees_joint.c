#include "report/trees_joint.h"

#include "wire/net_joint.h"

#define RUN_BYTES 1024

struct taking {
	void (*part)(void *self, const struct joint_part *p);
	void *self;
	u8 run[RUN_BYTES];
	u64 have;
	u32 of;
};

static void end_run(struct taking *t)
{
	if (t->have)
		t->part(t->self, &(struct joint_part){.number = t->of, .bytes = t->run, .len = t->have});
	t->have = 0;
}

/* The address in the symbols behind the event. Returns how many bytes it takes; 0: it is not all there. */
static u64 read_address(const u8 *symbols, u64 n, struct net_address *out)
{
	u8 packed[NET_PACKED_MAX];
	u64 len = n >= NET_JOINT_SYMBOL ? symbols[1] : 0;

	if (!len || len > sizeof(packed) || len * NET_JOINT_SYMBOL > n)
		return 0;
	for (u64 i = 0; i < len; i++)
		packed[i] = symbols[NET_JOINT_SYMBOL * i + 1];
	return net_address_unpack(packed, (u32)len, out) ? len * NET_JOINT_SYMBOL : 0;
}

static void take_byte(struct taking *t, u32 number, u8 byte)
{
	if (t->have == RUN_BYTES || (t->have && t->of != number))
		end_run(t);
	t->of = number;
	t->run[t->have++] = byte;
}

void joint_take_apart(u64 *pending, const u8 *symbols, u64 len,
		      void (*part)(void *self, const struct joint_part *p), void *self)
{
	struct taking t = {.part = part, .self = self};

	for (u64 i = 0; i < len; i++) {
		u8 first = (u8)*pending;

		*pending = first ? 0 : symbols[i];
		if (!first)
			continue;
		if (first == NET_JOINT_NOBODY)
			continue;
		if (first < NET_JOINT_EVENT) {
			take_byte(&t, first, symbols[i]);
			continue;
		}
		struct joint_part p = {.number = first - NET_JOINT_EVENT, .event = symbols[i]};

		end_run(&t);
		if (p.event == NET_JOINT_CONNECT)
			i += read_address(symbols + i + 1, len - i - 1, &p.to);
		part(self, &p);
	}
	end_run(&t);
}

const char *joint_event_words(u32 event)
{
	static const char *const words[NET_JOINT_EVENTS] = {
		[NET_JOINT_OPENED] = "opens a connection", [NET_JOINT_EOF] = "end: the peer closed",
		[NET_JOINT_RESET] = "reset by the peer",   [NET_JOINT_END] = "end of writing",
		[NET_JOINT_CLOSE] = "closes it",           [NET_JOINT_TIME] = "time passes",
		[NET_JOINT_CONNECT] = "connects",          [NET_JOINT_REFUSED] = "refused",
		[NET_JOINT_CLOCK] = "the program sleeps",
	};

	return event && event < NET_JOINT_EVENTS ? words[event] : "?";
}
