/*
 * unsynchronised_openmp.c: threads of a parallel region share a variable. What main does there comes behind the calls by
 * which libgomp lets the others go.
 *
 * build: -fopenmp
 * heddle: verdict=verified args=racy text~="Verified, but threads share (x|0x)"
 * heddle: verdict=verified args=critical text~="Verified, data races not looked at"
 * heddle: verdict=verified args=atomic text~="Verified, data races not looked at"
 * heddle: verdict=verified args=reduced text~="Verified, data races not looked at"
 * heddle: verdict=verified args=sections text~="Verified, data races not looked at"
 * heddle: verdict=verified args=tasks text~="Verified, data races not looked at"
 * native: any
 */
#include "guest.h"

#include <omp.h>

static volatile int x;

static void racy(void)
{
#pragma omp parallel for
	for (int i = 0; i < 4; i++)
		x += i;
}

static void critical(void)
{
#pragma omp parallel for
	for (int i = 0; i < 2; i++) {
#pragma omp critical
		x += i;
	}
}

static void atomic(void)
{
	int sum = 0;
#pragma omp parallel for
	for (int i = 0; i < 2; i++) {
#pragma omp atomic
		sum += i;
	}
	x = sum;
}

static void reduced(void)
{
	int sum = 0;
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < 4; i++)
		sum += i;
	x = sum;
}

static void sections(void)
{
	int one = 0, other = 0;
#pragma omp parallel
	{
#pragma omp sections
		{
#pragma omp section
			one = 1;
#pragma omp section
			other = 1;
		}
#pragma omp single
		x = one + other;
	}
}

static void tasks(void)
{
	int one = 0, other = 0;
#pragma omp parallel
#pragma omp single
	{
#pragma omp taskgroup
		{
#pragma omp task shared(one)
			one = 1;
#pragma omp task shared(other)
			other = 1;
		}
		x = one + other;
	}
}

int main(int argc, char **argv)
{
	omp_set_num_threads(2);
	if (story(argc, argv, "racy"))
		racy();
	else if (story(argc, argv, "critical"))
		critical();
	else if (story(argc, argv, "atomic"))
		atomic();
	else if (story(argc, argv, "reduced"))
		reduced();
	else if (story(argc, argv, "tasks"))
		tasks();
	else
		sections();
	return 0;
}
