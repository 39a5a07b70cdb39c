/*
 * struct_copy_race.c: a structure is assigned while another thread reads one member.
 *
 * heddle: verdict=violation kind=race message~="shared"
 */
#include "guest.h"

struct record {
	long numbers[12];
};

static struct record shared;

static void *body(void *arg)
{
	struct record *mine = arg;

	shared = *mine;
	return NULL;
}

int main(void)
{
	struct record mine = {.numbers = {1, 2, 3}};
	pthread_t t = spawn(body, &mine);
	long seen = shared.numbers[2];

	join(t);
	heddle_outcome(seen);
	return 0;
}
