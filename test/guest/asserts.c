/*
 * asserts.c: a failed assert comes with its own text and place, abort with its line, an
 * assertion of heddle.h likewise; in a thread, reached in some schedules only.
 *
 * heddle: verdict=violation kind=assert args=assert message~="balance >= 0" where=@assert
 * heddle: verdict=violation kind=abort args=abort where=@abort
 * heddle: verdict=violation kind=assert args=heddle message~="balance == 0" where=@heddle
 * heddle: verdict=violation kind=assert args=perror message~="(?i)invalid argument" where=@perror
 * native: args=assert any
 * native: args=abort any
 * native: args=heddle any
 * native: args=perror any
 */
#include <assert.h>

#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 10;
static char **args;

static int read_balance(void)
{
	pthread_mutex_lock(&lock);
	int value = balance;
	pthread_mutex_unlock(&lock);
	return value;
}

/* The check and the payment are two critical sections: the bug. */
static void *pay(void *arg)
{
	if (read_balance() >= 10) {
		pthread_mutex_lock(&lock);
		balance -= 10;
		if (story(2, args, "assert"))
			assert(balance >= 0); /* @assert */
		int error = balance < 0 ? EINVAL : 0;
		if (story(2, args, "perror"))
			assert_perror(error); /* @perror */
		if (story(2, args, "abort") && balance < 0)
			abort(); /* @abort */
		if (story(2, args, "heddle"))
			heddle_assert(balance == 0); /* @heddle */
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	args = argv;
	pthread_t t = spawn(pay, NULL);
	pay(NULL);
	join(t);
	return 0;
}
