/*
 * cxx_thread.cpp: std::thread with arguments, captures and moves; lock_guard,
 * unique_lock, scoped_lock (deadlock-free over two mutexes in either order).
 *
 * heddle: verdict=verified outcomes=42
 */
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "guest.h"

static std::mutex a, b;
static std::recursive_mutex r;

int main()
{
	int sum = 0;
	auto text = std::make_unique<std::string>("a string too long for the small-string buffer");
	std::thread t(
		[&sum, text = std::move(text)](int n) {
			std::scoped_lock both(a, b);
			sum += n + (text->size() > 15);
		},
		20);
	std::thread u(
		[&sum](std::vector<int> v) {
			std::scoped_lock both(b, a);
			for (int n : v)
				sum += n;
		},
		std::vector<int>{5, 6, 10});
	CHECK(t.joinable() && t.get_id() != u.get_id());
	std::thread moved = std::move(t);
	CHECK(!t.joinable());
	moved.join();
	u.join();
	std::unique_lock<std::recursive_mutex> l1(r), l2(r);
	CHECK(l1.owns_lock() && l2.owns_lock());
	heddle_outcome(sum);
}
