/*
 * named_semaphores.c: sem_open, sem_close and sem_unlink, between the threads of the SUT. glibc makes them of
 * files in memory that processes share; here they lie in the model, each at a place that depends on its name,
 * so that it does not tell who was first. When the SUT starts there are none.
 */
#include "runtime/vkernel/core/vk_priv.h"

#define NAME_MOST 251 /* NAME_MAX without "sem." */

static bool is_used(const struct vk_semaphore *s)
{
	return s->refs || s->linked;
}

static struct vk_semaphore *find(const char *name)
{
	for (u32 i = 0; i < VK_MAX_SEMAPHORES; i++) {
		struct vk_semaphore *s = &vk->semaphore[i];
		if (s->linked && str_equal(s->name, name))
			return s;
	}
	return NULL;
}

static struct vk_semaphore *make(const char *name)
{
	u32 first = 0;
	for (const char *p = name; *p; p++)
		first = first * 31 + (u8)*p;
	for (u32 i = 0; i < VK_MAX_SEMAPHORES; i++) {
		struct vk_semaphore *s = &vk->semaphore[(first + i) % VK_MAX_SEMAPHORES];
		if (is_used(s))
			continue;
		str_copy(s->name, sizeof(s->name), name);
		s->linked = 1;
		return s;
	}
	return NULL;
}

static void forget_unused(struct vk_semaphore *s)
{
	if (is_used(s))
		return;
	vk_declare((u64)s->words, ACCESS_WRITE);
	*s = (struct vk_semaphore){0};
}

/* Without the slashes in front; NULL and *err: not a name. */
static const char *plain_name(const struct vk_call *c, const char *name, long *err)
{
	while (*name == '/')
		name++;
	u64 len = str_len(name);
	*err = !len ? -EINVAL : len > NAME_MOST ? -ENAMETOOLONG : 0;
	for (const char *p = name; *p; p++)
		if (*p == '/')
			*err = -EINVAL;
	if (!*err && len >= sizeof(vk->semaphore[0].name)) {
		vk_refuse(c, "limit: sem_open with a name of more than 47 characters");
		*err = -ENAMETOOLONG;
	}
	return *err ? NULL : name;
}

long vk_sem_open(const char *path, int flags, u32 value, u64 pc, u64 *sem)
{
	struct vk_call c = {.pc = pc};
	long err;
	const char *name = plain_name(&c, path, &err);
	if (err)
		return err;
	vk_use(&c, VK_SEMAPHORES, ACCESS_WRITE);
	struct vk_semaphore *s = find(name);
	if (s && (flags & O_CREAT) && (flags & O_EXCL))
		return -EEXIST;
	if (!s) {
		if (!(flags & O_CREAT))
			return -ENOENT;
		if (value > 0x7fffffff)
			return -EINVAL;
		s = make(name);
		if (!s) {
			vk_refuse(&c, "limit: more than 32 named semaphores");
			return -ENFILE;
		}
		vk_declare((u64)s->words, ACCESS_WRITE);
		s->words[0] = value;
	}
	s->refs++;
	*sem = (u64)s->words;
	return 0;
}

long vk_sem_close(u64 sem, u64 pc)
{
	struct vk_call c = {.pc = pc};
	vk_use(&c, VK_SEMAPHORES, ACCESS_WRITE);
	for (u32 i = 0; i < VK_MAX_SEMAPHORES; i++) {
		struct vk_semaphore *s = &vk->semaphore[i];
		if ((u64)s->words != sem || !s->refs)
			continue;
		s->refs--;
		forget_unused(s);
		return 0;
	}
	return -EINVAL;
}

long vk_sem_unlink(const char *path, u64 pc)
{
	struct vk_call c = {.pc = pc};
	long err;
	const char *name = plain_name(&c, path, &err);
	if (err)
		return err == -EINVAL ? -ENOENT : err;
	vk_use(&c, VK_SEMAPHORES, ACCESS_WRITE);
	struct vk_semaphore *s = find(name);
	if (!s)
		return -ENOENT;
	s->linked = 0;
	forget_unused(s);
	return 0;
}
