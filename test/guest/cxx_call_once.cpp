/*
 * cxx_call_once.cpp: std::call_once, also when the first attempt throws: then another
 * caller does it; and function-local statics are built once.
 *
 * heddle: verdict=verified outcomes=211
 */
#include <mutex>
#include <stdexcept>
#include <thread>

#include "guest.h"

static std::once_flag flag;
static std::mutex lock;
static int attempts, successes, built;

struct Static {
	int value;
	Static()
	{
		built++;
		sched_yield();
		std::lock_guard g(lock);
		value = 7;
	}
};

static Static &the_static()
{
	static Static s;
	return s;
}

static void init()
{
	if (++attempts == 1)
		throw std::runtime_error("not yet");
	successes++;
}

static void body()
{
	try {
		std::call_once(flag, init);
	} catch (const std::runtime_error &) {
		std::call_once(flag, init);
	}
	CHECK(successes == 1);
	CHECK(the_static().value == 7);
}

int main()
{
	std::thread t(body), u(body);
	t.join();
	u.join();
	heddle_outcome(attempts * 100 + successes * 10 + built);
}
