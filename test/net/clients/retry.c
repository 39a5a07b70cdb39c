/*
 * A client that is turned away tries again, a little later: the server says "busy" to who is not polite. Sleeping costs no time here.
 *
 * heddle: verdict=verified outcomes=2 server="@peer listen {port:7000} line when:please send:welcome~ unless:please send:busy~ close"
 */
#include "net.h"

static int try(const char *line)
{
	char answer[16];
	int fd = dial(PORT);
	say(fd, line);
	CHECK(hear_line(fd, answer, sizeof(answer)));
	OK(close(fd));
	return !strcmp(answer, "welcome");
}

int main(void)
{
	static const char *const line[] = {"let me in\n", "please\n"};
	int tries = 0;
	while (!try(line[tries++ % 2]))
		sleep(heddle_running() ? 3600 : 0);
	heddle_outcome(tries);
	return 0;
}
