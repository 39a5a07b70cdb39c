#include "runtime/vkernel/files/host_constant.h"

#include "base/text.h"
#include "runtime/vkernel/files/host_maps.h"

/* The same machine that sysinfo and sched_getaffinity describe (identity.c): 4 CPUs, 4 GiB. */
static const struct {
	const char *path, *text;
} constants[] = {
	{"/proc/uptime", "1000.00 4000.00\n"},
	{"/proc/loadavg", "0.00 0.00 0.00 1/100 1000\n"},
	{"/proc/meminfo",
	 "MemTotal:        4194304 kB\nMemFree:         2097152 kB\n"
	 "MemAvailable:    3145728 kB\nBuffers:               0 kB\nCached:          1048576 kB\n"
	 "SwapTotal:             0 kB\nSwapFree:              0 kB\n"},
	{"/proc/self/statm", "1024 512 256 64 0 512 0\n"},
	/* It has no network but the loopback. */
	{"/proc/self/net/dev",
	 "Inter-|   Receive                                                |  Transmit\n"
	 " face |bytes    packets errs drop fifo frame compressed multicast"
	 "|bytes    packets errs drop fifo colls carrier compressed\n"
	 "    lo:       0       0    0    0    0     0          0         0"
	 "        0       0    0    0    0     0       0          0\n"},
	{"/proc/self/net/route",
	 "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"},
	{"/proc/self/net/arp",
	 "IP address       HW type     Flags       HW address            Mask     Device\n"},
	{"/proc/self/net/if_inet6", "00000000000000000000000000000001 01 80 10 80       lo\n"},
	{"/sys/devices/system/cpu/online", "0-3\n"},
	{"/sys/devices/system/cpu/possible", "0-3\n"},
	{"/sys/devices/system/cpu/present", "0-3\n"},
};

const char *host_constant(const char *absolute)
{
	for (u32 i = 0; i < HD_ARRAY_LEN(constants); i++)
		if (str_equal(absolute, constants[i].path))
			return constants[i].text;
	return str_equal(absolute, "/proc/self/maps") ? host_maps_text() : NULL;
}

int host_proc_self_allowed(const char *rest)
{
	static const char *const allowed[] = {"exe",    "cmdline", "comm",   "environ",   "auxv",
					      "limits", "cgroup",  "mounts", "mountinfo", "maps",
					      "stat",   "statm",   "status"};
	/* Of the network what is constant. Tables of sockets (tcp, udp, unix …) would be the model's. */
	static const char *const network[] = {"net/dev", "net/route", "net/arp", "net/if_inet6"};
	for (u32 i = 0; i < HD_ARRAY_LEN(allowed); i++)
		if (str_equal(rest, allowed[i]))
			return 1;
	for (u32 i = 0; i < HD_ARRAY_LEN(network); i++)
		if (str_equal(rest, network[i]))
			return 1;
	return 0;
}
