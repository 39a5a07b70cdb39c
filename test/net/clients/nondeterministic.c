/*
 * Servers that do not say the same to the same: one counts the requests of all its connections, one tells the nanosecond, one has
 * another greeting for each connection. Two threads that write to one connection in either order make the cache ask again, and it must
 * notice: a server that counts is known by all that it was told, in order, and a clock
 * stands still for peers that are watched. With --peers independent it does not go on. Who asks only once hears nothing of it, unless its conversations are had once more at the end.
 *
 * heddle: verdict=incomplete text~="deterministic.*--checkpoint" options="--peers independent" server="@peer listen {port:7000} line send:%c~ loop" args=orders
 * heddle: verdict=verified text~="servers: shared.*Recorded answer" server="@peer listen {port:7000} line send:%c~ loop" args=orders
 * heddle: verdict=incomplete text~="deterministic" options="--peers independent" server="@peer listen {port:7000} line send:%r~ loop" args=orders
 * heddle: verdict=verified text~="clock .*made the same in each run" server="@peer listen {port:7000} line send:%r~ loop" args=orders
 * heddle: verdict=incomplete text~="deterministic" options="--peers independent" server="@peer listen {port:7000} send:%c~ line echo loop" args=orders
 * heddle: verdict=verified text~="servers: shared" server="@peer listen {port:7000} send:%c~ line echo loop" args=orders
 * heddle: verdict=verified text~="clock .*made the same in each run" cache=none server="@peer listen {port:7000} send:%r~ line echo loop" args=orders
 * heddle: verdict=verified server="@peer listen {port:7000} line send:%c~ loop" args=one
 * heddle: verdict=verified text~="servers: shared" options="--recheck 9" server="@peer listen {port:7000} line send:%c~ loop" args=one
 * heddle: verdict=incomplete text~="deterministic" options="--recheck 9 --peers independent" server="@peer listen {port:7000} line send:%c~ loop" args=one
 * heddle: verdict=verified options=--ask-again server="@peer listen {port:7000} line echo loop" args=one
 * native: args=one
 */
#include "net.h"

static int fd;

static void *produce(void *line)
{
	say(fd, line);
	return NULL;
}

int main(int argc, char **argv)
{
	char line[16];
	fd = dial(PORT);
	say(fd, "first\n");
	CHECK(hear_line(fd, line, sizeof(line)));
	if (story(argc, argv, "one"))
		return 0;
	pthread_t a = spawn(produce, "1\n"), b = spawn(produce, "2\n");
	join(a);
	join(b);
	CHECK(hear_line(fd, line, sizeof(line)));
	return 0;
}
