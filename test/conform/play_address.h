/*
 * play_address.h: the addresses that random socket calls use: good and odd ones of all families.
 */
#ifndef HEDDLE_CONFORM_PLAY_ADDRESS_H
#define HEDDLE_CONFORM_PLAY_ADDRESS_H

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

union any_address {
	struct sockaddr sa;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	struct sockaddr_un un;
	unsigned char bytes[128];
};

/* Where each family starts in the list; the odd ones come last. */
enum { ADDRESS_4 = 0, ADDRESS_6 = 4, ADDRESS_UNIX = 7, ADDRESS_ODD = 12, ADDRESSES = 18 };

/* Find ports of this machine that nobody uses. */
void address_setup(void);
/* The address of that number; its length. */
socklen_t address_make(unsigned i, union any_address *a);
in_port_t address_port(const union any_address *a);
/* 1, 2: one of ours; 99: one the kernel chose; 0: none. */
in_port_t address_plain_port(in_port_t p);

#endif
