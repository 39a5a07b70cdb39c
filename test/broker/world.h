/*
 * world.h: a broker, peers of its own that it may start, and the requests a cache would make.
 */
#ifndef HEDDLE_TEST_WORLD_H
#define HEDDLE_TEST_WORLD_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "broker/broker.h"

/* Fresh broker; ends whatever is left of the test before. */
void world_begin(u32 peer_timeout_ms);
void world_end(void);
/*
 * A server that plays this manner (peer.c), ready; its place is in the address. "tcp", "tcp6", "udp", "unix".
 */
pid_t world_server(const char *manner, const char *kind, struct net_address *at);
/* The same with a command line of any kind; %s stands for the address as peer.c takes it. */
pid_t world_server_command(const char *command, const char *kind, struct net_address *at);
pid_t world_start(const char *manner); /* just started */
/* The broker does not know who the server is. */
void world_forget_server(void);
void world_client(const char *manner); /* the manner of all clients */
void world_interrupt_after(u32 questions);
struct net_address world_address(const char *kind);
struct broker *world_broker(void);

/* Requests. Their answer is in *world_net. */
extern struct wire_net *world_net;
int world_open(const struct net_address *to, u32 client);       /* status */
int world_open_joint(const struct net_address *to, u32 client); /* all its connections as one */
int world_exchange(u32 conn, const char *text);
int world_exchange_bytes(u32 conn, const void *data, u64 len, u32 flags);
/* One line asked, one line "re …" answered, and quiet. False, and a word about it, otherwise. */
bool world_ask(u32 conn, u32 number);
bool world_answered(const char *text);
double world_now_us(void);

#endif
