/*
 * identity.c: who and where the SUT is: numbers, limits, the machine. Constants, so that every start looks
 * the same: process 1000, 4 CPUs, 4 GiB.
 */
#include <linux/prctl.h>
#include <linux/resource.h>
#include <linux/sysinfo.h>
#include <linux/utsname.h>

#include "runtime/vkernel/core/vk_priv.h"

#define CPUS 4
#define MEMORY (4ul << 30)

long vk_sys_gettid(struct vk_call *c)
{
	(void)c;
	return VK_PID + sched_self_slot();
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
	if (!vk_user_ok((u64)c->a[0], sizeof(u)))
		return -EFAULT;
	long err = sys_call3(__NR_uname, (long)&u, 0, 0);
	if (!err)
		memcpy(vk_user(c->a[0]), &u, sizeof(u));
	return err;
}

long vk_sys_sysinfo(struct vk_call *c)
{
	struct sysinfo *s = vk_user(c->a[0]);
	if (!vk_user_ok((u64)s, sizeof(*s)))
		return -EFAULT;
	*s = (struct sysinfo){
		.uptime = 1000, .totalram = MEMORY, .freeram = MEMORY / 2, .procs = 100, .mem_unit = 1};
	return 0;
}

/* ---- limits ---- */

static struct rlimit64 limit_of(u32 resource)
{
	const u64 infinite = ~(u64)0;
	switch (resource) {
	case RLIMIT_NOFILE:
		return (struct rlimit64){vk_fd_max(), VK_MAX_FDS - vk->nofile_hard};
	case RLIMIT_STACK:
		return (struct rlimit64){8u << 20, infinite};
	case RLIMIT_CORE:
		return (struct rlimit64){0, infinite};
	default:
		return (struct rlimit64){infinite, infinite};
	}
}

static long get_limit(struct vk_call *c, u32 resource, long to)
{
	vk_use(c, VK_LIMITS, ACCESS_READ);
	struct rlimit64 limit = limit_of(resource);
	memcpy(vk_user(to), &limit, sizeof(limit));
	return 0;
}

/* That of descriptors counts; others are accepted and ignored. */
static long set_limit(struct vk_call *c, u32 resource, const struct rlimit64 *new)
{
	if (new->rlim_cur > new->rlim_max)
		return -EINVAL;
	if (resource != RLIMIT_NOFILE)
		return 0;
	vk_use(c, VK_LIMITS, ACCESS_WRITE);
	if (new->rlim_max > VK_MAX_FDS - vk->nofile_hard)
		return -EPERM;
	vk->nofile_soft = VK_MAX_FDS - (u32) new->rlim_cur;
	vk->nofile_hard = VK_MAX_FDS - (u32) new->rlim_max;
	return 0;
}

long vk_sys_getrlimit(struct vk_call *c)
{
	if ((u32)c->a[0] >= RLIM_NLIMITS)
		return -EINVAL;
	return vk_user_ok((u64)c->a[1], sizeof(struct rlimit64)) ? get_limit(c, (u32)c->a[0], c->a[1])
								 : -EFAULT;
}

long vk_sys_setrlimit(struct vk_call *c)
{
	if ((u32)c->a[0] >= RLIM_NLIMITS)
		return -EINVAL;
	if (!vk_user_ok((u64)c->a[1], sizeof(struct rlimit64)))
		return -EFAULT;
	return set_limit(c, (u32)c->a[0], vk_user(c->a[1]));
}

long vk_sys_prlimit64(struct vk_call *c)
{
	const struct rlimit64 *new = vk_user(c->a[2]);
	struct rlimit64 wanted = {0};
	int pid = (int)c->a[0];
	if (pid && pid != VK_PID)
		return -ESRCH;
	if ((u32)c->a[1] >= RLIM_NLIMITS)
		return -EINVAL;
	if ((new && !vk_user_ok((u64) new, sizeof(*new))) ||
	    (c->a[3] && !vk_user_ok((u64)c->a[3], sizeof(*new))))
		return -EFAULT;
	if (new)
		wanted = *new; /* both may be one place */
	if (c->a[3])
		get_limit(c, (u32)c->a[1], c->a[3]);
	return new ? set_limit(c, (u32)c->a[1], &wanted) : 0;
}

/* ---- CPUs ---- */

