/*
 * library_constructor.c: a library that the program is linked with looks around in its constructor, which ld.so runs before
 * anything else: it reads a file, makes a socket, asks for the time. The program must still start, always in the same state.
 *
 * links: early
 * heddle: verdict=verified outcomes=76 states=2
 */
#include "guest.h"

extern char early_byte; /* of "Linux" */
extern long early_pid, early_second;

int main(void)
{
	CHECK(early_byte == 'L');
	CHECK(early_pid == getpid());
	heddle_outcome(early_byte);
	return 0;
}
