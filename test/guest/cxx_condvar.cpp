/*
 * cxx_condvar.cpp: condition_variable with predicate, wait_for (time-out is a choice)
 * and condition_variable_any.
 *
 * heddle: verdict=verified outcomes=0,1
 */
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "guest.h"

int main()
{
	std::mutex lock;
	std::condition_variable cv;
	std::condition_variable_any any;
	bool ready = false, seen = false;
	std::thread t([&] {
		std::lock_guard g(lock);
		ready = true;
		cv.notify_one();
	});
	{
		std::unique_lock l(lock);
		bool in_time = cv.wait_for(l, std::chrono::milliseconds(100), [&] { return ready; });
		heddle_outcome(in_time);
		cv.wait(l, [&] { return ready; });
		CHECK(l.owns_lock());
	}
	t.join();
	std::thread u([&] {
		std::unique_lock l(lock);
		any.wait(l, [&] { return seen; });
	});
	{
		std::lock_guard g(lock);
		seen = true;
	}
	any.notify_all();
	u.join();
}
