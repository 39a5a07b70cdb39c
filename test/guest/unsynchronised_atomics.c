/*
 * unsynchronised_atomics.c: what follows an atomic instruction. Two that use the same variable conflict, and order
 * nothing by that alone; a lock made of them does, and so does a count of references.
 *
 * heddle: verdict=verified args=counted text~="Verified, but threads share x "
 * heddle: verdict=verified args=counted options="--strategy bfs --sanity 2" text~="Verified, but threads share x "
 * heddle: verdict=verified args=neighbour text~="Verified, but threads share pair.*used by thread . behind unsynchronised_atomics.c:"
 * heddle: verdict=verified args=released text~="Verified, but threads share x "
 * heddle: verdict=verified args=late text~="Verified, but threads share 0x"
 * heddle: verdict=verified args=lock text~="Verified, data races not looked at"
 * heddle: verdict=verified args=references text~="Verified, data races not looked at"
 * heddle: verdict=verified args=exchanged text~="Verified, data races not looked at"
 * native: any
 */
#include "guest.h"

#include <sched.h>

static int tickets, locked;
static volatile int x, y[16];
static struct {
	int count; /* atomic */
	volatile int plain;
} pair;
static struct shared {
	int references;
	volatile int value[2];
} * shared;

static void *counted(void *arg)
{
	__atomic_fetch_add(&tickets, 1, __ATOMIC_RELAXED);
	x++;
	return arg;
}

/* Both lie in one word of the machine. */
static void *neighbour(void *arg)
{
	__atomic_fetch_add(&pair.count, 1, __ATOMIC_RELAXED);
	pair.plain++;
	return arg;
}

static void take(void)
{
	while (__atomic_exchange_n(&locked, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

static void let_go(void)
{
	__atomic_exchange_n(&locked, 0, __ATOMIC_RELEASE);
}

static void *released(void *arg)
{
	take();
	let_go();
	x++;
	return arg;
}

static void *holds_lock(void *arg)
{
	take();
	x++;
	let_go();
	return arg;
}

/* Who counts down has no right to the memory any more. */
static void *late(void *arg)
{
	struct shared *s = shared;
	int left = __atomic_sub_fetch(&s->references, 1, __ATOMIC_ACQ_REL);
	s->value[0]++;
	if (!left)
		free(s);
	return arg;
}

static void *references(void *arg)
{
	struct shared *s = shared;
	s->value[(long)arg] = 1;
	if (!__atomic_sub_fetch(&s->references, 1, __ATOMIC_ACQ_REL)) {
		x = s->value[0] + s->value[1];
		free(s);
	}
	return arg;
}

/* Each draws a place of its own. */
static void *exchanged(void *arg)
{
	y[__atomic_fetch_add(&tickets, 1, __ATOMIC_RELAXED)] = 1;
	return arg;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void *(*body)(void *);
	} stories[] = {{"counted", counted}, {"neighbour", neighbour},   {"released", released},
		       {"late", late},       {"references", references}, {"exchanged", exchanged}};
	void *(*body)(void *) = holds_lock;
	for (size_t i = 0; i < sizeof(stories) / sizeof(*stories); i++)
		if (story(argc, argv, stories[i].name))
			body = stories[i].body;
	shared = calloc(1, sizeof(*shared));
	shared->references = 2;
	pthread_t a = spawn(body, (void *)0L), b = spawn(body, (void *)1L);
	join(a);
	join(b);
	return 0;
}
