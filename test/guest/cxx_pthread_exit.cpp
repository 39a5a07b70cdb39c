/*
 * cxx_pthread_exit.cpp: pthread_exit and cancellation unwind C++ frames: destructors
 * run, catch (...) sees it and must rethrow.
 *
 * heddle: verdict=verified outcomes=1234 args=exit
 * heddle: verdict=verified outcomes=1234 args=cancel
 * native: args=exit
 * native: args=cancel
 */
#include "guest.h"

static long told;
static sem_t never;
static bool cancel;

struct Tell {
	int digit;
	~Tell()
	{
		told = told * 10 + digit;
	}
};

static void inner()
{
	Tell one{1};
	if (!cancel)
		pthread_exit(nullptr);
	sem_wait(&never);
}

static void middle()
{
	Tell three{3};
	try {
		inner();
	} catch (...) {
		told = told * 10 + 2;
		throw;
	}
}

static void *body(void *)
{
	Tell four{4};
	middle();
	abort();
}

int main(int argc, char **argv)
{
	cancel = story(argc, argv, "cancel");
	sem_init(&never, 0, 0);
	pthread_t t = spawn(body, nullptr);
	if (cancel)
		OK(pthread_cancel(t));
	CHECK(join(t) == (cancel ? PTHREAD_CANCELED : nullptr));
	heddle_outcome(told);
}
