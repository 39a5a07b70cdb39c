/*
 * cxx_shared_mutex.cpp: shared_mutex and timed mutexes: try_lock_for may fail while
 * another thread holds it (0) or succeed (1).
 *
 * heddle: verdict=verified outcomes=0,1
 */
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "guest.h"

int main()
{
	std::shared_mutex rw;
	std::timed_mutex timed;
	int value = 0;
	std::thread t([&] {
		std::unique_lock w(rw);
		value++;
		std::lock_guard g(timed);
	});
	{
		std::shared_lock r(rw);
		CHECK(value == 0 || value == 1);
	}
	bool got = timed.try_lock_for(std::chrono::milliseconds(50));
	heddle_outcome(got);
	if (got)
		timed.unlock();
	t.join();
}
