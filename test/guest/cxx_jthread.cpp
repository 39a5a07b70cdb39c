/*
 * cxx_jthread.cpp: jthread joins by itself and stops by its token; a stop callback runs, unless the thread, woken by
 * the wait's own callback, has unregistered it by then.
 *
 * heddle: verdict=verified outcomes=2,3
 */
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

#include "guest.h"

int main()
{
	std::mutex lock;
	std::condition_variable_any cv;
	std::atomic<int> told{0};
	{
		std::jthread t([&](std::stop_token stop) {
			std::stop_callback on_stop(stop, [&] { told++; });
			std::unique_lock l(lock);
			cv.wait(l, stop, [] { return false; });
			CHECK(stop.stop_requested());
			told += 2;
		});
	}
	heddle_outcome(told);
}
