/*
 * cxx_streams.cpp: all threads may use the standard streams at once, and others in turn: a plain success.
 * What a buffer of the program's own class does inside the library is named.
 *
 * heddle: verdict=verified text~="Verified: "
 * heddle: args=locked verdict=verified text~="Verified: "
 * heddle: args=own verdict=verified text~="not looked into: a stream buffer of the program's own class"
 * native: exit=0
 */
#include <iostream>
#include <mutex>
#include <sstream>
#include <thread>

#include "guest.h"

struct Nowhere : std::streambuf {
	int overflow(int c) override
	{
		return c;
	}
};

static std::ostringstream words;
static std::mutex lock;
static bool locks, own;

static void body(int n)
{
	if (own) {
		Nowhere nowhere;
		std::ostream(&nowhere) << n;
	} else if (locks) {
		std::lock_guard<std::mutex> guard(lock);
		words << n << ' ' << 1.5 << "text" << std::endl;
	} else {
		std::cout << n << ' ' << (long)n << "text" << 1.5 << std::endl;
	}
}

int main(int argc, char **argv)
{
	locks = story(argc, argv, "locked");
	own = story(argc, argv, "own");
	std::thread a(body, 1), b(body, 2);
	a.join();
	b.join();
	return 0;
}
