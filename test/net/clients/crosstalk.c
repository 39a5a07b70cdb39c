/*
 * What is written to one connection is answered on another, as a chat server does: trees of single connections can't tell
 * that. It must be noticed, and a tree of all connections can.
 *
 * heddle: verdict=verified text~="servers: shared" server="@peer listen {port:7000} line others:%l~ loop"
 * heddle: verdict=verified cache=none options="--peers shared" server="@peer listen {port:7000} line others:%l~ loop"
 * heddle: verdict=incomplete text~="connection.*connection" options="--peers independent" server="@peer listen {port:7000} line others:%l~ loop"
 * heddle: verdict=incomplete text~="connection.*connection" cache=linear server="@peer listen {port:7000} line others:%l~ loop"
 */
#include "net.h"

int main(void)
{
	int one = dial(PORT), two = dial(PORT);
	say(two, "over there\n");
	hear_text(one, "over there\n");
	return 0;
}
