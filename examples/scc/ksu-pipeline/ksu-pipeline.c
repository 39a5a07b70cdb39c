/*
 * The NASA/KSU pipeline: stages linked by connectors of one place that can be told
 * to stop, and listeners that must all hear each result before the next one is
 * published. Stopping is not a value but a flag of the connector: whoever takes from a
 * stopped connector first empties it.
 *
 * The fault: take() looks at the flag first, so that a stop which comes soon
 * enough overtakes the last value.
 *
 *     ksu-pipeline [STAGES [LISTENERS [VALUES]]]
 */
#include "../common.h"

#define MAX_STAGES 16
#define MAX_LISTENERS 16
#define EMPTY 0
#define STOPPED (-1)

static int stages, listeners, values;

/* Connector i leads into stage i. */
static struct connector {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int value;
	int stopped;
} link_to[MAX_STAGES];

/* The board on which the last stage publishes; everything here is protected by `board`. */
static pthread_mutex_t board = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t board_changed = PTHREAD_COND_INITIALIZER;
static int result;        /* the newest one */
static int published;     /* how many there were */
static int still_to_hear; /* listeners that have not heard it */
static int board_stopped;

/* A value in connector i was raised by i stages. */
static int value_fits(int i)
{
	return link_to[i].value == EMPTY || (link_to[i].value > i && link_to[i].value <= values + i);
}

int inv_values(void)
{
	for (int i = 0; i < stages; i++)
		if (!value_fits(i))
			return 0;
	return 1;
}

int inv_audience(void)
{
	return still_to_hear >= 0 && still_to_hear <= listeners;
}

/* Results come in order and none is left out. */
int inv_results(void)
{
	return published <= values && result == (published ? published + stages : 0);
}

static void leave_connector(int i)
{
	INVARIANT(value_fits(i));
	pthread_cond_signal(&link_to[i].changed);
	pthread_mutex_unlock(&link_to[i].lock);
}

static void leave_board(void)
{
	INVARIANT(inv_audience());
	INVARIANT(inv_results());
	pthread_cond_broadcast(&board_changed);
	pthread_mutex_unlock(&board);
}

static ON_ITS_OWN void put(int i, int value)
{
	struct connector *c = &link_to[i];

	pthread_mutex_lock(&c->lock);
	while (c->value != EMPTY)
		pthread_cond_wait(&c->changed, &c->lock);
	assert(!c->stopped);
	c->value = value;
	leave_connector(i);
}

static void stop(int i)
{
	pthread_mutex_lock(&link_to[i].lock);
	assert(!link_to[i].stopped);
	link_to[i].stopped = 1;
	leave_connector(i);
}

static ON_ITS_OWN int take(int i)
{
	struct connector *c = &link_to[i];
	int value;

	pthread_mutex_lock(&c->lock);
	while (c->value == EMPTY && !c->stopped)
		pthread_cond_wait(&c->changed, &c->lock);
	value = c->value;
	if (value == EMPTY || (FAULT && c->stopped))
		value = STOPPED;
	c->value = EMPTY;
	leave_connector(i);
	return value;
}

/* The last stage's output: a value, or STOPPED. */
static ON_ITS_OWN void publish(int value)
{
	pthread_mutex_lock(&board);
	while (still_to_hear > 0)
		pthread_cond_wait(&board_changed, &board);
	if (value == STOPPED) {
		board_stopped = 1;
	} else {
		result = value;
		published++;
		still_to_hear = listeners;
	}
	leave_board();
}

/* False when that was the end. */
static ON_ITS_OWN int pass_on(int me)
{
	int value = take(me);

	if (me + 1 == stages)
		publish(value == STOPPED ? STOPPED : value + 1);
	else if (value == STOPPED)
		stop(me + 1);
	else
		put(me + 1, value + 1);
	return value != STOPPED;
}

static void *stage(void *arg)
{
	while (pass_on((int)(long)arg))
		;
	return NULL;
}

static void *listener(void *arg)
{
	int heard = 0;

	(void)arg;
	pthread_mutex_lock(&board);
	for (;;) {
		while (published == heard && !board_stopped)
			pthread_cond_wait(&board_changed, &board);
		if (published == heard)
			break;
		assert(published == heard + 1);
		heard = published;
		still_to_hear--;
		INVARIANT(inv_audience());
		pthread_cond_broadcast(&board_changed);
	}
	assert(heard == values);
	leave_board();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t s[MAX_STAGES], l[MAX_LISTENERS];

	stages = scc_arg(argc, argv, 1, 4, 1, MAX_STAGES);
	listeners = scc_arg(argc, argv, 2, 1, 1, MAX_LISTENERS);
	values = scc_arg(argc, argv, 3, 5, 1, 100);
	for (int i = 0; i < stages; i++) {
		pthread_mutex_init(&link_to[i].lock, NULL);
		pthread_cond_init(&link_to[i].changed, NULL);
	}
	scc_start_all(s, stages, stage);
	scc_start_all(l, listeners, listener);
	for (int i = 1; i <= values; i++)
		put(0, i);
	stop(0);
	scc_join_all(s, stages);
	scc_join_all(l, listeners);
	INVARIANT(inv_values());
	printf("%d values went through %d stages to %d listeners\n", values, stages, listeners);
	return 0;
}
