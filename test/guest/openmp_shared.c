/*
 * openmp_shared.c: a parallel region in an unmodified program. Its library synchronises by words that are not seen to be
 * atomic; of these nothing is told.
 *
 * build: -fopenmp
 * heddle: verdict=verified text~="Verified, data races not looked at"
 * native: exit=0
 */
#include "guest.h"

static int count;

int main(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp critical
		count++;
	}
	CHECK(count == 2);
	return 0;
}
