/*
 * cxx_future.cpp: promise and future between threads, an exception through a future,
 * packaged_task, async, wait_for that may time out.
 *
 * heddle: verdict=verified outcomes=30,31
 */
#include <chrono>
#include <future>
#include <stdexcept>
#include <thread>

#include "guest.h"

static int through_promise()
{
	std::promise<int> promise;
	std::future<int> future = promise.get_future();
	std::thread t([&promise] { promise.set_value(10); });
	int value = future.get();
	t.join();
	return value;
}

static int through_exception()
{
	std::packaged_task<int(int)> task([](int n) -> int { throw std::out_of_range(std::to_string(n)); });
	auto future = task.get_future();
	std::thread t(std::move(task), 5);
	t.join();
	try {
		return future.get();
	} catch (const std::out_of_range &e) {
		return 2 * std::stoi(e.what());
	}
}

int main()
{
	int sum = through_promise() + through_exception();
	auto f = std::async(std::launch::async, [] { return 10; });
	int late = f.wait_for(std::chrono::milliseconds(200)) == std::future_status::timeout;
	sum += f.get();
	auto lazy = std::async(std::launch::deferred, [] { return 1; });
	CHECK(lazy.wait_for(std::chrono::seconds(0)) == std::future_status::deferred && lazy.get() == 1);
	heddle_outcome(sum + late);
}
