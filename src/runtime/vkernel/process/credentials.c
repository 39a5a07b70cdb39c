/*
 * credentials.c: user, groups, capabilities, session. What is set is remembered for the process and read
 * back, by the rules of credentials(7) and capabilities(7); libc sets them for all threads at once. What
 * files the program may open is not decided anew: that stays a matter of the user who started it.
 *
 * Everything is stored as the difference to what the process started with (settings.c).
 */
#include <linux/capability.h>

#include "runtime/vkernel/core/vk_priv.h"

enum { REAL, EFFECTIVE, SAVED };
#define KEEP (~0u) /* "leave it as it is" */

static u32 start_id(enum vk_id kind, u32 which)
{
	long call = kind == VK_ID_USER ? (which == REAL ? __NR_getuid : __NR_geteuid)
				       : (which == REAL ? __NR_getgid : __NR_getegid);
	return (u32)sys_call3(call, 0, 0, 0);
}

static u32 id_of(enum vk_id kind, u32 which)
{
	return start_id(kind, which) ^ vk->credentials.id[kind][which];
}

static u32 fs_id(enum vk_id kind)
{
	return id_of(kind, EFFECTIVE) ^ vk->credentials.fs[kind];
}

/* ---- capabilities ---- */

enum { CAPS_EFFECTIVE, CAPS_PERMITTED, CAPS_INHERITABLE, CAPS_SETS };

struct caps {
	u64 set[CAPS_SETS];
};

static HD_NOINLINE struct caps start_caps(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {0};
	sys_call3(__NR_capget, (long)&header, (long)data, 0);
	return (struct caps){{data[0].effective | (u64)data[1].effective << 32,
			      data[0].permitted | (u64)data[1].permitted << 32,
			      data[0].inheritable | (u64)data[1].inheritable << 32}};
}

static struct caps caps_now(void)
{
	struct caps caps = start_caps();
	for (u32 i = 0; i < CAPS_SETS; i++)
		caps.set[i] ^= vk->credentials.caps[i];
	return caps;
}

static void set_caps(const struct caps *caps)
{
	struct caps start = start_caps();
	for (u32 i = 0; i < CAPS_SETS; i++)
		vk->credentials.caps[i] = start.set[i] ^ caps->set[i];
}

static bool may(u32 capability)
{
	return caps_now().set[CAPS_EFFECTIVE] >> capability & 1;
}

bool vk_may_do_all(void)
{
	return id_of(VK_ID_USER, EFFECTIVE) == 0;
}

/* Which versions have how many words; 0: none that we know, and the caller is told ours. */
static u32 cap_words(struct vk_call *c, long *err)
{
	struct __user_cap_header_struct *header = vk_user(c->a[0]);
	*err = -EFAULT;
	if (!vk_user_out_ok((u64)header, sizeof(*header)))
		return 0;
	*err = header->pid && header->pid != VK_PID ? -ESRCH : 0;
	switch (header->version) {
	case _LINUX_CAPABILITY_VERSION_1:
		return 1;
	case _LINUX_CAPABILITY_VERSION_2:
	case _LINUX_CAPABILITY_VERSION_3:
		return 2;
	}
	header->version = _LINUX_CAPABILITY_VERSION_3;
	*err = c->a[1] ? -EINVAL : 0;
	return 0;
}

long vk_sys_capget(struct vk_call *c)
{
	long err;
	u32 words = cap_words(c, &err);
	struct __user_cap_data_struct *data = vk_user(c->a[1]);
	if (err || !words || !data)
		return err;
	if (!vk_user_out_ok((u64)data, words * sizeof(*data)))
		return -EFAULT;
	vk_use(c, VK_CREDENTIALS, ACCESS_READ);
	struct caps caps = caps_now();
	for (u32 i = 0; i < words; i++)
		data[i] = (struct __user_cap_data_struct){(u32)(caps.set[CAPS_EFFECTIVE] >> 32 * i),
							  (u32)(caps.set[CAPS_PERMITTED] >> 32 * i),
							  (u32)(caps.set[CAPS_INHERITABLE] >> 32 * i)};
	return 0;
}

