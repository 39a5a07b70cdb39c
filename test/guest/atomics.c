/*
 * atomics.c: atomic instructions are steps, and being one changes nothing but the schedule: each kind of instruction
 * and operand does what it does, and registers, flags and vector registers come through.
 *
 * heddle: verdict=verified args=all outcomes=0
 * heddle: verdict=verified args=switch outcomes=0,1,2
 * heddle: verdict=verified args=switch outcomes=0 options="--atomics off" text~="not interleaved"
 * heddle: verdict=violation kind=assert args=broken
 * heddle: verdict=violation kind=crash args=crash where=@crash
 * heddle: verdict=verified args=pause states<=100
 * heddle: verdict=verified args=fair states<=100 text~="counts its rounds"
 * heddle: verdict=violation kind=assert args=patience
 * heddle: verdict=violation kind=assert args=impatience
 * heddle: verdict=bounded args=tally text~="yields again and again"
 */
#include <assert.h>
#include <sched.h>
#include <stdatomic.h>

#include "guest.h"

static atomic_int x, y;
static int before;

/* --- all: what an instruction leaves, compared with what it would --- */

static unsigned long word[4] __attribute__((aligned(16)));

static void check_registers(void)
{
	unsigned long in[4] = {1, 2, 3, 4}, out[4], flags;
	double vector[2] = {1.5, -2.5}, after[2];
	unsigned long a = 5;

	word[0] = 7;
	__asm__ volatile(
		"movupd %[vector], %%xmm15\n\t"
		"movq %[r8], %%r8\n\tmovq %[r11], %%r11\n\tmovq %[r14], %%r14\n\tmovq %[rbx], %%rbx\n\t"
		"movq %[r8], -8(%%rsp)\n\t" /* the red zone */
		"stc\n\t"
		"xchgq %[a], word(%%rip)\n\t"
		"pushfq\n\tpopq %[flags]\n\t"
		"movq %%r8, %[o8]\n\tmovq %%r11, %[o11]\n\tmovq %%r14, %[o14]\n\tmovq %%rbx, %[obx]\n\t"
		"movupd %%xmm15, %[after]"
		: [a] "+a"(a), [flags] "=&c"(flags), [o8] "=m"(out[0]), [o11] "=m"(out[1]),
		  [o14] "=m"(out[2]), [obx] "=m"(out[3]), [after] "=m"(after)
		: [vector] "m"(vector), [r8] "r"(in[0]), [r11] "m"(in[1]), [r14] "m"(in[2]), [rbx] "m"(in[3])
		: "r8", "r11", "r14", "rbx", "xmm15", "memory", "cc");
	CHECK(a == 7 && word[0] == 5 && (flags & 1));
	CHECK(!memcmp(in, out, sizeof in) && !memcmp(vector, after, sizeof vector));
}

static void check_kinds(void)
{
	unsigned long *w = word, index = 1, low = 0, high = 14;
	unsigned char carry, swapped;

	word[0] = 0, word[1] = 10, word[2] = 20, word[3] = 30;
	__asm__ volatile("lock incq 8(%0,%1,8)" : : "r"(w), "r"(index) : "memory", "cc");
	CHECK(word[2] == 21);
	__asm__ volatile("lock btsq $3, %0\n\tsetc %1" : "+m"(word[1]), "=r"(carry) : : "cc");
	CHECK(word[1] == 10 && carry == 1);
	__asm__ volatile("lock btsq $2, word+8(%%rip)\n\tsetc %0" : "=r"(carry) : : "memory", "cc");
	CHECK(word[1] == 14 && carry == 0);
	__asm__ volatile("lock cmpxchg16b word(%%rip)\n\tsete %0"
			 : "=r"(swapped), "+a"(low), "+d"(high)
			 : "b"(1L), "c"(2L)
			 : "memory", "cc");
	CHECK(swapped && word[0] == 1 && word[1] == 2);
	CHECK(__atomic_fetch_add(&word[3], 5, __ATOMIC_SEQ_CST) == 30 && word[3] == 35);
	__asm__ volatile("lock negb %0" : "+m"(word[3]) : : "cc");
	CHECK((unsigned char)word[3] == (unsigned char)-35);
}

