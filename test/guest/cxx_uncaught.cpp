/*
 * cxx_uncaught.cpp: an exception nobody catches, in main or in a thread, a joinable
 * std::thread destroyed, a noexcept function that throws: the report tells type and text.
 *
 * heddle: verdict=violation kind=abort args=main message~="runtime_error.*lost in main"
 * heddle: verdict=violation kind=abort args=thread message~="logic_error.*lost in a thread" thread=2
 * heddle: verdict=violation kind=abort args=joinable message~="terminate"
 * heddle: verdict=violation kind=abort args=noexcept message~="int"
 * build: -Wno-terminate
 * native: args=main signal=ABRT
 * native: args=thread signal=ABRT
 * native: args=joinable signal=ABRT
 * native: args=noexcept signal=ABRT
 */
#include <stdexcept>
#include <thread>

#include "guest.h"

static int thrown_number() noexcept
{
	throw 7;
}

int main(int argc, char **argv)
{
	if (story(argc, argv, "main"))
		throw std::runtime_error("lost in main");
	if (story(argc, argv, "noexcept"))
		return thrown_number();
	std::thread t([&] {
		if (story(argc, argv, "thread"))
			throw std::logic_error("lost in a thread");
	});
	if (story(argc, argv, "joinable"))
		return 0;
	t.join();
}
