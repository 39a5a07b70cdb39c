/*
 * sock_model.h: a socket as it lies in model memory; see sock.h. Included by vk_priv.h.
 */
#ifndef HEDDLE_RUNTIME_SOCK_MODEL_H
#define HEDDLE_RUNTIME_SOCK_MODEL_H

#include "iocache/cache.h"
#include "wire/wire_net.h"

#define SOCK_EPHEMERAL 40000u
#define SOCK_CLIENT_PORT 50000u
#define SOCK_BACKLOG 32u /* connections from inside that wait to be accepted */
#define SOCK_ROOM 65536u /* bytes that wait to be read: a sender waits when they are full */

#define SOCK_OPTION_VALUES 24u

enum sock_flavour {
	SOCK_IDLE = 0,
	SOCK_LISTEN,
	SOCK_PEER,
	SOCK_LOCAL,
	SOCK_DATAGRAM,
	SOCK_CONNECTING, /* a connect that does not wait is under way, or was refused */
	SOCK_FLAVOURS
};

#define SOCK_NAMED 2u /* bound: by the SUT, not by the kernel */

/* refused, connect_done: it was shut down before another connect asked, and can't be connected any more. */
#define SOCK_UNUSABLE 2u

#define SHUT_READ 1u
#define SHUT_WRITE 2u

/* What the network does to the next datagram of a peer (--net-faults). */
enum dgram_fault {
	DGRAM_WELL = 0,
	DGRAM_TWICE,      /* it is delivered, and once more */
	DGRAM_COPY,       /* … this is the second time */
	DGRAM_OVERTAKEN,  /* the one behind it is delivered first */
	DGRAM_BEHIND_GONE /* … has been */
};

struct vk_sock {
	u8 used, flavour;
	u8 shut;  /* SHUT_* done by the SUT; local: on the other end, too, where Linux would tell this one */
	u8 bound; /* local is set; SOCK_NAMED: by bind */
	u16 family, type;
	u16 protocol, error;     /* error: SO_ERROR, positive errno, taken by whoever sees it first */
	u32 client;              /* accepted from this client peer, whose last connection it is; 0: none */
	u16 was_reset, fin_seen; /* peer: the reset was told; the peer's close was read before */
	struct net_address local, remote; /* remote.family 0: none */
	struct cache_pos pos;             /* peer, datagrams to peers */
	struct net_address peer;          /* datagrams to peers: where pos leads */
	u32 held;                         /* local, datagram: bytes in vk->sock_data that wait to be read */
	u32 partner;                      /* local: description slot + 1 of the other end while it is open */
	u16 queue[SOCK_BACKLOG]; /* listen: description slots + 1 of connections from inside, oldest first */
	u16 backlog;
	u16 looked_at; /* datagrams: the source whose datagram MSG_PEEK has shown: it is the next; 0: any */
	/* How far the network has come, as somebody has seen it (sock_arrival.c). */
	u64 arrived; /* peer: bytes beyond pos.read; listen: clients; datagram: those from outside */
	/*
	 * peer, with --short-io on: where the message ends that the peer had sent before the SUT sent its
	 * last one, if it was not read by then, in bytes since the connection began; 0: none
	 */
	u64 message_end;
	/* peer: when 64 KiB of its bytes were first unread at a send: pos.written + 1, pos.read; or 0 */
	u64 flood_written, flood_read;
	u8 end_arrived;           /* peer: its close or reset */
	u8 full;                  /* peer: no room to send, until the network makes some */
	u8 refused;               /* connecting: it has failed */
	u8 connect_done;          /* of a connect that did not wait nobody was told yet by another one */
	u16 refusal;              /* connecting, under way: the errno it will fail with; 0: it will not */
	u8 failed_in, failed_out; /* --retries: so many attempts in a row have failed */
	/* --net-faults (sock_fault.c) */
	u8 broken;    /* peer: the network has reset it; `arrived` bytes can still be read */
	u8 out_fault; /* datagram: what happens to the next one that is sent; of enum net_fault */
	u8 in_fault;  /* datagrams of the peer at pos: enum dgram_fault */
	u8 end_told;  /* local: a reader was told that the other end is closed */
	u8 keeps_ip;  /* bind named an address, not any: when a connection ends, it stays */
	u8 was_four;  /* datagrams: a connection by IPv4 was ended: Linux lets no IPv6 in until the next */
	u8 pad[2];
	u64 receive_timeout, send_timeout; /* nanoseconds, 0: none */
	struct vk_sock_options {
		u32 bits; /* sock_opt.c: one bit for each option that is only remembered */
		u32 receive_buffer, send_buffer; /* 0: the default */
		u32 lingers, linger, low_water;  /* is SO_LINGER on; its seconds, kept while it is off */
		/* sock_opt.c: numbers that are only remembered, as difference from the default */
		int value[SOCK_OPTION_VALUES];
	} options;
};

/* A client peer that sends datagrams, by its number. Zero: it has not come, or its socket is closed. */
struct dgram_client {
	struct cache_pos pos;
	u32 socket;          /* slot + 1 */
	u8 in_fault, pad[3]; /* enum dgram_fault */
};

#endif
