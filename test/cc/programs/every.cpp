// What C++ adds: virtual tables, exceptions, std::atomic, the library's own copies.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

struct base {
	int n = 1;
	virtual int f()
	{
		return n;
	}
	virtual ~base()
	{
		n = 0;
	}
};
struct derived : base {
	int f() override
	{
		return 2 * n;
	}
};

static std::atomic<long> sum;
static base *shared = new derived;

int main()
{
	std::vector<std::thread> threads;
	std::string text("a string that does not fit into the object itself"), copy = text;
	auto counted = std::make_shared<int>(5);
	int caught = 0;

	for (int i = 0; i < 3; i++)
		threads.emplace_back([=] { sum += shared->f() + *counted; });
	for (auto &t : threads)
		t.join();
	try {
		throw 3;
	} catch (int n) {
		caught = n;
	}
	delete shared;
	std::vector<int> numbers{3, 1, 2};
	std::sort(numbers.begin(), numbers.end());
	bool right = sum == 21 && copy == text && caught == 3 && numbers[0] == 1 && text.find("fit") == 23;
	std::puts(right ? "right" : "wrong");
	return !right;
}
