/*
 * stack_clean.c: the library functions that heddle replaces leave nothing of the caller's
 * registers, and nothing of their own, below the caller's frame. What lies there would
 * show up in holes of later frames and make equal states look different.
 *
 * heddle: verdict=verified outcomes=1
 * native: skip
 */
#include "guest.h"

#define MAGIC 0x5eed5eed5eed5eedUL

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, own = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t sem;

/* Calls fn(arg) with registers full of MAGIC. Then all words below are or-ed, but for the return address. */
static __attribute__((noinline)) unsigned long left_by(void *fn, void *arg)
{
	unsigned long left = 0;
	__asm__ volatile("movq %%rsp, %%r12\n\t"
			 "leaq -256(%%rsp), %%rsp\n\t"
			 "andq $-16, %%rsp\n\t"
			 "movq %[magic], %%rbx\n\t"
			 "movq %[magic], %%r13\n\t"
			 "movq %[magic], %%r14\n\t"
			 "movq %[magic], %%r15\n\t"
			 "movq %[magic], %%rcx\n\t"
			 "call *%[fn]\n\t"
			 "xorl %%eax, %%eax\n\t"
			 "movl $-16, %%ecx\n\t"
			 "movslq %%ecx, %%rcx\n"
			 "0:\torq (%%rsp, %%rcx), %%rax\n\t"
			 "subq $8, %%rcx\n\t"
			 "cmpq $-256, %%rcx\n\t"
			 "jge 0b\n\t"
			 "movq %%r12, %%rsp"
			 : "=&a"(left), [fn] "+d"(fn), "+D"(arg)
			 : [magic] "r"(MAGIC)
			 : "rbx", "rcx", "rsi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0",
			   "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "cc", "memory");
	return left;
}

#define CLEAN(fn, arg) CHECK(left_by((void *)(fn), (void *)(arg)) == 0)

static void *other(void *arg)
{
	OK(pthread_mutex_lock(&lock));
	OK(pthread_mutex_unlock(&lock));
	return arg;
}

int main(void)
{
	OK(sem_init(&sem, 0, 0));
	pthread_t t = spawn(other, NULL);
	CLEAN(pthread_mutex_lock, &lock);
	CLEAN(pthread_cond_signal, &cond);
	CLEAN(pthread_mutex_unlock, &lock);
	CLEAN(pthread_mutex_trylock, &own);
	CLEAN(pthread_rwlock_rdlock, &rwlock);
	CLEAN(pthread_rwlock_unlock, &rwlock);
	CLEAN(sem_post, &sem);
	CLEAN(sem_wait, &sem);
	CLEAN(sched_yield, NULL);
	CLEAN(malloc, 100);
	CLEAN(free, malloc(10));
	CLEAN(getpid, NULL);
	CLEAN(usleep, 1);
	join(t);
	heddle_outcome(1);
	return 0;
}
