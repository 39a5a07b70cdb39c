/*
 * Servers that can't be had: a command that does not exist, one that ends at once, one that never listens, one that dies while
 * it is asked. The sentence says which, and shows its last words.
 *
 * heddle: exit=2 error~="no-such-command|not found" server="no-such-command {port:7000}"
 * heddle: exit=2 error~="sorry" server="echo sorry; exit 3; : {port:7000}"
 * heddle: exit=2 error~="listen" server="sleep 1000; : {port:7000}" options="--peer-timeout 1s"
 * heddle: exit=2 error~="port" server="@peer listen {port:70000} line"
 * heddle: verdict=incomplete text~="ended in the middle.*exit status 3" server="@peer listen {port:7000} line die:3"
 * heddle: verdict=verified outcomes=2 server="@peer listen {port:7000} line die:0"
 * heddle: verdict=verified outcomes=1 server="@peer listen {port:7000} line echo loop"
 * native: skip
 */
#include "net.h"

int main(void)
{
	char answer[8];
	int fd = dial(PORT);
	say(fd, "hello\n");
	heddle_outcome(read(fd, answer, sizeof(answer)) > 0 ? 1 : 2);
	return 0;
}
