/*
 * unsynchronised_tree.c: a walk along links that another thread changes may never end, if it finds some of them changed
 * and others not. Such walks are tried out to find out whether threads race; that must not take long.
 *
 * heddle: verdict=verified options="--max-time 60" text~="Verified, but threads share "
 * native: any
 */
#include "guest.h"

#define NODES 40

static struct node {
	struct node *next;
} node[NODES];
static volatile int length;

/* The other way round: half of that is a circle. */
static void *reverses(void *arg)
{
	node[0].next = NULL;
	for (int i = 1; i < NODES; i++)
		node[i].next = &node[i - 1];
	return arg;
}

static void *walks(void *arg)
{
	int n = 0;
	for (const struct node *p = &node[NODES / 2]; p; p = p->next)
		n++;
	length = n;
	return arg;
}

int main(void)
{
	for (int i = 0; i + 1 < NODES; i++)
		node[i].next = &node[i + 1];
	pthread_t a = spawn(reverses, NULL), b = spawn(walks, NULL);
	join(a);
	join(b);
	return 0;
}
