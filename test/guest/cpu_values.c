/*
 * What the processor counts or rolls is answered from the virtual clock and the seeded stream: the same whatever the
 * schedule, and in every run.
 *
 * heddle: args=rdtsc verdict=verified outcomes#=1
 * heddle: args=rdtscp verdict=verified outcomes#=1
 * heddle: args=rdrand verdict=verified outcomes#=1
 * heddle: args=rdseed verdict=verified outcomes#=1
 * native: args=rdtsc exit=0
 */
#include <cpuid.h>
#include <x86intrin.h>

#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int order;

static void *work(void *arg)
{
	OK(pthread_mutex_lock(&lock));
	order = order * 10 + (arg ? 1 : 2); /* two ways to get here: two executions roll */
	OK(pthread_mutex_unlock(&lock));
	return arg;
}

static __attribute__((target("rdrnd"))) long roll(void)
{
	unsigned long long v = 0;
	while (!_rdrand64_step(&v))
		;
	return (long)(v & 0xffffffff);
}

static __attribute__((target("rdseed"))) long seed(void)
{
	unsigned long long v = 0;
	while (!_rdseed64_step(&v))
		;
	return (long)(v & 0xffffffff);
}

int main(int argc, char **argv)
{
	unsigned aux, a, b, c, d;
	pthread_t t = spawn(work, &order), u = spawn(work, NULL);
	join(t);
	join(u);
	if (story(argc, argv, "rdtsc"))
		heddle_outcome((long)(__rdtsc() & 0xffffffff));
	else if (story(argc, argv, "rdtscp"))
		heddle_outcome((long)(__rdtscp(&aux) & 0xffffffff));
	else if (story(argc, argv, "rdrand"))
		heddle_outcome(__get_cpuid(1, &a, &b, &c, &d) && (c & bit_RDRND) ? roll() : 0);
	else
		heddle_outcome(__get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_RDSEED) ? seed() : 0);
	return 0;
}
