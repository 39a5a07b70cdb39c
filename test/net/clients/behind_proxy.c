/*
 * The server is a proxy, and its back end another peer: the proxy rests while the back end works, and has answered only when both
 * rest. Slow back ends are no silent ones.
 *
 * heddle: verdict=verified outcomes=2 server="@peer listen {port:7001} line echo loop" server2="@ticker {port:7000} relay {port:7001}"
 * heddle: verdict=verified outcomes=2 server="@peer listen {port:7001} line sleep:50 echo loop" server2="@ticker {port:7000} relay {port:7001}"
 * heddle: verdict=verified outcomes=2 server="@peer listen {port:7001} line patience:100 echo loop" server2="@ticker {port:7000} relay {port:7001}"
 * heddle: verdict=verified outcomes=2 server="@ticker {port:7001} always 100" server2="@ticker {port:7000} relay {port:7001}"
 * heddle: verdict=violation kind=comm-deadlock server="@peer listen {port:7001} line echo line idle" server2="@ticker {port:7000} relay {port:7001}"
 * native: skip
 */
#include "net.h"

int main(void)
{
	int fd = dial(PORT);
	for (int i = 0; i < 2; i++) {
		say(fd, "question\n");
		hear_text(fd, "question\n");
	}
	heddle_outcome(2);
	OK(close(fd));
	return 0;
}
