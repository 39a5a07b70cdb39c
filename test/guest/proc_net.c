/*
 * proc_net.c: /proc/net shows a machine with a loopback interface and nothing else, the same at every start. The tables of
 * sockets are refused by name.
 *
 * heddle: verdict=verified args=constant options="--allow-trivial"
 * heddle: verdict=incomplete args=table options="--allow-trivial" text~="/proc/self/net/tcp"
 * native: args=constant
 */
#include "guest.h"

static int lines(const char *path, const char *word)
{
	char line[512];
	int found = 0;
	FILE *f = fopen(path, "r");
	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f))
		found += strstr(line, word) != NULL;
	fclose(f);
	return found;
}

int main(int argc, char **argv)
{
	if (story(argc, argv, "table"))
		return lines("/proc/net/tcp", "local_address") < 0;
	CHECK(lines("/proc/net/dev", "lo:") == 1);
	CHECK(lines("/proc/self/net/route", "Iface") == 1);
	CHECK(lines("/proc/net/arp", "HW address") == 1);
	return 0;
}
