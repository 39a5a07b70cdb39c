/*
 * time_clocks.c: virtual time: clocks never go back, agree with each other, stand still
 * while the program computes and move by what was slept for and hardly more. The machine has been up for a while: programs
 * (libcurl's timers) take a time of 0 for none.
 *
 * heddle: verdict=verified outcomes=1
 */
#include <sys/sysinfo.h>
#include <sys/time.h>

#include "guest.h"

static long long now(clockid_t clock)
{
	struct timespec ts;
	OK(clock_gettime(clock, &ts));
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

int main(void)
{
	struct timeval tv;
	struct timespec res, ms5 = {0, 5000000};
	long long before = now(CLOCK_MONOTONIC), real = now(CLOCK_REALTIME);
	OK(gettimeofday(&tv, NULL));
	CHECK(time(NULL) >= real / 1000000000 && tv.tv_sec >= real / 1000000000);
	CHECK(!heddle_running() || now(CLOCK_MONOTONIC) == before);
	struct sysinfo machine;
	OK(sysinfo(&machine));
	CHECK(before >= 1000000000 && before / 1000000000 <= machine.uptime);
	OK(nanosleep(&ms5, NULL));
	OK(usleep(1000));
	CHECK(sleep(0) == 0);
	long long after = now(CLOCK_MONOTONIC);
	CHECK(after >= before + 6000000);
	CHECK(!heddle_running() || after < before + 6001000);
	CHECK(now(CLOCK_REALTIME) >= real + 6000000);
	struct timespec at = from_now(CLOCK_MONOTONIC, 3);
	OK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL));
	CHECK(now(CLOCK_MONOTONIC) >= after + 3000000);
	OK(clock_getres(CLOCK_MONOTONIC, &res));
	CHECK(now(CLOCK_PROCESS_CPUTIME_ID) >= 0 && now(CLOCK_THREAD_CPUTIME_ID) >= 0 &&
	      clock() != (clock_t)-1);
	CHECK(now(CLOCK_BOOTTIME) >= 0 && now(CLOCK_MONOTONIC_COARSE) >= 0);
	heddle_outcome(1);
	return 0;
}
