/*
 * A server that answers when a timer of its process expires: no thread of it waits with a time-out then, or none that its system
 * call tells. Or it is an event loop, which waits at one place, with or without a time-out. It is given that time, at every question. Who has a timer that never expires (a watchdog) is silent all the same.
 *
 * heddle: verdict=verified server="@peer listen {port:7000} serial line after:itimer:200 echo loop"
 * heddle: verdict=verified server="@peer listen {port:7000} serial line after:posix-timer:200 echo loop"
 * heddle: verdict=verified server="@peer listen {port:7000} serial line after:timerfd:200 echo loop"
 * heddle: verdict=verified server="@peer listen {port:7000} serial line after:timerfd-epoll:200 echo loop"
 * heddle: verdict=verified server="@peer listen {port:7000} serial line after:rcvtimeo:200 echo loop"
 * heddle: verdict=verified server="@peer listen {port:7000} serial line patience:200 echo loop"
 * heddle: verdict=verified|incomplete server="@ticker {port:7000} always 100"
 * heddle: verdict=verified|incomplete server="@ticker {port:7000} asked 100"
 * heddle: verdict=violation kind=comm-deadlock options="--peer-timeout 1" server="@peer listen {port:7000} serial line echo line after:itimer:100000 echo loop"
 * heddle: verdict=violation kind=comm-deadlock options="--peer-timeout 1" server="@peer listen {port:7000} serial line echo line after:timerfd-epoll:100000 echo loop"
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
	OK(close(fd));
	return 0;
}
