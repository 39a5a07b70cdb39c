/*
 * Idle is not stuck: threads that sleep in loops for ever, in a program that never ends, and who waits for their end.
 * heddle: verdict=verified args=alone text~="sleep again and again"
 * heddle: verdict=verified args=two text~="sleep again and again"
 * heddle: verdict=verified args=two options="-j 2" text~="sleep again and again"
 * heddle: verdict=verified args=pause text~="sleep again and again"
 * heddle: verdict=violation kind=livelock args=two options="--strict-idle"
 *
 * But a thread that wants a lock which a sleeper holds, or whose owner has ended, is stuck;
 * heddle: verdict=violation kind=livelock args=holds
 * heddle: verdict=violation kind=livelock args=ended
 *
 * and who sleeps until a counter has a value, which it has at the end of other executions, waits for that.
 * heddle: verdict=violation kind=livelock args=lost
 *
 * That holds, too, if the ends are met afterwards.
 * heddle: verdict=violation kind=livelock args=chosen
 * heddle: verdict=violation kind=livelock args=chosen options="--strict-idle"
 * native: skip
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int count;

static void *sleeps(void *arg)
{
	if (arg)
		OK(pthread_mutex_lock(&lock));
	for (;;)
		sleep(1);
}

static void *pauses(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void *ends(void *arg)
{
	pthread_mutex_lock(&lock);
	return arg;
}

static void *wants(void *arg)
{
	pthread_mutex_lock(&lock);
	return arg;
}

static void *adds(void *arg)
{
	OK(pthread_mutex_lock(&lock));
	int n = count;
	OK(pthread_mutex_unlock(&lock));
	OK(pthread_mutex_lock(&lock));
	count = n + 1;
	OK(pthread_mutex_unlock(&lock));
	return arg;
}

static void *polls(void *arg)
{
	while (count != 2)
		sleep(1);
	return arg;
}

int main(int argc, char **argv)
{
	if (story(argc, argv, "lost")) {
		spawn(adds, NULL);
		spawn(adds, NULL);
		join(spawn(polls, NULL));
		return 0;
	}
	if (story(argc, argv, "chosen") && heddle_choose(2))
		return 0;
	if (story(argc, argv, "alone"))
		sleeps(NULL);
	if (story(argc, argv, "ended")) {
		join(spawn(ends, NULL));
		spawn(wants, NULL);
	}
	pthread_t t = spawn(sleeps, story(argc, argv, "holds") ? &lock : NULL);
	spawn(story(argc, argv, "pause") ? pauses : sleeps, NULL);
	if (story(argc, argv, "holds"))
		spawn(wants, NULL);
	join(t);
	return 0;
}
