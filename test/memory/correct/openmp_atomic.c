/*
 * openmp_atomic.c: OpenMP's atomics are relaxed, and its barriers are made of loads and stores in a library that nobody
 * sees; what the program reads behind the region is ordered all the same.
 *
 * build: -fopenmp
 * heddle: verdict=verified
 */
#include "guest.h"

int main(void)
{
	int sum = 0, square[3];

#pragma omp parallel for num_threads(2) schedule(dynamic)
	for (int i = 0; i < 3; i++) {
		square[i] = i * i;
#pragma omp atomic
		sum += i;
	}
	heddle_assert(sum == 3 && square[2] == 4);
	return 0;
}
