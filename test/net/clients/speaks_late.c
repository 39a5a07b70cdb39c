/*
 * A server that speaks by itself in the end: after a time-out, or because another connection was closed. Who waits for it
 * is in no deadlock: what it says then is part of its conversation, which has all its connections. With a tree for each
 * connection it is not explored: neither a violation nor verified. One that never speaks is a violation.
 *
 * heddle: verdict=verified text~="servers: shared" server="@peer listen {port:7000} patience:1300 send:late~ eof"
 * heddle: verdict=incomplete text~="sends data although" cache=linear server="@peer listen {port:7000} patience:1300 send:late~ eof"
 * heddle: verdict=verified cache=none server="@peer listen {port:7000} patience:1300 send:late~ eof"
 * heddle: verdict=incomplete text~="sends data although.*after a while it sent .late" options="--peers independent" server="@peer listen {port:7000} patience:1300 send:late~ eof"
 * heddle: verdict=violation kind=assert args=hopes server="@peer listen {port:7000} patience:1300 send:late~ eof"
 * heddle: verdict=violation kind=comm-deadlock server="@peer listen {port:7000} patience:1300 eof" options="--peer-timeout 3s"
 * heddle: verdict=verified text~="servers: shared" args=close server="@peer listen {port:7000} eof others:left~"
 * heddle: verdict=incomplete text~="sends data although.*were closed, it sent.*left" options="--peers independent" args=close server="@peer listen {port:7000} eof others:left~"
 * heddle: verdict=verified text~="servers: shared" args=close cache=none server="@peer listen {port:7000} eof others:left~"
 * heddle: verdict=incomplete text~="sends data although" args=close cache=none options="--peers independent" server="@peer listen {port:7000} eof others:left~"
 * heddle: verdict=violation kind=comm-deadlock args=close server="@peer listen {port:7000} eof"
 * native: skip
 */
#include "net.h"

int main(int argc, char **argv)
{
	char c;
	int one = story(argc, argv, "close") ? dial(PORT) : -1, two = dial(PORT);
	if (one >= 0)
		OK(close(one));
	CHECK(read(two, &c, 1) == 1);
	CHECK(!story(argc, argv, "hopes") || c == 's'); /* for something else */
	return 0;
}
