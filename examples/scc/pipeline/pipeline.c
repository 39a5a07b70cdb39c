/*
 * A pipeline of stages, one thread each, linked by connectors that hold one value.
 * Each stage adds one to what passes; STOP follows the last value and ends the
 * stages one after the other. The main thread feeds the pipeline and then empties it.
 *
 * The fault: a stage that finds its connector empty lets go of the lock and takes it
 * again before it waits; a value that comes in between wakes nobody.
 *
 *     pipeline [STAGES [VALUES]]
 */
#include "../common.h"

#define MAX_STAGES 16
#define EMPTY 0
#define STOP (-1)

static int stages, values;

/* Connector i leads into stage i; the last one leads out. */
static struct connector {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int value;
} link_to[MAX_STAGES + 1];

/* How many values went into connector i, and whether STOP did; protected by its lock. */
static int passed[MAX_STAGES + 1];
static int stopped[MAX_STAGES + 1];

/* A value in connector i was raised by i stages. */
static int value_fits(int i)
{
	return link_to[i].value == EMPTY || link_to[i].value == STOP ||
	       (link_to[i].value > i && link_to[i].value <= values + i);
}

/* Values arrive in order: the newest is the number of those that passed. */
static int order_holds(int i)
{
	return link_to[i].value <= 0 || link_to[i].value == passed[i] + i;
}

/* STOP is the last thing that passes, and comes after all values. */
static int stop_is_last(int i)
{
	return stopped[i] ? passed[i] == values : link_to[i].value != STOP;
}

static int everywhere(int (*holds)(int))
{
	for (int i = 0; i <= stages; i++)
		if (!holds(i))
			return 0;
	return 1;
}

int inv_values(void)
{
	return everywhere(value_fits);
}

int inv_order(void)
{
	return everywhere(order_holds);
}

int inv_stop(void)
{
	return everywhere(stop_is_last);
}

/* The invariants' part for one connector: no more may be read under its lock. */
static void check_invariants(int i)
{
	INVARIANT(value_fits(i));
	INVARIANT(order_holds(i));
	INVARIANT(stop_is_last(i));
}

static void leave(int i)
{
	check_invariants(i);
	pthread_cond_signal(&link_to[i].changed);
	pthread_mutex_unlock(&link_to[i].lock);
}

static ON_ITS_OWN void put(int i, int value)
{
	struct connector *c = &link_to[i];

	pthread_mutex_lock(&c->lock);
	while (c->value != EMPTY)
		pthread_cond_wait(&c->changed, &c->lock);
	assert(!stopped[i]);
	c->value = value;
	if (value == STOP)
		stopped[i] = 1;
	else
		passed[i]++;
	leave(i);
}

static ON_ITS_OWN void await_value(struct connector *c)
{
	while (c->value == EMPTY) {
		if (FAULT) {
			pthread_mutex_unlock(&c->lock);
			pthread_mutex_lock(&c->lock);
		}
		pthread_cond_wait(&c->changed, &c->lock);
	}
}

static ON_ITS_OWN int take(int i)
{
	struct connector *c = &link_to[i];
	int value;

	pthread_mutex_lock(&c->lock);
	await_value(c);
	value = c->value;
	assert(value == STOP || value == passed[i] + i);
	c->value = EMPTY;
	leave(i);
	return value;
}

/* False when that was the end. */
static ON_ITS_OWN int pass_on(int me)
{
	int value = take(me);

	put(me + 1, value == STOP ? STOP : value + 1);
	return value != STOP;
}

static void *stage(void *arg)
{
	while (pass_on((int)(long)arg))
		;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MAX_STAGES];
	int value, last = 0;

	stages = scc_arg(argc, argv, 1, 7, 1, MAX_STAGES);
	/* The main thread puts everything in before it takes anything out: it must fit. */
	values = scc_arg(argc, argv, 2, 2, 1, 2 * stages);
	for (int i = 0; i <= stages; i++) {
		pthread_mutex_init(&link_to[i].lock, NULL);
		pthread_cond_init(&link_to[i].changed, NULL);
	}
	scc_start_all(threads, stages, stage);
	for (int i = 1; i <= values; i++)
		put(0, i);
	put(0, STOP);
	while ((value = take(stages)) != STOP)
		last = value;
	assert(last == values + stages);
	scc_join_all(threads, stages);
	INVARIANT(inv_values());
	INVARIANT(inv_order());
	INVARIANT(inv_stop());
	printf("%d values went through %d stages\n", values, stages);
	return 0;
}
