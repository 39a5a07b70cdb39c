/*
 * deadlock_abba.c: the classic: two locks in opposite order. The report says who
 * waits for what and who holds it, with the threads' own names and source lines.
 *
 * heddle: verdict=violation kind=deadlock message~="(?i)wait.*held by" text~="ab.*{@ab}"
 * heddle: verdict=violation kind=deadlock text~="ba.*{@ba}" options="--strategy bfs"
 * native: any
 */
#include "guest.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *ab(void *arg)
{
	pthread_setname_np(pthread_self(), "ab");
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b); /* @ab */
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return arg;
}

static void *ba(void *arg)
{
	pthread_setname_np(pthread_self(), "ba");
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a); /* @ba */
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return arg;
}

int main(void)
{
	pthread_t x = spawn(ab, NULL), y = spawn(ba, NULL);
	join(x);
	join(y);
	return 0;
}
