/*
 * A client in C++: threads, futures, a connection in a class, streams of lines.
 *
 * heddle: verdict=verified outcomes=3 connections=2 server="@bank {port:7000}"
 */
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "net.h"

namespace
{
class connection
{
	int fd;

      public:
	explicit connection(int port) : fd(dial(port))
	{
	}
	connection(const connection &) = delete;
	connection &operator=(const connection &) = delete;
	~connection()
	{
		close(fd);
	}
	std::string ask(const std::string &question)
	{
		char line[64];
		say(fd, (question + "\n").c_str());
		CHECK(hear_line(fd, line, sizeof(line)));
		return line;
	}
};

long store(long n)
{
	connection bank(PORT);
	bank.ask("set " + std::to_string(n));
	return std::stol(bank.ask("get"));
}
} // namespace

int main()
{
	auto one = std::async(std::launch::async, store, 1), two = std::async(std::launch::async, store, 2);
	heddle_outcome(one.get() + two.get());
	return 0;
}
