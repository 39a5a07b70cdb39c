/*
 * Where functions of the thread library put their results, another thread writes.
 *
 * heddle: verdict=violation kind=race args=join
 * heddle: verdict=violation kind=race args=value
 * heddle: verdict=violation kind=race args=mask
 * heddle: verdict=violation kind=race args=name
 * native: any
 */
#include <signal.h>

#include "guest.h"

static void *value;
static int number;
static sigset_t mask;
static char name[16];

static void *nothing(void *arg)
{
	return arg;
}

static void *writer(void *arg)
{
	const char *what = arg;
	if (!strcmp(what, "join"))
		value = NULL;
	else if (!strcmp(what, "value"))
		number = 0;
	else if (!strcmp(what, "mask"))
		mask.__val[0] = 0;
	else
		name[0] = 'x';
	return NULL;
}

int main(int argc, char **argv)
{
	sem_t sem;
	OK(sem_init(&sem, 0, 1));
	pthread_t t = spawn(nothing, NULL), u = spawn(writer, argc > 1 ? argv[1] : "join");
	if (story(argc, argv, "value"))
		OK(sem_getvalue(&sem, &number));
	else if (story(argc, argv, "mask"))
		OK(pthread_sigmask(SIG_BLOCK, NULL, &mask));
	else if (story(argc, argv, "name"))
		OK(pthread_getname_np(pthread_self(), name, sizeof(name)));
	else
		OK(pthread_join(t, &value));
	join(u);
	return 0;
}
