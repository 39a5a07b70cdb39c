/*
 * Invariants over variables by name, --invariant and --step: two counters, each with a lock of its own, are never
 * seen together by the program, so the orders of their changes matter to the invariant alone.
 *
 * heddle: verdict=violation kind=invariant message~="a = 1, b = 1" options="--invariant 'a + b < 2'"
 * heddle: verdict=violation kind=invariant message~="a = 1, b = 1" options="--invariant 'a + b < 2' --por off"
 * heddle: verdict=verified options="--invariant 'a + b <= 2' --invariant 'properties.c:hidden == 7 && level != HIGH'"
 * heddle: verdict=verified options="--invariant 'a + b <= most'"
 * heddle: verdict=violation kind=invariant message~="level = MIDDLE" options="--invariant 'level == LOW'"
 * heddle: verdict=violation kind=invariant message~="null pointer" options="--invariant 'head->value == 0'"
 * heddle: verdict=verified options="--invariant 'head ==> head->value >= 0' --invariant '!head || head -> next'" args=nolist
 * heddle: verdict=violation kind=invariant message~="head->value = -1" options="--invariant '!head || head->value >= 0'"
 * heddle: verdict=violation kind=invariant message~="next.a. = 1, a = 0" options="--step 'next(a) <= a'"
 * heddle: verdict=verified options="--step 'a == 1 -> next(a) != 1' --step 'next(sum) >= sum'"
 * heddle: verdict=violation violations#=2 options="-k --invariant 'a == 0' --invariant 'b == 0'"
 */
#include <pthread.h>
#include <string.h>

enum level { LOW, MIDDLE = 3, HIGH = -1 };
struct item {
	int value;
	struct item *next;
};
int a, b, sum;
int *keep;
static int hidden = 7;
static const int most = 2; /* a number, not a place */
enum level level;
static struct item item, other;
struct item *head;
static int with_list;
static pthread_mutex_t la = PTHREAD_MUTEX_INITIALIZER, lb = PTHREAD_MUTEX_INITIALIZER,
		       lh = PTHREAD_MUTEX_INITIALIZER, li = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *arg)
{
	pthread_mutex_lock(&la);
	a = 1;
	pthread_mutex_unlock(&la);
	pthread_mutex_lock(&la);
	a = 0;
	level = MIDDLE;
	pthread_mutex_unlock(&la);
	pthread_mutex_lock(&lh);
	if (with_list)
		head = &item;
	pthread_mutex_unlock(&lh);
	return arg;
}

static void *second(void *arg)
{
	pthread_mutex_lock(&lb);
	b = 1;
	sum++;
	pthread_mutex_unlock(&lb);
	pthread_mutex_lock(&lb);
	b = 0;
	sum++;
	pthread_mutex_unlock(&lb);
	/* Nobody looks at the item before it is in the list, but the invariant may. */
	pthread_mutex_lock(&li);
	item.value = -1;
	pthread_mutex_unlock(&li);
	pthread_mutex_lock(&li);
	item.value = 4;
	pthread_mutex_unlock(&li);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[2];

	with_list = argc < 2 || strcmp(argv[1], "nolist");
	keep = &hidden;
	item.next = &other;
	pthread_create(&t[0], NULL, first, NULL);
	pthread_create(&t[1], NULL, second, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return sum > 2 * most;
}
