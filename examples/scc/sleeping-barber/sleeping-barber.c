/*
 * Sleeping barbers: customers sit down on free chairs or leave, barbers serve them
 * in their order and sleep when nobody waits. The shop closes when all customers
 * have left.
 *
 * The fault: a barber that is woken does not look whether the customer who woke
 * it is still there; a colleague may have been faster.
 *
 *     sleeping-barber [BARBERS [CUSTOMERS [CHAIRS [VISITS]]]]
 */
#include "../common.h"

#define MAX_BARBERS 8
#define MAX_CUSTOMERS 16

enum { AWAY, SITTING, IN_CUT, SHORN };

static int barbers, customers, chairs, visits;
static pthread_mutex_t shop = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t customer_came = PTHREAD_COND_INITIALIZER;
static pthread_cond_t cut_done = PTHREAD_COND_INITIALIZER;
static int state[MAX_CUSTOMERS];
/* Those who sit, in the order of their coming: 1 + customer; 0 beyond `seated`. */
static int queue[MAX_CUSTOMERS];
static int seated;
static int serves[MAX_BARBERS]; /* 1 + customer, 0: nobody */
static int customers_to_come;   /* who have not left for good */

static int count_customers(int in_state)
{
	int n = 0;

	for (int c = 0; c < customers; c++)
		n += state[c] == in_state;
	return n;
}

int inv_chairs(void)
{
	return seated >= 0 && seated <= chairs;
}

/* Exactly those who sit are in the queue. */
int inv_queue(void)
{
	for (int i = 0; i < seated; i++)
		if (queue[i] == 0 || state[queue[i] - 1] != SITTING)
			return 0;
	return count_customers(SITTING) == seated;
}

/* Every barber serves a customer of his own, and nobody is in the cut without a barber. */
int inv_served(void)
{
	int busy = 0;

	for (int b = 0; b < barbers; b++) {
		if (serves[b] == 0)
			continue;
		busy++;
		for (int other = 0; other < b; other++)
			if (serves[other] == serves[b])
				return 0;
	}
	return busy == count_customers(IN_CUT);
}

/* Whoever is in the shop has not left for good. */
int inv_open(void)
{
	return customers_to_come >= customers - count_customers(AWAY) && customers_to_come <= customers;
}

static ON_ITS_OWN void check_invariants(void)
{
	INVARIANT(inv_chairs());
	INVARIANT(inv_queue());
	INVARIANT(inv_served());
	INVARIANT(inv_open());
}

static void leave(void)
{
	check_invariants();
	pthread_mutex_unlock(&shop);
}

static ON_ITS_OWN void sit_down(int me)
{
	assert(state[me] == AWAY);
	state[me] = SITTING;
	queue[seated++] = 1 + me;
	check_invariants();
	pthread_cond_signal(&customer_came);
}

static ON_ITS_OWN void visit(int me, int last)
{
	pthread_mutex_lock(&shop);
	if (seated < chairs) {
		sit_down(me);
		while (state[me] != SHORN)
			pthread_cond_wait(&cut_done, &shop);
		state[me] = AWAY;
	}
	if (last && --customers_to_come == 0)
		pthread_cond_broadcast(&customer_came);
	leave();
}

static void *customer(void *arg)
{
	for (int left = visits; left > 0; left--)
		visit((int)(long)arg, left == 1);
	return NULL;
}

static int next_customer(void)
{
	int c = queue[0] - 1;

	assert(seated > 0);
	seated--;
	for (int i = 0; i < seated; i++)
		queue[i] = queue[i + 1];
	queue[seated] = 0;
	assert(state[c] == SITTING);
	return c;
}

/* Gets a customer into the barber's chair; false when the shop closes. */
static ON_ITS_OWN int call_in(int me)
{
	int c;

	pthread_mutex_lock(&shop);
	while (seated == 0) {
		if (customers_to_come == 0) {
			leave();
			return 0;
		}
		pthread_cond_wait(&customer_came, &shop);
		if (FAULT && customers_to_come > 0)
			break; /* "if" in place of "while" */
	}
	c = next_customer();
	state[c] = IN_CUT;
	serves[me] = 1 + c;
	leave();
	return 1;
}

static ON_ITS_OWN void finish_cut(int me)
{
	int c;

	pthread_mutex_lock(&shop);
	c = serves[me] - 1;
	assert(c >= 0 && state[c] == IN_CUT);
	state[c] = SHORN;
	serves[me] = 0;
	pthread_cond_broadcast(&cut_done);
	leave();
}

static void *barber(void *arg)
{
	int me = (int)(long)arg;

	while (call_in(me))
		finish_cut(me);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t b[MAX_BARBERS], c[MAX_CUSTOMERS];

	barbers = scc_arg(argc, argv, 1, 2, 1, MAX_BARBERS);
	customers = scc_arg(argc, argv, 2, 4, 1, MAX_CUSTOMERS);
	chairs = scc_arg(argc, argv, 3, 3, 1, MAX_CUSTOMERS);
	visits = scc_arg(argc, argv, 4, 2, 1, 100);
	customers_to_come = customers;
	scc_start_all(b, barbers, barber);
	scc_start_all(c, customers, customer);
	scc_join_all(b, barbers);
	scc_join_all(c, customers);
	assert(seated == 0 && customers_to_come == 0);
	printf("%d customers have left the shop of %d barbers\n", customers, barbers);
	return 0;
}
