/*
 * unsynchronised_parts.c: what a step does behind a thread that it makes, behind a release, and behind an operation
 * that conflicts with another thread's. The headline names what is shared there, and says nothing where all is well.
 *
 * heddle: verdict=verified args=created text~="Verified, but threads share x "
 * heddle: verdict=verified args=created options="--strategy bfs --sanity 2" text~="Verified, but threads share x "
 * heddle: verdict=verified args=twice text~="Verified, but threads share x "
 * heddle: verdict=verified args=unlocked text~="Verified, but threads share x "
 * heddle: verdict=verified args=posted text~="Verified, but threads share x "
 * heddle: verdict=verified args=signalled text~="Verified, but threads share x "
 * heddle: verdict=verified args=taken text~="Verified, but threads share x "
 * heddle: verdict=verified args=spins text~="Verified, but threads share flag "
 * heddle: verdict=verified args=pointer text~="Verified, but threads share pointer "
 * heddle: verdict=verified args=right text~="Verified, data races not looked at"
 * heddle: verdict=verified args=prints text~="Verified, data races not looked at"
 * native: any
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static volatile int x, flag;
static int ready, *pointer, one = 1;

static void *adds(void *arg)
{
	x++;
	return arg;
}

static void *adds_locked(void *arg)
{
	OK(pthread_mutex_lock(&lock));
	x++;
	OK(pthread_mutex_unlock(&lock));
	return arg;
}

/* The lock is let go too early. */
static void *adds_behind(void *arg)
{
	OK(pthread_mutex_lock(&lock));
	OK(pthread_mutex_unlock(&lock));
	x++;
	return arg;
}

static void *adds_posted(void *arg)
{
	OK(sem_wait(&sem));
	x++;
	return arg;
}

static void *adds_signalled(void *arg)
{
	OK(pthread_mutex_lock(&lock));
	while (!ready)
		OK(pthread_cond_wait(&cond, &lock));
	x++;
	OK(pthread_mutex_unlock(&lock));
	return arg;
}

static void *spins(void *arg)
{
	while (!flag)
		;
	return arg;
}

static void *follows(void *arg)
{
	x = *pointer;
	return arg;
}

static void *prints(void *arg)
{
	static const char *const word = "word";
	OK(pthread_mutex_lock(&lock));
	char *copy = malloc(40);
	snprintf(copy, 40, "%s %d\n", word, ready);
	OK(pthread_mutex_unlock(&lock));
	fputs(copy, stdout);
	fflush(stdout);
	free(copy);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t a, b;
	OK(sem_init(&sem, 0, 0));
	if (story(argc, argv, "created")) {
		a = spawn(adds, NULL);
		x++;
	} else if (story(argc, argv, "twice")) {
		a = spawn(adds, NULL);
		b = spawn(prints, NULL);
		x++;
		join(b);
	} else if (story(argc, argv, "unlocked")) {
		a = spawn(adds_locked, NULL);
		adds_behind(NULL);
	} else if (story(argc, argv, "posted")) {
		a = spawn(adds_posted, NULL);
		OK(sem_post(&sem));
		x++;
	} else if (story(argc, argv, "signalled")) {
		a = spawn(adds_signalled, NULL);
		OK(pthread_mutex_lock(&lock));
		ready = 1;
		OK(pthread_cond_signal(&cond));
		OK(pthread_mutex_unlock(&lock));
		x++;
	} else if (story(argc, argv,
			 "taken")) { /* both operations conflict, and neither orders what follows */
		OK(sem_post(&sem));
		OK(sem_post(&sem));
		a = spawn(adds_posted, NULL);
		adds_posted(NULL);
	} else if (story(argc, argv, "spins")) {
		a = spawn(spins, NULL);
		flag = 1;
	} else if (story(argc, argv, "pointer")) { /* it would crash, if it came at once */
		a = spawn(follows, NULL);
		pointer = &one;
	} else if (story(argc, argv, "prints")) {
		a = spawn(prints, NULL);
		prints(NULL);
		puts("end");
	} else {
		x++;
		a = spawn(adds_locked, NULL);
		b = spawn(adds_locked, NULL);
		adds_locked(NULL);
		join(b);
		OK(pthread_mutex_lock(&other));
		ready++;
		OK(pthread_mutex_unlock(&other));
	}
	join(a);
	return 0;
}
