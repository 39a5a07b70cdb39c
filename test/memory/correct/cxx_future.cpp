/*
 * cxx_future.cpp: a value comes back through std::promise, and a condition_variable guards a flag.
 *
 * heddle: verdict=verified outcomes=8
 */
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

#include "guest.h"

int main()
{
	std::promise<int> promise;
	std::mutex lock;
	std::condition_variable changed;
	bool ready = false;
	int data = 0;
	auto future = promise.get_future();

	std::thread worker([&] {
		{
			std::unique_lock<std::mutex> guard(lock);
			changed.wait(guard, [&] { return ready; });
		}
		promise.set_value(data + 1);
	});
	data = 7;
	{
		std::lock_guard<std::mutex> guard(lock);
		ready = true;
	}
	changed.notify_one();
	int result = future.get();
	worker.join();
	heddle_outcome(result);
	return 0;
}
