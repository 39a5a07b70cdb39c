/*
 * unsynchronised_printed.c: what is read without a lock is only printed. No state shows the order of the two, but
 * the output does.
 *
 * heddle: verdict=verified text~="(?s)Verified, but threads share shown .*unsynchronised: shown,"
 * native: exit=0
 */
#include <stdio.h>

#include "guest.h"

static int shown;

static void *change(void *arg)
{
	shown = 1;
	return arg;
}

static void *print(void *arg)
{
	printf("%d\n", shown);
	return arg;
}

int main(void)
{
	pthread_t a = spawn(change, NULL), b = spawn(print, NULL);

	join(a);
	join(b);
	return 0;
}
