/*
 * cxx_exceptions.cpp: exceptions unwind through frames with destructors and visible
 * operations, in two threads at once; exception_ptr carries one to main.
 *
 * heddle: verdict=verified outcomes=22
 */
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include "guest.h"

static std::mutex lock;
static int destroyed;

struct Guard {
	~Guard()
	{
		std::lock_guard g(lock);
		destroyed++;
	}
};

static void deep(int n)
{
	Guard g;
	if (n == 0)
		throw std::runtime_error("from " + std::string("below"));
	deep(n - 1);
}

static void body(std::exception_ptr *out)
{
	try {
		try {
			deep(1);
		} catch (const std::logic_error &) {
			CHECK(!"wrong handler");
		}
	} catch (const std::exception &e) {
		CHECK(std::string(e.what()) == "from below");
		*out = std::current_exception();
	}
}

int main()
{
	std::exception_ptr p[2];
	std::thread t(body, &p[0]), u(body, &p[1]);
	t.join();
	u.join();
	int rethrown = 0;
	for (auto &e : p) {
		try {
			std::rethrow_exception(e);
		} catch (const std::runtime_error &) {
			rethrown++;
		}
	}
	CHECK(destroyed == 4);
	heddle_outcome(rethrown * 10 + destroyed / 2);
}
