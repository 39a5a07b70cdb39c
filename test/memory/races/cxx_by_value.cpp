/*
 * cxx_by_value.cpp: the same in C++, through a function that may throw.
 *
 * heddle: args=argument verdict=violation kind=race message~="shared"
 * heddle: args=result verdict=violation kind=race message~="shared"
 * native: any
 */
#include <cstring>
#include <thread>

struct point {
	long x, y, z;
};
static point shared;
static long sum;

static __attribute__((noipa)) long add(point p)
{
	if (p.x < 0)
		throw 1;
	return p.x + p.z;
}

static __attribute__((noipa)) point make(long n)
{
	if (n < 0)
		throw 1;
	return point{n, n, n};
}

int main(int argc, char **argv)
{
	bool result = argc > 1 && !std::strcmp(argv[1], "result");
	std::thread t([&] {
		try {
			if (result)
				shared = make(3);
			else
				sum = add(shared);
		} catch (int) {
		}
	});
	shared.z = 4;
	t.join();
}
