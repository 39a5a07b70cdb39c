/*
 * misuse.c: locks used as nobody may: each is a violation with its place, even where
 * glibc lets it pass. (--keep-going: using what has been destroyed is found as well.)
 *
 * heddle: verdict=violation kind=lock-misuse args=unlock-free where=@unlock_free message~="(?i)mutex"
 * heddle: verdict=violation kind=lock-misuse args=unlock-other where=@unlock_other message~="(?i)mutex.*held"
 * heddle: verdict=violation kind=lock-misuse args=destroy-mutex where=@destroy_mutex message~="(?i)destroy"
 * heddle: verdict=violation kind=lock-misuse args=destroy-cond options="--keep-going" where=@destroy_cond message~="(?i)wait"
 * heddle: verdict=violation kind=lock-misuse args=destroy-sem options="--keep-going" where=@destroy_sem message~="(?i)wait"
 * heddle: verdict=violation kind=lock-misuse args=destroy-rwlock where=@destroy_rwlock message~="(?i)destroy"
 * heddle: verdict=violation kind=lock-misuse args=destroy-barrier options="--keep-going" where=@destroy_barrier message~="(?i)destroy"
 * heddle: verdict=violation kind=lock-misuse args=wait-unheld where=@wait_unheld
 * heddle: verdict=violation kind=lock-misuse args=rwunlock-free where=@rwunlock_free
 * heddle: verdict=violation kind=lock-misuse args=spinunlock-free where=@spinunlock_free
 * native: any
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_spinlock_t spin;
static sem_t sem, there;
static char **args;

static void *holder(void *arg)
{
	if (story(2, args, "unlock-other") || story(2, args, "destroy-mutex"))
		pthread_mutex_lock(&lock);
	if (story(2, args, "destroy-rwlock"))
		pthread_rwlock_rdlock(&rw);
	if (story(2, args, "destroy-cond"))
		pthread_mutex_lock(&lock);
	sem_post(&there);
	if (story(2, args, "destroy-cond"))
		pthread_cond_wait(&cond, &lock);
	else if (story(2, args, "destroy-barrier"))
		pthread_barrier_wait(&barrier);
	else
		sem_wait(&sem);
	return arg;
}

static void misuse(void)
{
	if (story(2, args, "unlock-free"))
		pthread_mutex_unlock(&lock); /* @unlock_free */
	if (story(2, args, "rwunlock-free"))
		pthread_rwlock_unlock(&rw); /* @rwunlock_free */
	if (story(2, args, "spinunlock-free"))
		pthread_spin_unlock(&spin); /* @spinunlock_free */
	if (story(2, args, "wait-unheld"))
		pthread_cond_wait(&cond, &lock); /* @wait_unheld */
}

static void misuse_with_holder(void)
{
	if (story(2, args, "unlock-other"))
		pthread_mutex_unlock(&lock); /* @unlock_other */
	if (story(2, args, "destroy-mutex"))
		pthread_mutex_destroy(&lock); /* @destroy_mutex */
	if (story(2, args, "destroy-cond"))
		pthread_cond_destroy(&cond); /* @destroy_cond */
	if (story(2, args, "destroy-sem"))
		sem_destroy(&sem); /* @destroy_sem */
	if (story(2, args, "destroy-rwlock"))
		pthread_rwlock_destroy(&rw); /* @destroy_rwlock */
	if (story(2, args, "destroy-barrier"))
		pthread_barrier_destroy(&barrier); /* @destroy_barrier */
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	args = argv;
	sem_init(&sem, 0, 0);
	sem_init(&there, 0, 0);
	pthread_spin_init(&spin, 0);
	pthread_barrier_init(&barrier, NULL, 2);
	misuse();
	spawn(holder, NULL);
	sem_wait(&there);
	if (story(argc, argv, "destroy-cond")) {
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
	}
	misuse_with_holder();
	return 0;
}
