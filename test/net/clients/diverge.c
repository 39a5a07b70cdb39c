/*
 * Requests that differ in the middle of a write, and one that is the beginning of another.
 *
 * heddle: verdict=verified outcomes=0,1,2,3 connections=4 server="@peer listen {port:7000} line echo loop"
 * heddle: verdict=verified outcomes=0,1,2,3 connections=4 server="@peer listen {port:7000} serial line echo loop"
 * heddle: verdict=verified outcomes=0,1,2,3 cache=none server="@peer listen {port:7000} line echo loop"
 * heddle: verdict=incomplete cache=linear text~="after .GET /a.: recorded is .aa.*now it sends .bb.*--cache branching" server="@peer listen {port:7000} line echo loop"
 */
#include "net.h"

static const char *const request[] = {"GET /aaa\n", "GET /abb\n", "GET /a\n", "GET /abc\nGET /d\n"};

int main(void)
{
	unsigned which = heddle_choose(4);
	int fd = dial(PORT);
	say(fd, request[which]);
	hear_text(fd, request[which]);
	heddle_outcome(which);
	OK(close(fd));
	return 0;
}
