/*
 * cxx_vector.cpp: push_back by two threads without a lock; both stacks go through the library's headers.
 *
 * heddle: verdict=violation kind=race text~="{@push}"
 * native: any
 */
#include <thread>
#include <vector>

#include "guest.h"

int main()
{
	std::vector<int> numbers;
	auto body = [&](int n) {
		numbers.push_back(n); /* @push */
	};

	numbers.reserve(4);
	std::thread a(body, 1), b(body, 2);
	a.join();
	b.join();
	return 0;
}
