/*
 * SO_RCVTIMEO: a server that does not answer costs the client its patience, not its life. With a second thread that sends
 * the request, the time-out may come before the answer, or not.
 *
 * heddle: verdict=verified outcomes=0 server="@peer listen {port:7000} eof" args=silent
 * heddle: verdict=verified outcomes=0,1 server="@peer listen {port:7000} line echo loop" args=late
 * heddle: verdict=verified outcomes=0,1 cache=none server="@peer listen {port:7000} line echo loop" args=late
 * native: args=silent
 */
#include <sys/time.h>

#include "net.h"

static int fd;

static void *send_later(void *arg)
{
	say(fd, "late\n");
	return arg;
}

static long patient_read(void)
{
	char buffer[8];
	ssize_t n = read(fd, buffer, sizeof(buffer));
	CHECK(n == 5 || (n == -1 && errno == EAGAIN));
	return n > 0;
}

int main(int argc, char **argv)
{
	struct timeval patience = {.tv_usec = 100000}, same = {0};
	socklen_t len = sizeof(same);
	fd = dial(PORT);
	OK(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)));
	OK(getsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &same, &len));
	CHECK(same.tv_sec == 0 && same.tv_usec == 100000);
	if (story(argc, argv, "silent")) {
		heddle_outcome(patient_read());
		return 0;
	}
	pthread_t t = spawn(send_later, NULL);
	long got = patient_read();
	join(t);
	if (!got)
		got = 0 * patient_read();
	heddle_outcome(got);
	return 0;
}
