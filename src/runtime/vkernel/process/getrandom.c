/*
 * getrandom.c: the SUT's random numbers: a fixed stream per fiber, from the seed given on
 * the command line. One stream for all would let a schedule show in the numbers.
 */
#include "runtime/vkernel/core/vk_priv.h"
#include "wire/wire.h"

/* A bijection that mixes all bits (the finaliser of splitmix64). */
static u64 mix(u64 x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

static u8 random_byte(u64 seed, u32 slot, u64 pos)
{
	const u64 golden = 0x9e3779b97f4a7c15u;
	u64 stream = mix(seed + golden * (slot + 1));
	return (u8)(mix(stream + golden * (pos / 8 + 1)) >> pos % 8 * 8);
}

void vk_random_bytes(struct vk_uio *u, size_t n)
{
	u64 *pos = &vk_self()->random;
	while (n--) {
		u8 byte = random_byte(rt_wire->config.random_seed, sched_self_slot(), (*pos)++);
		vk_uio_out(u, &byte, 1);
	}
}

u64 vk_random_u64(void)
{
	u64 *pos = &vk_self()->random, value = 0;
	for (u32 i = 0; i < sizeof(value); i++)
		value |= (u64)random_byte(rt_wire->config.random_seed, sched_self_slot(), (*pos)++) << i * 8;
	return value;
}

long vk_sys_getrandom(struct vk_call *c)
{
	struct iovec v = {.iov_base = vk_user(c->a[0]), .iov_len = HD_MIN((u64)c->a[1], (u64)VK_MAX_RW)};
	struct vk_uio u = {.iov = &v, .count = 1, .left = v.iov_len};
	if (c->a[2] & ~7L)
		return -EINVAL;
	if (v.iov_len && !vk_user_out_ok((u64)v.iov_base, v.iov_len))
		return -EFAULT;
	vk_random_bytes(&u, u.left);
	return (long)v.iov_len;
}
