/*
 * cxx_thread_local.cpp: thread_local objects are built in each thread that uses one of them
 * and destroyed at its end, in reverse order, main's at exit.
 *
 * heddle: verdict=verified outcomes=1,2121
 */
#include <mutex>
#include <string>
#include <thread>

#include "guest.h"

static std::mutex lock;
static long built, told;

struct Local {
	std::string text = "built for this thread, on the heap";
	int weight;
	explicit Local(int w) : weight(w)
	{
		std::lock_guard g(lock);
		built++;
	}
	~Local()
	{
		std::lock_guard g(lock);
		told = told * 10 + weight;
		heddle_outcome(told > 1000 ? told : 1);
	}
};

static thread_local Local first(1);
static thread_local Local second(2);

static void body(bool two)
{
	CHECK(first.text.size() > 20);
	if (two)
		CHECK(second.text == first.text);
}

int main()
{
	std::thread(body, false).join();
	long before = built;
	std::thread([] {}).join();
	CHECK(built == before);
	body(true);
}
