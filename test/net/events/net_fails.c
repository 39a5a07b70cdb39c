/*
 * A client whose network fails (--net-faults): a connect is refused or times out, the connection is reset behind any byte.
 * Outcomes: 1 the answer, 2 refused, 3 timed out, 4 reset at the request, 5 at the answer.
 *
 * heddle: verdict=verified outcomes=1 args=careful server="@peer listen {port:7000} line send:yes~"
 * heddle: verdict=verified outcomes=1,4,5 args=careful options="--net-faults reset" server="@peer listen {port:7000} line send:yes~"
 * heddle: verdict=verified outcomes=1,2,3,4,5 args=careful options="--net-faults reset,refuse,timeout" server="@peer listen {port:7000} line send:yes~"
 * heddle: verdict=verified outcomes=1,2,3,4,5 args=careful options="--net-faults reset,refuse,timeout --sanity 2" server="@peer listen {port:7000} line send:yes~"
 * heddle: verdict=verified outcomes=1,2,3,4,5 args=polls options="--net-faults reset,refuse,timeout" server="@peer listen {port:7000} line send:yes~"
 * heddle: verdict=verified outcomes=1,2 args=polls options="--net-faults refuse" server="@peer listen {port:7000} line send:yes~"
 * One fault is all that can happen to a connection: another one would be a fault of another connection.
 * heddle: verdict=verified outcomes=1,4,5 args=careful options="--net-faults reset --fault-budget 2" server="@peer listen {port:7000} line send:yes~"
 * heddle: verdict=verified outcomes=1 args=hasty server="@peer listen {port:7000} line send:yes~"
 * heddle: verdict=violation kind=assert options="--net-faults reset" args=hasty server="@peer listen {port:7000} line send:yes~"
 * heddle: verdict=violation kind=assert options="--net-faults refuse" args=hasty server="@peer listen {port:7000} line send:yes~"
 *
 * Twice: with a budget of one fault the second connection works, and that is a bound.
 * heddle: verdict=verified outcomes=1 args=retries server="@peer listen {port:7000} line send:yes~"
 * heddle: verdict=bounded text~="--fault-budget 1 were not.*network faults: reset, refuse; at most 1 in an execution" outcomes=1 args=retries options="--net-faults reset,refuse --fault-budget 1" server="@peer listen {port:7000} line send:yes~"
 * heddle: verdict=violation kind=assert args=retries options="--net-faults reset,refuse --fault-budget 2" server="@peer listen {port:7000} line send:yes~"
 *
 * A fault is no excuse: who waits for a silent server is stuck.
 * heddle: verdict=violation kind=comm-deadlock args=careful options="--net-faults reset" server="@peer listen {port:7000} line idle"
 */
#include <stdbool.h>

#include "event.h"

enum { ANSWER = 1, REFUSED, TIMED_OUT, RESET_ASKING, RESET_HEARING };

static bool hasty;

static int failed(int how)
{
	CHECK(!hasty);
	return how;
}

static int refusal_of(int err)
{
	CHECK(err == ECONNREFUSED || err == ETIMEDOUT);
	return failed(err == ETIMEDOUT ? TIMED_OUT : REFUSED);
}

static int hear_answer(int fd)
{
	char text[8];
	size_t got = 0;
	while (got < 4) {
		ssize_t n = read(fd, text + got, sizeof(text) - got);
		if (n < 0) {
			CHECK(errno == ECONNRESET);
			CHECK(read(fd, text, 1) == 0);
			return failed(RESET_HEARING);
		}
		CHECK(n > 0);
		got += (size_t)n;
	}
	CHECK(!memcmp(text, "yes\n", 4));
	return ANSWER;
}

static int ask(int fd)
{
	if (send(fd, "ask\n", 4, MSG_NOSIGNAL) != 4) {
		CHECK(errno == ECONNRESET);
		CHECK(send(fd, "ask\n", 4, MSG_NOSIGNAL) < 0 && errno == EPIPE);
		return failed(RESET_ASKING);
	}
	return hear_answer(fd);
}

static int talk(void)
{
	struct sockaddr_in a = loopback(PORT);
	int fd = socket(AF_INET, SOCK_STREAM, 0), how;
	CHECK(fd >= 0);
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0)
		how = refusal_of(errno);
	else
		how = ask(fd);
	OK(close(fd));
	return how;
}

static int error_of(int fd)
{
	int err;
	socklen_t len = sizeof(err);
	OK(getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len));
	return err;
}

static int talk_by_poll(void)
{
	struct sockaddr_in a = loopback(PORT);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), how = 0, err;
	struct pollfd p = {.fd = fd, .events = POLLOUT};
	CHECK(connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0 && errno == EINPROGRESS);
	CHECK(poll(&p, 1, -1) == 1);
	err = error_of(fd);
	if (err == ECONNRESET)
		how = RESET_ASKING;
	else if (err)
		how = refusal_of(err);
	else
		OK(fcntl(fd, F_SETFL, 0));
	how = how ? how : ask(fd);
	OK(close(fd));
	return how;
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	hasty = !strcmp(argv[1], "hasty");
	int how = !strcmp(argv[1], "polls") ? talk_by_poll() : talk();
	if (!strcmp(argv[1], "retries") && how != ANSWER) {
		how = talk();
		CHECK(how == ANSWER);
	}
	heddle_outcome(how);
	return 0;
}
