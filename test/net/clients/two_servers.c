/*
 * Two servers, a thread each, and a third that has both on the line: what one said is passed to the other.
 *
 * heddle: verdict=verified connections=4 trees=2 server="@peer listen {port:7000} send:one~ line send:thanks_for_%l~" server2="@peer listen {port:7001} send:two~ line send:got_%l~"
 */
#include "net.h"

static void *pass_on(void *arg)
{
	int one = dial(7000), two = dial(7001);
	hear_text(one, "one\n");
	hear_text(two, "two\n");
	say(one, "two\n");
	say(two, "one\n");
	hear_text(two, "got one\n");
	hear_text(one, "thanks for two\n");
	return arg;
}

int main(void)
{
	pthread_t t = spawn(pass_on, NULL);
	pass_on(NULL);
	join(t);
	return 0;
}
