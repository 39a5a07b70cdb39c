/*
 * sock_abi.h: socket calls as the kernel has them: numbers and structures its exported headers leave to
 * glibc, whose own clash with the kernel's.
 */
#ifndef HEDDLE_RUNTIME_SOCK_ABI_H
#define HEDDLE_RUNTIME_SOCK_ABI_H

#include "base/base.h"

/* Further address families; those of the model are enum net_family. */
#define AF_UNSPEC_ 0
#define AF_NETLINK_ 16
#define AF_KNOWN_ 46 /* numbers below it mean something to Linux */

#define SOCK_RAW_ 3
#define SOCK_TYPE_MASK_ 0xfu

#define SOL_SOCKET_ 1
#define SOL_IP_ 0
#define SOL_TCP_ 6
#define SOL_UDP_ 17
#define SOL_IPV6_ 41

#define MSG_OOB_ 0x1u
#define MSG_PEEK_ 0x2u
#define MSG_DONTROUTE_ 0x4u
#define MSG_CTRUNC_ 0x8u
#define MSG_TRUNC_ 0x20u
#define MSG_DONTWAIT_ 0x40u
#define MSG_EOR_ 0x80u
#define MSG_WAITALL_ 0x100u
#define MSG_CONFIRM_ 0x800u
#define MSG_ERRQUEUE_ 0x2000u
#define MSG_NOSIGNAL_ 0x4000u
#define MSG_MORE_ 0x8000u
#define MSG_WAITFORONE_ 0x10000u
#define MSG_CMSG_CLOEXEC_ 0x40000000u

struct sock_msghdr {
	u64 name;
	u32 name_len, pad;
	u64 iov, iov_len;
	u64 control, control_len;
	u32 flags, pad2;
};
struct sock_mmsghdr {
	struct sock_msghdr hdr;
	u32 len, pad;
};
struct sock_cmsghdr {
	u64 len;
	int level, type;
};

#endif