long vk_sys_sched_getaffinity(struct vk_call *c)
{
	u64 *mask = vk_user(c->a[2]);
	if ((u64)c->a[1] < sizeof(*mask) || (c->a[1] & 7))
		return -EINVAL;
	if (!vk_user_ok((u64)mask, sizeof(*mask)))
		return -EFAULT;
	*mask = (1u << CPUS) - 1;
	return sizeof(*mask);
}

long vk_sys_sched_getparam(struct vk_call *c)
{
	if (!vk_user_ok((u64)c->a[1], sizeof(int)))
		return -EFAULT;
	*(int *)c->a[1] = 0;
	return 0;
}

/* Real-time policies (1, 2) have priorities 1 to 99, the others none. */
long vk_sys_sched_get_priority_max(struct vk_call *c)
{
	return c->a[0] == 1 || c->a[0] == 2 ? 99 : 0;
}

long vk_sys_sched_get_priority_min(struct vk_call *c)
{
	return c->a[0] == 1 || c->a[0] == 2 ? 1 : 0;
}

long vk_sys_getcpu(struct vk_call *c)
{
	for (int i = 0; i < 2; i++) {
		if (c->a[i] && !vk_user_ok((u64)c->a[i], sizeof(u32)))
			return -EFAULT;
		if (c->a[i])
			*(u32 *)c->a[i] = 0;
	}
	return 0;
}

/* ---- odds and ends ---- */

/* Three ids: real, effective, saved. */
static long give_ids(struct vk_call *c, long real, long effective)
{
	u32 ids[3] = {(u32)sys_call3(real, 0, 0, 0), (u32)sys_call3(effective, 0, 0, 0)};
	ids[2] = ids[1];
	for (int i = 0; i < 3; i++) {
		if (!vk_user_ok((u64)c->a[i], sizeof(u32)))
			return -EFAULT;
		*(u32 *)c->a[i] = ids[i];
	}
	return 0;
}

long vk_sys_getresuid(struct vk_call *c)
{
	return give_ids(c, __NR_getuid, __NR_geteuid);
}

long vk_sys_getresgid(struct vk_call *c)
{
	return give_ids(c, __NR_getgid, __NR_getegid);
}

long vk_sys_getgroups(struct vk_call *c)
{
	u32 gid = (u32)sys_call3(__NR_getegid, 0, 0, 0);
	if (c->a[0] <= 0)
		return c->a[0] < 0 ? -EINVAL : 1;
	if (!vk_user_ok((u64)c->a[1], sizeof(gid)))
		return -EFAULT;
	*(u32 *)c->a[1] = gid;
	return 1;
}

long vk_sys_prctl(struct vk_call *c)
{
	const size_t name_size = 16;
	switch (c->a[0]) {
	case PR_GET_NAME: /* names of fibers belong to pthread_setname_np; here they all have the first one */
		if (!vk_user_ok((u64)c->a[1], name_size))
			return -EFAULT;
		memset(vk_user(c->a[1]), 0, name_size);
		memcpy(vk_user(c->a[1]), "main", 4);
		return 0;
	case PR_GET_DUMPABLE:
		return 1;
	case PR_SET_NAME:
	case PR_SET_DUMPABLE:
	case PR_SET_VMA:
	case PR_SET_THP_DISABLE:
	case PR_SET_NO_NEW_PRIVS:
	case PR_SET_PDEATHSIG:
	case PR_SET_TIMERSLACK:
	case PR_SET_PTRACER:
	case PR_CAPBSET_READ:
		return 0;
	}
	vk_refuse(c, "prctl");
	return -EINVAL;
}

/* FS is the fiber's thread pointer: reading it is fine, moving it would lose the fiber. */
long vk_sys_arch_prctl(struct vk_call *c)
{
	const long get_fs = 0x1003;
	if (c->a[0] != get_fs) {
		if (c->a[0] < 0x3000) /* above: shadow stacks, which this machine does not have */
			vk_refuse(c, "arch_prctl");
		return -EINVAL;
	}
	u64 tcb;
	__asm__("mov %%fs:0, %0" : "=r"(tcb));
	if (!vk_user_ok((u64)c->a[1], sizeof(tcb)))
		return -EFAULT;
	*(u64 *)c->a[1] = tcb;
	return 0;
}
