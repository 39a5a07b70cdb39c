/*
 * identity.c: who and where the SUT is: numbers, the machine. Constants, so that every start looks
 * the same: process 1000, 4 CPUs (settings.c), 4 GiB.
 */
#include <asm/prctl.h>
#include <linux/sysinfo.h>
#include <linux/utsname.h>

#include "runtime/sched/op_classes.h"
#include "runtime/vkernel/core/vk_priv.h"

#define MEMORY (4ul << 30)

long vk_thread_id(u32 slot)
{
	return VK_PID + (long)slot;
}

long vk_sys_gettid(struct vk_call *c)
{
	(void)c;
	return vk_thread_id(sched_self_slot());
}

long vk_sys_sched_yield(struct vk_call *c)
{
	struct op o = {.kind = OP_YIELD};
	vk_step(c, &o);
	return 0;
}

long vk_sys_exit(struct vk_call *c)
{
	(void)c;
	fiber_exit_raw();
}

long vk_sys_exit_group(struct vk_call *c)
{
	sched_exit((int)c->a[0] & 0xff);
}

/* A thread made behind pthread_create's back, or (without shared memory, or with vfork) a process. */
static long refuse_clone(struct vk_call *c, u64 flags)
{
	const u64 thread = 0x10000;
	vk_refuse(c, flags & thread ? "clone (thread)" : "fork");
	return -ENOSYS;
}

long vk_sys_clone(struct vk_call *c)
{
	return refuse_clone(c, (u64)c->a[0]);
}

long vk_sys_clone3(struct vk_call *c)
{
	return refuse_clone(c, vk_user_ok((u64)c->a[0], sizeof(u64)) ? *(u64 *)c->a[0] : 0);
}

long vk_sys_futex(struct vk_call *c)
{
	return futex_call(c->a, c->pc);
}

long vk_sys_uname(struct vk_call *c)
{
	struct new_utsname u;
	if (!vk_user_out_ok((u64)c->a[0], sizeof(u)))
		return -EFAULT;
	long err = sys_call3(__NR_uname, (long)&u, 0, 0);
	if (!err)
		memcpy(vk_user(c->a[0]), &u, sizeof(u));
	return err;
}

long vk_sys_sysinfo(struct vk_call *c)
{
	struct sysinfo *s = vk_user(c->a[0]);
	if (!vk_user_out_ok((u64)s, sizeof(*s)))
		return -EFAULT;
	*s = (struct sysinfo){.uptime = CLOCK_EPOCH_MONOTONIC,
			      .totalram = MEMORY,
			      .freeram = MEMORY / 2,
			      .procs = 100,
			      .mem_unit = 1};
	return 0;
}

long vk_sys_getcpu(struct vk_call *c)
{
	for (int i = 0; i < 2; i++) {
		if (c->a[i] && !vk_user_out_ok((u64)c->a[i], sizeof(u32)))
			return -EFAULT;
		if (c->a[i])
			*(u32 *)c->a[i] = 0;
	}
	return 0;
}

/* ---- odds and ends ---- */

static long tell_base(struct vk_call *c, u64 base)
{
	if (!vk_user_out_ok((u64)c->a[1], sizeof(base)))
		return -EFAULT;
	*(u64 *)c->a[1] = base;
	return 0;
}

/* FS is the fiber's thread pointer: it may be read; moving it would lose the fiber. GS is free for all. */
long vk_sys_arch_prctl(struct vk_call *c)
{
	struct fiber *self = sched_self();
	switch (c->a[0]) {
	case ARCH_GET_FS:
		return tell_base(c, self->tcb);
	case ARCH_GET_GS:
		return tell_base(c, self->gs);
	case ARCH_SET_GS:
		if ((u64)c->a[1] >= 0x7ffffffff000)
			return -EPERM;
		self->gs = (u64)c->a[1];
		fiber_set_gs(self->gs);
		return 0;
	}
	if (c->a[0] < 0x3000) /* above: shadow stacks, which this machine does not have */
		vk_refuse(c, "arch_prctl");
	return -EINVAL;
}
