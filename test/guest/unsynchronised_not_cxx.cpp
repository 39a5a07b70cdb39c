// unsynchronised_not_cxx.cpp: what the C++ library shares by means of its own is nothing to tell: streams, counted pointers,
// exceptions, statics that are made once, a future.
//
// heddle: verdict=verified text~="Verified, data races not looked at"
// native: exit=0
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

static std::mutex lock;
static std::map<int, std::string> all;

static const std::string &made_once()
{
	static const std::string text("long enough to lie on the heap, not in the object");
	return text;
}

static void work(int number, const std::shared_ptr<std::string> &shared)
{
	auto mine = shared;
	std::ostringstream text;
	text << *mine << number << ' ' << 1.5;
	try {
		throw std::runtime_error(text.str());
	} catch (const std::exception &e) {
		std::lock_guard<std::mutex> guard(lock);
		all[number] = e.what() + made_once();
	}
	std::cout << "thread " << number << "\n";
}

int main()
{
	auto shared = std::make_shared<std::string>("shared by both");
	std::thread one(work, 1, shared);
	auto two = std::async(std::launch::async, work, 2, shared);
	shared.reset();
	one.join();
	two.get();
	return all.size() != 2;
}
