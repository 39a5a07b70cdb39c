/*
 * A server in C++: jthreads, a map of names behind a shared_mutex; writers exclude readers.
 *
 * heddle: verdict=verified outcomes=1,2 client1="@peer connect {port} send:set_a~ want:ok" client2="@peer connect {port} send:get_a~ line"
 */
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include "net.h"

static std::map<std::string, int> names;
static std::shared_mutex lock;

static const char *answer(const std::string &line)
{
	std::string name = line.substr(4);
	if (line.compare(0, 3, "set") == 0) {
		std::unique_lock<std::shared_mutex> hold(lock);
		names[name]++;
		return "ok\n";
	}
	std::shared_lock<std::shared_mutex> hold(lock);
	bool known = names.count(name) > 0;
	heddle_outcome(known ? 1 : 2);
	return known ? "known\n" : "unknown\n";
}

static void serve(int fd)
{
	char line[64];
	if (hear_line(fd, line, sizeof(line)))
		say(fd, answer(line));
	close(fd);
}

int main()
{
	std::vector<std::jthread> threads;
	for (int listener = listen_on(PORT);;)
		threads.emplace_back(serve, take_client(listener));
}