static void *busy(void *arg)
{
	atomic_fetch_add(&x, 1);
	return arg;
}

static void all(void)
{
	pthread_t t = spawn(busy, NULL);
	check_registers();
	check_kinds();
	join(t);
	heddle_outcome(0);
}

/* --- switch: between two atomics of one thread the other one can run --- */

static void *twice(void *arg)
{
	atomic_fetch_add(&x, 1);
	atomic_fetch_add(&x, 1);
	return arg;
}

static void switching(void)
{
	pthread_t t = spawn(twice, NULL);
	int first = atomic_fetch_add(&y, 1) + atomic_load(&x);
	atomic_fetch_add(&y, 1);
	join(t);
	heddle_outcome(first);
}

/* --- broken: a lock that looks first and takes it then --- */

static void *take(void *arg)
{
	if (!atomic_load(&x)) {
		atomic_fetch_add(&x, 1);
		before++;
		atomic_fetch_add(&y, 0);
		assert(before == 1);
		before--;
		atomic_fetch_sub(&x, 1);
	}
	return arg;
}

static void broken(void)
{
	pthread_t t = spawn(take, NULL);
	take(NULL);
	join(t);
}

static void crash(void)
{
	atomic_int *volatile nothing = NULL;
	pthread_t t = spawn(busy, NULL);
	atomic_fetch_add(nothing, 1); /* @crash */
	join(t);
}

/* --- pause: test and test-and-set; spinning is a circle of states, not a hang --- */

static void *locked(void *arg)
{
	while (atomic_exchange(&x, 1))
		while (atomic_load_explicit(&x, memory_order_relaxed))
			__builtin_ia32_pause();
	int old = before;
	atomic_fetch_add(&y, 1);
	before = old + 1;
	atomic_exchange(&x, 0);
	return arg;
}

static void pausing(void)
{
	pthread_t t = spawn(locked, NULL);
	locked(NULL);
	join(t);
	assert(before == 2);
}

/* --- fair: a loop that counts its rounds has a new state each time --- */

static void fair(void)
{
	volatile unsigned rounds = 0;
	pthread_t t = spawn(busy, NULL);
	while (!atomic_load(&x)) {
		rounds++;
		sched_yield();
	}
	join(t);
}

/* --- patience: a loop of rounds without end, and too many of them are a bug; or (impatience) it has an end --- */

static void wait_with_patience(unsigned most)
{
	volatile unsigned rounds = 0, endless = 0;
	pthread_t t = spawn(busy, NULL);
	while (!atomic_load(&x)) {
		endless++;
		sched_yield();
	}
	join(t);
	atomic_store(&x, 0);
	t = spawn(busy, NULL);
	while (!atomic_load(&x) && rounds < most) {
		rounds++;
		sched_yield();
	}
	assert(atomic_load(&x) && rounds < 900);
	join(t);
}

/* --- tally: each round changes what others can see --- */

static unsigned tallied;

static void tally(void)
{
	volatile unsigned rounds = 0;
	pthread_t t = spawn(busy, NULL);
	while (!atomic_load(&x)) {
		rounds++;
		tallied++;
		sched_yield();
	}
	join(t);
}

int main(int argc, char **argv)
{
	if (story(argc, argv, "all"))
		all();
	else if (story(argc, argv, "switch"))
		switching();
	else if (story(argc, argv, "broken"))
		broken();
	else if (story(argc, argv, "crash"))
		crash();
	else if (story(argc, argv, "pause"))
		pausing();
	else if (story(argc, argv, "fair"))
		fair();
	else if (story(argc, argv, "patience"))
		wait_with_patience(~0u);
	else if (story(argc, argv, "impatience"))
		wait_with_patience(500);
	else if (story(argc, argv, "tally"))
		tally();
	return 0;
}
