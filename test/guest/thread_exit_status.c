/*
 * thread_exit_status.c: any thread may end the process with exit(3). The status is
 * the program's business unless --check-exit asks for it.
 *
 * heddle: verdict=verified
 * heddle: verdict=violation options="--check-exit" kind=exit-status message~="\b3\b"
 * heddle: verdict=violation options="--check-exit" args=main kind=exit-status message~="\b4\b"
 * native: exit=3
 * native: args=main exit=4
 */
#include "guest.h"

static void *body(void *arg)
{
	(void)arg;
	exit(3);
}

int main(int argc, char **argv)
{
	if (story(argc, argv, "main"))
		return 4;
	join(spawn(body, NULL));
	return 0;
}
