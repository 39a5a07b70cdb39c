/*
 * constructors.cpp: global objects are built before main, with malloc, locks and even a
 * thread; destructors run at exit after atexit handlers registered later.
 *
 * heddle: verdict=verified outcomes=1234
 */
#include <mutex>
#include <string>
#include <thread>

#include "guest.h"

static int told;

struct Global {
	std::mutex lock;
	std::string text = std::string(100, 'x');
	Global()
	{
		std::lock_guard g(lock);
		told = 1;
		std::thread([this] {
			std::lock_guard g(other);
			told = told * 10 + 2;
		}).join();
	}
	~Global()
	{
		std::lock_guard g(lock);
		heddle_outcome(told * 10 + 4);
	}
	std::mutex other;
};

static Global global;

int main()
{
	CHECK(global.text.size() == 100);
	atexit([] { told = told * 10 + 3; });
}