long vk_sys_capset(struct vk_call *c)
{
	long err;
	u32 words = cap_words(c, &err);
	const struct __user_cap_data_struct *data = vk_user(c->a[1]);
	if (err || !words)
		return err ? err : -EINVAL;
	if (!vk_user_ok((u64)data, words * sizeof(*data)))
		return -EFAULT;
	vk_use(c, VK_CREDENTIALS, ACCESS_WRITE);
	struct caps old = caps_now(), new = {0};
	for (u32 i = 0; i < words; i++) {
		new.set[CAPS_EFFECTIVE] |= (u64)data[i].effective << 32 * i;
		new.set[CAPS_PERMITTED] |= (u64)data[i].permitted << 32 * i;
		new.set[CAPS_INHERITABLE] |= (u64)data[i].inheritable << 32 * i;
	}
	if ((new.set[CAPS_PERMITTED] & ~old.set[CAPS_PERMITTED]) ||
	    (new.set[CAPS_EFFECTIVE] & ~new.set[CAPS_PERMITTED]) ||
	    (new.set[CAPS_INHERITABLE] & ~(old.set[CAPS_INHERITABLE] | old.set[CAPS_PERMITTED])))
		return -EPERM;
	set_caps(&new);
	return 0;
}

/* capabilities(7), "Effect of user ID changes on capabilities" */
static void adapt_caps(const u32 *before, const u32 *after)
{
	struct caps caps = caps_now();
	bool had_root = !before[REAL] || !before[EFFECTIVE] || !before[SAVED];
	bool has_root = !after[REAL] || !after[EFFECTIVE] || !after[SAVED];
	if (had_root && !has_root) {
		if (!vk->settings[sched_self_slot()].keep_caps)
			caps.set[CAPS_PERMITTED] = 0;
		caps.set[CAPS_EFFECTIVE] = 0;
	} else if (before[EFFECTIVE] && !after[EFFECTIVE]) {
		caps.set[CAPS_EFFECTIVE] = caps.set[CAPS_PERMITTED];
	} else if (!before[EFFECTIVE] && after[EFFECTIVE]) {
		caps.set[CAPS_EFFECTIVE] = 0;
	}
	set_caps(&caps);
}

/* ---- users and groups ---- */

static long get_id(struct vk_call *c, enum vk_id kind, u32 which)
{
	vk_use(c, VK_CREDENTIALS, ACCESS_READ);
	return id_of(kind, which);
}

long vk_sys_getuid(struct vk_call *c)
{
	return get_id(c, VK_ID_USER, REAL);
}

long vk_sys_geteuid(struct vk_call *c)
{
	return get_id(c, VK_ID_USER, EFFECTIVE);
}

long vk_sys_getgid(struct vk_call *c)
{
	return get_id(c, VK_ID_GROUP, REAL);
}

long vk_sys_getegid(struct vk_call *c)
{
	return get_id(c, VK_ID_GROUP, EFFECTIVE);
}

static long get_all(struct vk_call *c, enum vk_id kind)
{
	vk_use(c, VK_CREDENTIALS, ACCESS_READ);
	for (u32 i = 0; i < 3; i++) {
		if (!vk_user_out_ok((u64)c->a[i], sizeof(u32)))
			return -EFAULT;
		*(u32 *)c->a[i] = id_of(kind, i);
	}
	return 0;
}

long vk_sys_getresuid(struct vk_call *c)
{
	return get_all(c, VK_ID_USER);
}

long vk_sys_getresgid(struct vk_call *c)
{
	return get_all(c, VK_ID_GROUP);
}

static bool privileged(enum vk_id kind)
{
	return may(kind == VK_ID_USER ? CAP_SETUID : CAP_SETGID);
}

/* The id for file access goes with the effective one. */
static long set_all(enum vk_id kind, const u32 *new)
{
	u32 before[3], after[3];
	for (u32 i = 0; i < 3; i++) {
		before[i] = id_of(kind, i);
		after[i] = new[i] == KEEP ? before[i] : new[i];
		vk->credentials.id[kind][i] = start_id(kind, i) ^ after[i];
	}
	vk->credentials.fs[kind] = 0;
	if (kind == VK_ID_USER)
		adapt_caps(before, after);
	return 0;
}

static bool is_one_of(enum vk_id kind, u32 id, u32 count)
{
	for (u32 i = 0; i < count; i++)
		if (id == id_of(kind, i))
			return true;
	return id == KEEP;
}

static long set_one(struct vk_call *c, enum vk_id kind)
{
	u32 id = (u32)c->a[0];
	if (id == KEEP)
		return -EINVAL;
	vk_use(c, VK_CREDENTIALS, ACCESS_WRITE);
	if (privileged(kind))
		return set_all(kind, (u32[]){id, id, id});
	if (id != id_of(kind, REAL) && id != id_of(kind, SAVED))
		return -EPERM;
	return set_all(kind, (u32[]){KEEP, id, KEEP});
}

long vk_sys_setuid(struct vk_call *c)
{
	return set_one(c, VK_ID_USER);
}

