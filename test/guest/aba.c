/*
 * aba.c: a thread holds a pointer to a block that others free, and whose place is handed out again: a compare-and-exchange
 * takes the new block for the old one.
 *
 * newest: a stack without locks; the second thread pops a node, frees it, pops the next one and pushes: its node lies where
 *     the first one lay.
 * oldest: two nodes are freed before, and it takes the one that was freed first.
 * owner: the node is freed by another thread than the one that allocated it and allocates again.
 * counted: the same with a counter in the upper bits of the head: right.
 * compared: no compare-and-exchange, but a comparison under a lock: only on request.
 * fresh: what is wrong only if the memory is another one.
 *
 * heddle: args="newest" verdict=violation kind=assert|abort text~="from now on it gets what it freed last"
 * heddle: args="newest" options="--por on" verdict=violation kind=assert|abort
 * heddle: args="newest" options="--heap-reuse never" verdict=verified text~="freed memory not handed out again at once"
 * heddle: args="newest" options="--heap-reuse never" verdict=verified text~="an ABA problem would be missed"
 * heddle: args="oldest" verdict=violation kind=assert|abort text~="from now on it gets what it freed first"
 * heddle: args="owner" verdict=violation kind=assert|abort
 * heddle: args="owner" options="--por on" verdict=violation kind=assert|abort
 * heddle: args="counted" verdict=verified text~="a compare-and-exchange compares with a pointer to memory that was freed"
 * heddle: args="counted" options="--por on --sanity 2" verdict=verified
 * heddle: args="compared" verdict=verified
 * heddle: args="compared" options="--heap-reuse always" verdict=violation kind=assert
 * heddle: args="fresh" options="--heap-reuse always" verdict=violation kind=assert text~="memory that nobody had freed"
 * native: skip
 */
#include <stdint.h>

#include "guest.h"

struct node {
	struct node *next;
	long value;
};

static uint64_t head;
static int counts; /* what the upper 16 bits of the head are for */
static long had[8];

static struct node *node_of(uint64_t pointer)
{
	return (struct node *)(pointer & 0xffffffffffffUL);
}

static uint64_t pointer_to(const struct node *n, uint64_t before)
{
	return (uint64_t)n | (counts ? (before >> 48) + 1 : 0) << 48;
}

static void push(long value)
{
	struct node *n = malloc(sizeof(*n));
	uint64_t old = __atomic_load_n(&head, __ATOMIC_SEQ_CST);
	n->value = value;
	do
		n->next = node_of(old);
	while (!__atomic_compare_exchange_n(&head, &old, pointer_to(n, old), 0, __ATOMIC_SEQ_CST,
					    __ATOMIC_SEQ_CST));
}

static struct node *pop(void)
{
	uint64_t old = __atomic_load_n(&head, __ATOMIC_SEQ_CST);
	while (node_of(old) && !__atomic_compare_exchange_n(&head, &old, pointer_to(node_of(old)->next, old),
							    0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
	return node_of(old);
}

/* Each value is popped once. */
static struct node *take(void)
{
	struct node *n = pop();
	CHECK(!n || __atomic_fetch_add(&had[n->value], 1, __ATOMIC_SEQ_CST) == 0);
	return n;
}

static void *pops(void *arg)
{
	free(take());
	return arg;
}

static void *pops_and_pushes(void *arg)
{
	free(take());
	struct node *second = take();
	if (arg) {
		free(second);
		second = NULL;
	}
	push(3);
	free(second);
	return NULL;
}

static void check_all(long values)
{
	for (struct node *n; (n = take()); free(n))
		;
	CHECK(!had[0]);
	for (long i = 1; i <= values; i++)
		CHECK(had[i] == 1);
}

static void stack_without_locks(int all_freed)
{
	push(1);
	push(2);
	pthread_t a = spawn(pops, NULL), b = spawn(pops_and_pushes, all_freed ? &had : NULL);
	join(a);
	join(b);
	check_all(3);
}

static sem_t done;

static void *pops_two(void *arg)
{
	free(take());
	*(struct node **)arg = take();
	OK(sem_post(&done));
	return NULL;
}

static void owner(void)
{
	struct node *second = NULL;
	push(1);
	push(2);
	pthread_t a = spawn(pops, NULL), b = spawn(pops_two, &second);
	OK(sem_wait(&done));
	push(3);
	join(a);
	join(b);
	free(second);
	check_all(3);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long *entry;

static void *replaces(void *arg)
{
	OK(pthread_mutex_lock(&lock));
	free(entry);
	entry = malloc(sizeof(*entry));
	*entry = 2;
	OK(pthread_mutex_unlock(&lock));
	return arg;
}

/* What is remembered of an entry holds while it is the same one; or does it? */
static void compared(int same)
{
	entry = malloc(sizeof(*entry));
	*entry = 1;
	pthread_t a = spawn(replaces, NULL);
	OK(pthread_mutex_lock(&lock));
	long *at = entry, value = *at;
	OK(pthread_mutex_unlock(&lock));
	OK(pthread_mutex_lock(&lock));
	CHECK(same ? (at == entry) == (value == *entry) || at != entry : at == entry);
	OK(pthread_mutex_unlock(&lock));
	join(a);
	free(entry);
}

int main(int argc, char **argv)
{
	OK(sem_init(&done, 0, 0));
	counts = story(argc, argv, "counted");
	if (story(argc, argv, "owner"))
		owner();
	else if (story(argc, argv, "compared") || story(argc, argv, "fresh"))
		compared(story(argc, argv, "compared"));
	else
		stack_without_locks(story(argc, argv, "oldest"));
	return 0;
}
