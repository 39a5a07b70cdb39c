/*
 * RWVSN, readers and writers after Doug Lea: a lock that gives way to waiting
 * writers, built as a monitor with one condition variable. The fault: a writer
 * that was woken does not look again whether it may write.
 *
 *     rwvsn [READERS [WRITERS [ROUNDS]]]
 */
#include "../common.h"

static int readers, writers, rounds;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int active_readers, active_writers, waiting_writers;

/* Writers are alone. */
int inv_exclusion(void)
{
	return active_writers == 0 || (active_writers == 1 && active_readers == 0);
}

int inv_readers(void)
{
	return active_readers >= 0 && active_readers <= readers;
}

int inv_writers(void)
{
	return waiting_writers >= 0 && active_writers >= 0 && waiting_writers + active_writers <= writers;
}

static void check_invariants(void)
{
	INVARIANT(inv_exclusion());
	INVARIANT(inv_readers());
	INVARIANT(inv_writers());
}

static void leave(void)
{
	check_invariants();
	pthread_mutex_unlock(&lock);
}

static void await_change(void)
{
	check_invariants();
	pthread_cond_wait(&changed, &lock);
}

static ON_ITS_OWN void before_read(void)
{
	pthread_mutex_lock(&lock);
	while (active_writers > 0 || waiting_writers > 0)
		await_change();
	active_readers++;
	assert(active_writers == 0);
	leave();
}

static void after_read(void)
{
	pthread_mutex_lock(&lock);
	assert(active_readers > 0);
	active_readers--;
	pthread_cond_broadcast(&changed);
	leave();
}

static ON_ITS_OWN void before_write(void)
{
	pthread_mutex_lock(&lock);
	waiting_writers++;
	while (active_writers > 0 || active_readers > 0) {
		await_change();
		if (FAULT)
			break; /* "if" in place of "while" */
	}
	waiting_writers--;
	active_writers++;
	assert(active_readers == 0 && active_writers == 1);
	leave();
}

static void after_write(void)
{
	pthread_mutex_lock(&lock);
	assert(active_writers == 1);
	active_writers--;
	pthread_cond_broadcast(&changed);
	leave();
}

static void *reader(void *arg)
{
	(void)arg;
	for (int left = rounds; left > 0; left--) {
		before_read();
		after_read();
	}
	return NULL;
}

static void *writer(void *arg)
{
	(void)arg;
	for (int left = rounds; left > 0; left--) {
		before_write();
		after_write();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t r[MAX_THREADS], w[MAX_THREADS];

	readers = scc_arg(argc, argv, 1, 4, 0, MAX_THREADS);
	writers = scc_arg(argc, argv, 2, 4, 0, MAX_THREADS);
	rounds = scc_arg(argc, argv, 3, 1, 1, 100);
	scc_start_all(r, readers, reader);
	scc_start_all(w, writers, writer);
	scc_join_all(r, readers);
	scc_join_all(w, writers);
	printf("%d readers and %d writers are done\n", readers, writers);
	return 0;
}
