/*
 * cxx_containers.cpp: a little of everything that C++ programs link: streams,
 * containers, shared_ptr, function objects, new and delete, a work queue between two threads.
 *
 * heddle: verdict=verified outcomes=6
 */
#include <condition_variable>
#include <deque>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <thread>

#include "guest.h"

int main()
{
	std::mutex lock;
	std::condition_variable more;
	std::deque<std::function<int()>> work;
	std::map<std::string, std::shared_ptr<int>> results;
	std::thread worker([&] {
		for (;;) {
			std::unique_lock l(lock);
			more.wait(l, [&] { return !work.empty(); });
			auto job = std::move(work.front());
			work.pop_front();
			l.unlock();
			if (!job)
				return;
			auto value = std::make_shared<int>(job());
			std::ostringstream name;
			name << "result " << *value;
			std::lock_guard g(lock);
			results[name.str()] = value;
			std::cout << name.str() << std::endl;
		}
	});
	for (int i = 1; i <= 3; i++) {
		std::lock_guard g(lock);
		work.emplace_back([i] { return i; });
		more.notify_one();
	}
	{
		std::lock_guard g(lock);
		work.emplace_back(nullptr);
		more.notify_one();
	}
	worker.join();
	int sum = 0;
	for (auto &[name, value] : results)
		sum += *value;
	CHECK(results.count("result 2") == 1);
	heddle_outcome(sum);
}
