/* Two accounts on the heap, locked in opposite order; the mutexes are reached through pointers only.
 * build: -O0
 */
#include <pthread.h>
#include <stdlib.h>

struct account {
	int id;
	long balance;
	pthread_mutex_t m;
};

struct order {
	struct account *from, *to;
	long amount;
};

static int started;

static void *transfer(void *arg)
{
	struct order *o = arg;

	pthread_mutex_lock(&o->from->m);
	o->from->balance -= o->amount;
	pthread_mutex_lock(&o->to->m);
	o->to->balance += o->amount;
	pthread_mutex_unlock(&o->to->m);
	pthread_mutex_unlock(&o->from->m);
	return NULL;
}

int main(void)
{
	struct {
		struct {
			pthread_mutex_t m;
			int n;
		} c;
	} p = {.c = {PTHREAD_MUTEX_INITIALIZER, 3}};
	struct account *a = calloc(2, sizeof(*a)), *b = calloc(1, sizeof(*b));
	struct order there = {&a[1], b, 10}, back = {b, &a[1], 20};
	pthread_t alice, bob;

	a[1].balance = b->balance = 100;
	pthread_mutex_lock(&p.c.m);
	p.c.n++;
	started = 1;
	pthread_mutex_unlock(&p.c.m);
	pthread_create(&alice, NULL, transfer, &there);
	pthread_create(&bob, NULL, transfer, &back);
	pthread_setname_np(alice, "alice");
	pthread_setname_np(bob, "bob");
	pthread_join(alice, NULL);
	pthread_join(bob, NULL);
	return 0;
}
