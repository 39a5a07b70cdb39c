/*
 * std::random_device rolls from the seeded stream.
 *
 * heddle: verdict=verified outcomes#=1
 */
#include <mutex>
#include <random>
#include <thread>

#include <heddle/heddle.h>

int main()
{
	std::mutex m;
	static int order;
	std::thread a([&] {
		std::lock_guard g(m);
		order = order * 10 + 1;
	}),
		b([&] {
			std::lock_guard g(m);
			order = order * 10 + 2;
		});
	a.join();
	b.join();
	std::random_device device;
	heddle_outcome((long)device());
}
