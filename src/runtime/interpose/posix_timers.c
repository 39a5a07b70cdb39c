/*
 * timer_create. glibc has a thread of its own that waits for the timers that start threads (SIGEV_THREAD);
 * here the virtual kernel starts them. The other functions of timers know ids of the kernel's.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

#include "runtime/interpose/interpose.h"
#include "runtime/vkernel/vk.h"

#define DEFAULT_STACK (8UL << 20)

static __attribute__((noinline)) int create(clockid_t clock, struct sigevent *event, timer_t *out, u64 pc)
{
	struct sigevent by_signal = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
	int id = 0;
	size_t stack = DEFAULT_STACK;
	if (!event)
		event = &by_signal;
	if (event->sigev_notify == SIGEV_THREAD && event->sigev_notify_attributes)
		pthread_attr_getstacksize(event->sigev_notify_attributes, &stack);
	struct vk_call k = {.nr = SYS_timer_create,
			    .a = {clock, (long)event, (long)&id, (long)HD_ROUND_UP(stack, HD_PAGE)},
			    .pc = pc};
	int r = (int)errno_from(vk_syscall(&k));
	if (!r)
		*out = (timer_t)(long)id;
	return r;
}

DOOR(int, timer_create)(clockid_t clock, struct sigevent *event, timer_t *out)
{
	return create(clock, event, out, DOOR_CALLER);
}
