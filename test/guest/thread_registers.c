/*
 * What the processor keeps for each thread beside the usual registers: rounding mode and exceptions of both
 * floating-point units, which a new thread inherits, and the base of GS. Others' steps in between change nothing.
 *
 * heddle: verdict=verified outcomes=7
 * build: -lm
 */
#include <asm/prctl.h>
#include <fenv.h>
#include <sched.h>
#include <sys/syscall.h>

#include "guest.h"

static void x87_divide_by_zero(void)
{
	volatile long double zero = 0, one = 1;
	volatile long double quotient = one / zero;
	(void)quotient;
}

static void *towards_zero(void *arg)
{
	CHECK(fegetround() == FE_UPWARD); /* the creator's */
	CHECK(fetestexcept(FE_DIVBYZERO));
	OK(fesetround(FE_TOWARDZERO));
	OK(feclearexcept(FE_ALL_EXCEPT));
	sched_yield();
	CHECK(fegetround() == FE_TOWARDZERO);
	CHECK(!fetestexcept(FE_DIVBYZERO));
	return arg;
}

static void *gs(void *arg)
{
	unsigned long base = 0;
	OK(syscall(SYS_arch_prctl, ARCH_SET_GS, arg));
	sched_yield();
	OK(syscall(SYS_arch_prctl, ARCH_GET_GS, &base));
	CHECK(base == (unsigned long)arg);
	unsigned long word;
	__asm__ volatile("movq %%gs:0, %0" : "=r"(word));
	CHECK(word == *(unsigned long *)arg);
	return arg;
}

int main(void)
{
	unsigned long words[2] = {11, 12};
	OK(fesetround(FE_UPWARD));
	x87_divide_by_zero();
	pthread_t t = spawn(towards_zero, NULL);
	sched_yield();
	CHECK(fegetround() == FE_UPWARD);
	CHECK(fetestexcept(FE_DIVBYZERO));
	join(t);
	pthread_t a = spawn(gs, &words[0]), b = spawn(gs, &words[1]);
	join(a);
	join(b);
	heddle_outcome(7);
	return 0;
}
