/*
 * proc_text.c: files below /proc/self that tell what the program has set: the name of its first thread, the
 * umask, limits, how many threads there are. The text is made when the file is opened.
 */
#include <linux/resource.h>

#include "base/text.h"
#include "runtime/sched/thread.h"
#include "runtime/vkernel/core/vk_priv.h"
#include "runtime/vkernel/process/proc_text.h"

#define NAME_SIZE sizeof(((struct fiber *)0)->name)

static void name_of_first(struct vk_call *c, struct text *t)
{
	char name[NAME_SIZE] = "";
	vk_first_thread_name(c, name);
	text_str(t, name);
}

static u32 threads(struct vk_call *c)
{
	u32 count = 0;
	for (u32 slot = 0; slot < LAYOUT_MAX_FIBERS; slot++)
		count += sched_fiber(slot) && vk_thread_seen(c, slot);
	return count;
}

static void comm(struct vk_call *c, struct text *t)
{
	name_of_first(c, t);
	text_str(t, "\n");
}

static void stat_line(struct vk_call *c, struct text *t)
{
	text_str(t, "1000 (");
	name_of_first(c, t);
	text_str(t, ") R 1 1000 1000 0 -1 4194304 100 0 0 0 0 0 0 0 20 0 ");
	text_fmt(t, "%u", threads(c));
	text_str(t, " 0 100 4194304 512 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 "
		    "0 0 0 0\n");
}

static void octal(struct text *t, u32 value)
{
	char digits[] = {'0', (char)('0' + (value >> 6 & 7)), (char)('0' + (value >> 3 & 7)),
			 (char)('0' + (value & 7)), 0};
	text_str(t, digits);
}

static void status(struct vk_call *c, struct text *t)
{
	text_str(t, "Name:\t");
	name_of_first(c, t);
	text_str(t, "\nUmask:\t");
	vk_use(c, VK_UMASK, ACCESS_READ);
	octal(t, vk->umask);
	text_str(t, "\nState:\tR "
		    "(running)\nTgid:\t1000\nNgid:\t0\nPid:\t1000\nPPid:\t1\nTracerPid:\t0\nFDSize:\t64\n"
		    "VmPeak:\t    4096 kB\nVmSize:\t    4096 kB\nVmLck:\t       0 kB\nVmHWM:\t    2048 kB\n"
		    "VmRSS:\t    2048 kB\nVmData:\t    2048 kB\nVmStk:\t     132 kB\nVmExe:\t     256 kB\n"
		    "VmLib:\t    1024 kB\nVmSwap:\t       0 kB\nThreads:\t");
	text_fmt(t, "%u", threads(c));
	text_str(t, "\nCpus_allowed:\tf\nCpus_allowed_list:\t0-3\n");
}

static void limit_value(struct text *t, u64 value)
{
	char digits[24] = "unlimited";
	struct text d;
	if (value != ~(u64)0) {
		text_init(&d, digits, sizeof(digits));
		text_fmt(&d, "%lu", value);
	}
	text_str(t, digits);
	for (size_t n = str_len(digits); n < 21; n++)
		text_str(t, " ");
}

static void limits(struct vk_call *c, struct text *t)
{
	static const struct {
		const char *name, *unit;
		u32 resource;
	} rows[] = {
		{"Max cpu time              ", "seconds", RLIMIT_CPU},
		{"Max file size             ", "bytes", RLIMIT_FSIZE},
		{"Max data size             ", "bytes", RLIMIT_DATA},
		{"Max stack size            ", "bytes", RLIMIT_STACK},
		{"Max core file size        ", "bytes", RLIMIT_CORE},
		{"Max resident set          ", "bytes", RLIMIT_RSS},
		{"Max processes             ", "processes", RLIMIT_NPROC},
		{"Max open files            ", "files", RLIMIT_NOFILE},
		{"Max locked memory         ", "bytes", RLIMIT_MEMLOCK},
		{"Max address space         ", "bytes", RLIMIT_AS},
		{"Max file locks            ", "locks", RLIMIT_LOCKS},
		{"Max pending signals       ", "signals", RLIMIT_SIGPENDING},
		{"Max msgqueue size         ", "bytes", RLIMIT_MSGQUEUE},
		{"Max nice priority         ", "", RLIMIT_NICE},
		{"Max realtime priority     ", "", RLIMIT_RTPRIO},
		{"Max realtime timeout      ", "us", RLIMIT_RTTIME},
	};
	vk_use(c, VK_LIMITS, ACCESS_READ);
	text_str(t, "Limit                     Soft Limit           Hard Limit           Units     \n");
	for (u32 i = 0; i < HD_ARRAY_LEN(rows); i++) {
		text_str(t, rows[i].name);
		limit_value(t, vk_limit_soft(rows[i].resource));
		limit_value(t, vk_limit_hard(rows[i].resource));
		text_fmt(t, "%s\n", rows[i].unit);
	}
}

static const struct {
	const char *path;
	void (*write)(struct vk_call *c, struct text *t);
} files[] = {
	{"/proc/self/comm", comm},
	{"/proc/self/stat", stat_line},
	{"/proc/self/status", status},
	{"/proc/self/limits", limits},
};

const char *vk_proc_text(struct vk_call *c, const char *path)
{
	static char buf[4096];
	struct text t;
	for (u32 i = 0; i < HD_ARRAY_LEN(files); i++) {
		if (!str_equal(path, files[i].path))
			continue;
		for (int round = 0; round < 2;
		     round++) { /* others may have used buf in a step of the first */
			text_init(&t, buf, sizeof(buf));
			files[i].write(c, &t);
		}
		return buf;
	}
	return NULL;
}