long vk_sys_setgid(struct vk_call *c)
{
	return set_one(c, VK_ID_GROUP);
}

static long set_real_effective(struct vk_call *c, enum vk_id kind)
{
	u32 real = (u32)c->a[0], effective = (u32)c->a[1];
	vk_use(c, VK_CREDENTIALS, ACCESS_WRITE);
	if (!privileged(kind) && (!is_one_of(kind, real, 2) || !is_one_of(kind, effective, 3)))
		return -EPERM;
	bool saves = real != KEEP || (effective != KEEP && effective != id_of(kind, REAL));
	u32 saved = effective == KEEP ? id_of(kind, EFFECTIVE) : effective;
	return set_all(kind, (u32[]){real, effective, saves ? saved : KEEP});
}

long vk_sys_setreuid(struct vk_call *c)
{
	return set_real_effective(c, VK_ID_USER);
}

long vk_sys_setregid(struct vk_call *c)
{
	return set_real_effective(c, VK_ID_GROUP);
}

static long set_three(struct vk_call *c, enum vk_id kind)
{
	u32 new[3] = {(u32)c->a[0], (u32)c->a[1], (u32)c->a[2]};
	vk_use(c, VK_CREDENTIALS, ACCESS_WRITE);
	for (u32 i = 0; i < 3; i++)
		if (!privileged(kind) && !is_one_of(kind, new[i], 3))
			return -EPERM;
	return set_all(kind, new);
}

long vk_sys_setresuid(struct vk_call *c)
{
	return set_three(c, VK_ID_USER);
}

long vk_sys_setresgid(struct vk_call *c)
{
	return set_three(c, VK_ID_GROUP);
}

/* Tells the old one, and never fails. */
static long set_fs(struct vk_call *c, enum vk_id kind)
{
	u32 id = (u32)c->a[0];
	vk_use(c, VK_CREDENTIALS, ACCESS_WRITE);
	u32 old = fs_id(kind);
	if (id != KEEP && (privileged(kind) || is_one_of(kind, id, 3)))
		vk->credentials.fs[kind] = id_of(kind, EFFECTIVE) ^ id;
	return old;
}

long vk_sys_setfsuid(struct vk_call *c)
{
	return set_fs(c, VK_ID_USER);
}

long vk_sys_setfsgid(struct vk_call *c)
{
	return set_fs(c, VK_ID_GROUP);
}

/* At the start: the effective group alone. */
long vk_sys_getgroups(struct vk_call *c)
{
	vk_use(c, VK_CREDENTIALS, ACCESS_READ);
	const struct vk_credentials *v = &vk->credentials;
	u32 count = v->groups_set ? v->group_count : 1;
	if (!count || !c->a[0])
		return count;
	if (c->a[0] < (long)count)
		return -EINVAL;
	if (!vk_user_out_ok((u64)c->a[1], count * sizeof(u32)))
		return -EFAULT;
	for (u32 i = 0; i < count; i++)
		((u32 *)c->a[1])[i] = v->groups_set ? v->group[i] : start_id(VK_ID_GROUP, EFFECTIVE);
	return count;
}

long vk_sys_setgroups(struct vk_call *c)
{
	u64 count = (u32)c->a[0];
	struct vk_credentials *v = &vk->credentials;
	vk_use(c, VK_CREDENTIALS, ACCESS_WRITE);
	if (!may(CAP_SETGID))
		return -EPERM;
	if (count > VK_MAX_GROUPS) {
		if (count <= 65536)
			vk_refuse(c, "limit: setgroups of more than 32 groups");
		return -EINVAL;
	}
	if (count && !vk_user_ok((u64)c->a[1], count * sizeof(u32)))
		return -EFAULT;
	memset(v->group, 0, sizeof(v->group));
	memcpy(v->group, vk_user(c->a[1]), count * sizeof(u32));
	v->group_count = (u32)count;
	v->groups_set = 1;
	return 0;
}

/* ---- session and process group: the program leads both, as under a shell of its own ---- */

static long pid_of_us(int pid)
{
	return pid < 0 ? -EINVAL : pid && pid != VK_PID ? -ESRCH : VK_PID;
}

long vk_sys_getpgid(struct vk_call *c)
{
	return pid_of_us((int)c->a[0]);
}

long vk_sys_setpgid(struct vk_call *c)
{
	long pid = pid_of_us((int)c->a[0]);
	return (int)c->a[1] < 0 ? -EINVAL : pid < 0 ? pid : -EPERM; /* of a session leader */
}
