/*
 * cxx_sync20.cpp: the C++20 ones, which bring their own futexes: latch, barrier,
 * counting_semaphore, atomic wait and notify.
 *
 * heddle: verdict=verified outcomes=2 args=latch
 * heddle: verdict=verified outcomes=2 args=barrier
 * heddle: verdict=verified outcomes=3 args=semaphore
 * heddle: verdict=verified outcomes=5 args=atomic
 * heddle: verdict=verified outcomes=5 args=atomic options="--por off --sanity 3"
 * native: args=latch
 * native: args=barrier
 * native: args=semaphore
 * native: args=atomic
 */
#include <atomic>
#include <barrier>
#include <latch>
#include <semaphore>
#include <thread>

#include "guest.h"

static int with_latch()
{
	std::latch both(2);
	std::atomic<int> seen{0};
	auto body = [&] {
		seen++;
		both.arrive_and_wait();
		CHECK(seen == 2);
	};
	std::thread t(body);
	body();
	t.join();
	return seen;
}

static int with_barrier()
{
	int phases = 0;
	std::barrier sync(2, [&]() noexcept { phases++; });
	auto body = [&] {
		sync.arrive_and_wait();
		CHECK(phases >= 1);
		sync.arrive_and_wait();
	};
	std::thread t(body);
	body();
	t.join();
	return phases;
}

static int with_semaphore()
{
	std::counting_semaphore<4> items(0);
	std::binary_semaphore turn(1);
	int taken = 0;
	std::thread t([&] {
		items.release();
		items.release(2);
	});
	for (int i = 0; i < 3; i++) {
		items.acquire();
		turn.acquire();
		taken++;
		turn.release();
	}
	t.join();
	CHECK(!items.try_acquire());
	return taken;
}

static int with_atomic()
{
	std::atomic<int> word{0};
	std::thread t([&] {
		word.wait(0);
		word = word + 1;
		word.notify_all();
	});
	word = 4;
	word.notify_one();
	word.wait(4);
	t.join();
	return word;
}

int main(int argc, char **argv)
{
	if (story(argc, argv, "latch"))
		heddle_outcome(with_latch());
	else if (story(argc, argv, "barrier"))
		heddle_outcome(with_barrier());
	else if (story(argc, argv, "semaphore"))
		heddle_outcome(with_semaphore());
	else
		heddle_outcome(with_atomic());
}
