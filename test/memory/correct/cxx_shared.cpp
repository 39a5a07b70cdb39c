/*
 * cxx_shared.cpp: a static local, a shared_ptr that several threads copy and drop, a vector under a mutex,
 * an atomic, call_once.
 *
 * heddle: verdict=verified outcomes=1221
 */
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "guest.h"

struct Settings {
	int value;
	static std::atomic<int> built;
	Settings() : value(1)
	{
		built++;
	}
};
std::atomic<int> Settings::built{0};

static Settings &settings()
{
	static Settings the_settings;
	return the_settings;
}

int main()
{
	auto shared = std::make_shared<int>(1);
	std::mutex lock;
	std::vector<int> numbers;
	std::once_flag once;
	int initialised = 0;

	auto body = [&, shared]() mutable {
		std::call_once(once, [&] { initialised = 1; });
		CHECK(initialised == 1);
		int value = *shared + settings().value;
		shared.reset();
		std::lock_guard<std::mutex> guard(lock);
		numbers.push_back(value);
	};
	{
		std::thread a(body), b(std::move(body));
		a.join();
		b.join();
	}
	heddle_outcome(Settings::built * 1000 + (long)numbers.size() * 100 + numbers[0] * 10 +
		       shared.use_count());
	return 0;
}
