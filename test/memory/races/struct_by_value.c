/*
 * struct_by_value.c: a struct that a call copies is read, and one that a call returns is written, like any other memory.
 *
 * heddle: args=argument verdict=violation kind=race message~="shared"
 * heddle: args=result verdict=violation kind=race message~="shared"
 * heddle: args=small verdict=violation kind=race message~="little"
 * native: any
 */
#include "guest.h"

struct large {
	int v[8];
};
struct small {
	int a, b;
};
static struct large shared;
static struct small little;
static const char *how;
static int sum;

static __attribute__((noipa)) int add(struct large l)
{
	return l.v[0] + l.v[7];
}

static __attribute__((noipa)) struct large make(int n)
{
	struct large l = {{n}};
	return l;
}

static __attribute__((noipa)) int add_small(struct small s)
{
	return s.a + s.b;
}

static void *body(void *arg)
{
	struct large *to = arg;
	if (!strcmp(how, "argument"))
		sum = add(*to);
	else if (!strcmp(how, "result"))
		*to = make(3);
	else
		sum = add_small(little);
	return NULL;
}

int main(int argc, char **argv)
{
	how = argc > 1 ? argv[1] : "argument";
	pthread_t t = spawn(body, &shared);
	if (!strcmp(how, "small"))
		little.b = 1;
	else
		shared.v[7] = 1;
	join(t);
	return 0;
}
