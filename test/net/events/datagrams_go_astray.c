/*
 * Datagrams that the network loses, doubles, reorders (--net-faults), to a peer and inside the program.
 *
 * The client asks once more when no answer comes in time, and passes over answers to old questions. With --read always the
 * network is never late, so that only a fault makes it ask again.
 * heddle: verdict=verified outcomes=1 args=careful options="--read always" server="@peer datagrams {port:7000} send:=%l="
 * heddle: verdict=verified outcomes=1 args=careful options="--read always --net-faults duplicate,reorder" server="@peer datagrams {port:7000} send:=%l="
 * heddle: verdict=verified outcomes=0,1 args=careful options="--read always --net-faults loss" server="@peer datagrams {port:7000} send:=%l="
 * heddle: verdict=bounded outcomes=1 args=careful options="--read always --net-faults loss --fault-budget 1" server="@peer datagrams {port:7000} send:=%l="
 * It asks two questions, and takes the first answer for that to the first:
 * heddle: verdict=verified outcomes=1 args=trusts server="@peer datagrams {port:7000} send:=%l="
 * heddle: verdict=violation kind=assert args=trusts options="--net-faults duplicate" server="@peer datagrams {port:7000} send:=%l="
 * heddle: verdict=violation kind=assert args=both options="--net-faults reorder" server="@peer datagrams {port:7000} send:=%l="
 * heddle: verdict=verified outcomes=1 args=both server="@peer datagrams {port:7000} send:=%l="
 * It waits for ever:
 * heddle: verdict=violation kind=comm-deadlock args=trusts options="--net-faults loss" server="@peer datagrams {port:7000} send:=%l="
 * Inside: 10 * the first + the second that arrives, 0: none.
 * heddle: verdict=verified outcomes=12 args=inside
 * heddle: verdict=verified outcomes=0,10,12,20 args=inside options="--net-faults loss"
 * heddle: verdict=verified outcomes=11,12 args=inside options="--net-faults duplicate"
 * heddle: verdict=verified outcomes=12,21 args=inside options="--net-faults reorder"
 */
#include "event.h"

static int fd;

static void ask(const char *text)
{
	CHECK(send(fd, text, strlen(text), 0) == (ssize_t)strlen(text));
}

static int hear_answer(int flags)
{
	char text[16];
	ssize_t n = recv(fd, text, sizeof(text), flags);
	if (n < 0)
		CHECK(errno == EAGAIN);
	else
		CHECK(n == 3 && text[0] == '=' && text[2] == '=');
	return n < 0 ? 0 : text[1] - '0';
}

static int ask_up_to_twice(int number)
{
	char text[2] = {(char)('0' + number), 0};
	struct pollfd p = {.fd = fd, .events = POLLIN};
	for (int i = 0; i < 2; i++) {
		ask(text);
		while (poll(&p, 1, 1000) == 1) {
			int heard = hear_answer(MSG_DONTWAIT);
			CHECK(heard >= 0 && heard <= number);
			if (heard == number)
				return 1;
		}
	}
	return 0;
}

static void inside(void)
{
	struct sockaddr_in a = loopback(7001);
	int from = socket(AF_INET, SOCK_DGRAM, 0), to = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	char c;
	int sum = 0;
	OK(bind(to, (struct sockaddr *)&a, sizeof(a)));
	OK(connect(from, (struct sockaddr *)&a, sizeof(a)));
	CHECK(send(from, "1", 1, 0) == 1 && send(from, "2", 1, 0) == 1);
	for (int weight = 10; weight && recv(to, &c, 1, 0) == 1; weight /= 10)
		sum += weight * (c - '0');
	heddle_outcome(sum);
}

int main(int argc, char **argv)
{
	struct sockaddr_in a = loopback(PORT);
	int how = 1;
	CHECK(argc == 2);
	if (!strcmp(argv[1], "inside")) {
		inside();
		return 0;
	}
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	OK(connect(fd, (struct sockaddr *)&a, sizeof(a)));
	if (!strcmp(argv[1], "careful")) {
		how = ask_up_to_twice(1) && ask_up_to_twice(2);
	} else if (!strcmp(argv[1], "trusts")) {
		ask("1");
		CHECK(hear_answer(0) == 1);
		ask("2");
		CHECK(hear_answer(0) == 2);
	} else {
		ask("1");
		ask("2");
		CHECK(hear_answer(0) == 1);
		CHECK(hear_answer(0) == 2);
	}
	heddle_outcome(how);
	return 0;
}
