/*
 * A handler may run when a call has done its work, before the program does anything about it: between a call that fails and the
 * look at errno, and between what others see of a call and the line behind it.
 *
 * errno, as set by a call that heddle defines, by one that libc makes a system call of, and inside of libc.
 * heddle: verdict=violation kind=assert where=@errno args=read
 * heddle: verdict=violation kind=assert where=@errno args=try
 * heddle: verdict=violation kind=assert where=@errno args=access
 * heddle: verdict=violation kind=assert where=@errno args=fopen
 * A handler that keeps it does no harm; and it runs before the call, behind it, or at the very end.
 * heddle: verdict=verified outcomes=0,1 args="read keeps"
 * heddle: verdict=verified outcomes=0,1 args="access keeps"
 *
 * The other thread sends the signal because of the post; the line behind that has not been executed.
 * heddle: verdict=violation kind=assert where=@posted args=post
 * heddle: verdict=violation kind=assert where=@posted args=add
 * heddle: verdict=verified outcomes=0 args="post blocked"
 * native: skip
 */
#include "guest.h"

#include <fcntl.h>
#include <signal.h>

static pthread_t first;
static sem_t semaphore;
static volatile int posted, handled;
static int keeps, words;

static void *sends(void *arg)
{
	OK(pthread_kill(first, SIGUSR1));
	return arg;
}

static void handler(int sig)
{
	(void)sig;
	int before = errno;
	close(-1);
	if (keeps)
		errno = before;
	handled = 1;
}

static void asks(int sig)
{
	(void)sig;
	heddle_assert(posted); /* @posted */
}

static void *answers(void *arg)
{
	if (arg)
		while (!__atomic_fetch_add(&words, 0, __ATOMIC_SEQ_CST))
			sched_yield();
	else
		OK(sem_wait(&semaphore));
	return sends(arg);
}

static int fails(const char *how, int empty)
{
	char c;
	if (!strcmp(how, "read"))
		return read(empty, &c, 1) < 0 ? EAGAIN : 0;
	if (!strcmp(how, "try"))
		return sem_trywait(&semaphore) < 0 ? EAGAIN : 0;
	if (!strcmp(how, "access"))
		return access("/no/such/file", F_OK) < 0 ? ENOENT : 0;
	return fopen("/no/such/file", "r") ? 0 : ENOENT;
}

int main(int argc, char **argv)
{
	int ends[2];
	sigset_t set;
	CHECK(argc > 1);
	keeps = argc > 2;
	first = pthread_self();
	OK(sem_init(&semaphore, 0, 0));
	OK(pipe2(ends, O_NONBLOCK));
	if (story(argc, argv, "post") || story(argc, argv, "add")) {
		signal(SIGUSR1, asks);
		sigemptyset(&set);
		sigaddset(&set, SIGUSR1);
		pthread_t a = spawn(answers, story(argc, argv, "add") ? &words : NULL);
		if (argc > 2)
			OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
		if (story(argc, argv, "add"))
			__atomic_fetch_add(&words, 1, __ATOMIC_SEQ_CST);
		else
			OK(sem_post(&semaphore));
		posted = 1;
		OK(pthread_sigmask(SIG_UNBLOCK, &set, NULL));
		join(a);
		heddle_outcome(0);
		return 0;
	}
	signal(SIGUSR1, handler);
	pthread_t a = spawn(sends, NULL);
	int error = fails(argv[1], ends[0]);
	heddle_assert(error && errno == error); /* @errno */
	heddle_outcome(handled);
	join(a);
	return 0;
}
