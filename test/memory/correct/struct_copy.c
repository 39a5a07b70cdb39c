/*
 * struct_copy.c: whole structures are copied, cleared and compared under a lock.
 *
 * heddle: verdict=verified outcomes=1
 */
#include "guest.h"

struct record {
	char name[40];
	long numbers[6];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct record shared;

static void *body(void *arg)
{
	struct record mine, copy;

	memset(&mine, (int)(long)arg, sizeof mine);
	pthread_mutex_lock(&lock);
	shared = mine;
	memmove(&copy, &shared, sizeof copy);
	memset(&shared, 0, sizeof shared);
	pthread_mutex_unlock(&lock);
	CHECK(!memcmp(&copy, &mine, sizeof mine));
	return NULL;
}

int main(void)
{
	pthread_t a = spawn(body, (void *)1), b = spawn(body, (void *)2);

	join(a);
	join(b);
	heddle_outcome(shared.numbers[3] == 0 && shared.name[39] == 0);
	return 0;
}
