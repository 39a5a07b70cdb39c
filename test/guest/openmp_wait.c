/*
 * Threads of OpenMP sleep while they wait, unless the user wants otherwise: spinning has thousands of states.
 *
 * build: -fopenmp
 * heddle: verdict=verified states<=2000
 * heddle: verdict=verified env="OMP_WAIT_POLICY=passive" states<=2000
 */
#include "guest.h"

int main(void)
{
	int sum = 0;
#pragma omp parallel for num_threads(2) reduction(+ : sum)
	for (int i = 0; i < 4; i++)
		sum += i;
	CHECK(sum == 6);
	return 0;
}
