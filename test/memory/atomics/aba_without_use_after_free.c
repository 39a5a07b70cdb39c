/*
 * aba_without_use_after_free.c: nodes are read and freed under a lock, so nothing freed is ever read; but the compare-and-exchange
 * is behind the lock, and its pointer may be to another node by then, in the same place.
 *
 * heddle: verdict=violation kind=crash message~="freed at"
 * heddle: options="--por on" verdict=violation kind=crash
 * heddle: options="--heap-reuse never" verdict=verified text~="an ABA problem would be missed"
 * heddle: args="counted" verdict=verified text~="explored besides"
 * native: skip
 */
#include "guest.h"

struct node {
	struct node *next;
	long value;
};
struct head {
	struct node *first;
	long count;
};

static __attribute__((aligned(16))) struct head head;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counts;

static int replace(const struct head *old, struct head fresh)
{
	__extension__ unsigned __int128 *at = (void *)&head, a, b;
	struct node *first = old->first;
	if (!counts)
		return __atomic_compare_exchange_n(&head.first, &first, fresh.first, 0, __ATOMIC_SEQ_CST,
						   __ATOMIC_SEQ_CST);
	memcpy(&a, old, sizeof(a));
	memcpy(&b, &fresh, sizeof(b));
	return __sync_bool_compare_and_swap(at, a, b);
}

static struct head look(struct node **next)
{
	struct head old = {__atomic_load_n(&head.first, __ATOMIC_SEQ_CST),
			   __atomic_load_n(&head.count, __ATOMIC_SEQ_CST)};
	*next = old.first ? old.first->next : NULL;
	return old;
}

static void push(long value)
{
	struct node *n = malloc(sizeof(*n)), *next;
	struct head old;
	OK(pthread_mutex_lock(&lock));
	n->value = value;
	do {
		old = look(&next);
		n->next = old.first;
	} while (!replace(&old, (struct head){n, old.count + 1}));
	OK(pthread_mutex_unlock(&lock));
}

static struct node *pop(void)
{
	struct head old;
	struct node *next;
	do {
		OK(pthread_mutex_lock(&lock));
		old = look(&next);
		OK(pthread_mutex_unlock(&lock));
	} while (old.first && !replace(&old, (struct head){next, old.count + 1}));
	return old.first;
}

static void drop(struct node *n)
{
	OK(pthread_mutex_lock(&lock));
	if (n)
		n->value = 0;
	free(n);
	OK(pthread_mutex_unlock(&lock));
}

static void *pops(void *arg)
{
	drop(pop());
	return arg;
}

static void *pops_and_pushes(void *arg)
{
	drop(pop());
	struct node *second = pop();
	push(3);
	drop(second);
	return arg;
}

int main(int argc, char **argv)
{
	counts = story(argc, argv, "counted");
	push(1);
	push(2);
	pthread_t a = spawn(pops, NULL), b = spawn(pops_and_pushes, NULL);
	join(a);
	join(b);
	for (struct node *n; (n = pop());)
		drop(n);
	return 0;
}
