/*
 * openmp_counter.c: threads of a parallel region count without anything.
 *
 * build: -fopenmp
 * heddle: verdict=violation kind=race
 */
#include "guest.h"

static int count;

int main(void)
{
#pragma omp parallel num_threads(2)
	count++;
	return 0;
}
