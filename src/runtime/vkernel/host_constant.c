#include "runtime/vkernel/host_constant.h"

#include "base/text.h"

/* The same machine that sysinfo and sched_getaffinity describe (process.c): 4 CPUs, 4 GiB. */
static const struct {
	const char *path, *text;
} constants[] = {
	{"/proc/uptime", "1000.00 4000.00\n"},
	{"/proc/loadavg", "0.00 0.00 0.00 1/100 1000\n"},
	{"/proc/meminfo",
	 "MemTotal:        4194304 kB\nMemFree:         2097152 kB\n"
	 "MemAvailable:    3145728 kB\nBuffers:               0 kB\nCached:          1048576 kB\n"
	 "SwapTotal:             0 kB\nSwapFree:              0 kB\n"},
	{"/sys/devices/system/cpu/online", "0-3\n"},
	{"/sys/devices/system/cpu/possible", "0-3\n"},
	{"/sys/devices/system/cpu/present", "0-3\n"},
};

const char *host_constant(const char *absolute)
{
	for (u32 i = 0; i < HD_ARRAY_LEN(constants); i++)
		if (str_equal(absolute, constants[i].path))
			return constants[i].text;
	return NULL;
}

int host_proc_self_allowed(const char *rest)
{
	static const char *const allowed[] = {"exe",    "cmdline", "comm",   "environ",  "auxv",
					      "limits", "cgroup",  "mounts", "mountinfo"};
	for (u32 i = 0; i < HD_ARRAY_LEN(allowed); i++)
		if (str_equal(rest, allowed[i]))
			return 1;
	return 0;
}
