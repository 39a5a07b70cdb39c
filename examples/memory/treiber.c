/*
 * Treiber's stack: the head moves by compare-and-swap. Nodes come from a pool
 * and are used again, which is where ABA lives: a thread that is about to pop
 * sees node 0 on top and node 1 below it; another one pops both and pushes
 * node 0 again. The head is what it was, the swap succeeds, and node 1 is on
 * the stack and in the pool. The remedy is a count of changes beside the head;
 * the fault leaves it at zero.
 */
#include "common.h"

#define NODES 3
#define NONE NODES

static struct {
	_Atomic unsigned next;
	int value; /* plain: belongs to whoever owns the node */
} nodes[NODES];

/* Index of the top node, and above it the number of changes. */
static _Atomic unsigned head = NONE;
static unsigned pool[2]; /* free nodes of each thread, one bit each */

static unsigned top_of(unsigned word)
{
	return word & 0xff;
}

static unsigned changed(unsigned word, unsigned top)
{
	unsigned count = FAULT ? 0 : (word >> 8) + 1;
	return count << 8 | top;
}

static unsigned pool_take(int me)
{
	unsigned node = (unsigned)__builtin_ctz(pool[me]); /* the lowest free one, as many allocators do */

	pool[me] &= pool[me] - 1;
	return node;
}

static void push_node(unsigned node)
{
	unsigned seen = atomic_load(&head);

	do
		atomic_store(&nodes[node].next, top_of(seen));
	while (!atomic_compare_exchange_strong(&head, &seen, changed(seen, node)));
}

static unsigned pop_node(void)
{
	unsigned seen = atomic_load(&head), next;

	do {
		if (top_of(seen) == NONE)
			return NONE;
		next = atomic_load(&nodes[top_of(seen)].next);
	} while (!atomic_compare_exchange_strong(&head, &seen, changed(seen, next)));
	return top_of(seen);
}

static void push(int me, int value)
{
	if (!pool[me])
		return;
	unsigned node = pool_take(me);
	nodes[node].value = value;
	push_node(node);
}

static int pop(int me)
{
	unsigned node = pop_node();

	if (node == NONE)
		return -1;
	int value = nodes[node].value;
	pool[me] |= 1u << node;
	return value;
}

static void *one_pop(void *arg)
{
	pop(0);
	return arg;
}

static void *pops_and_push(void *arg)
{
	pop(1);
	pop(1);
	push(1, 7);
	return arg;
}

/* Every node is in exactly one place. */
static void check_nodes(void)
{
	unsigned seen = 0, count = 0;

	for (unsigned n = top_of(head); n != NONE; n = nodes[n].next) {
		assert(!(seen & 1u << n));
		seen |= 1u << n;
	}
	assert((seen & pool[0]) == 0 && (seen & pool[1]) == 0 && (pool[0] & pool[1]) == 0);
	for (unsigned all = seen | pool[0] | pool[1]; all; all &= all - 1)
		count++;
	assert(count == NODES);
}

int main(void)
{
	for (unsigned n = NODES; n-- > 0;)
		push_node(n);
	pthread_t a = start(one_pop, NULL), b = start(pops_and_push, NULL);
	finish(a);
	finish(b);
	check_nodes();
	return 0;
}
