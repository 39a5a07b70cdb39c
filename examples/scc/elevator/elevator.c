/*
 * Elevators: people call from their floor; an idle car claims the call, drives there,
 * takes the person to the wanted floor and parks at its home floor again. The building
 * lets in a few people at a time: the next one comes when the first of those has left.
 *
 * The fault: a car looks for a call and claims it in two critical sections, so two
 * cars may go for the same person.
 *
 *     elevator [CARS [FLOORS [PEOPLE [INSIDE]]]]
 */
#include "../common.h"

#define MAX_CARS 16
#define MAX_PEOPLE 64
#define NOBODY (-1)

enum { OUTSIDE, CALLING, CLAIMED, RIDING, ARRIVED, GONE };

static int cars, floors, people, inside;
static pthread_mutex_t building = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t call_made = PTHREAD_COND_INITIALIZER;
static pthread_cond_t car_arrived = PTHREAD_COND_INITIALIZER;
static int state[MAX_PEOPLE];
static int car_floor[MAX_CARS];
static int goes_for[MAX_CARS]; /* 1 + person, 0: nobody */
static int people_gone;

static int floor_from(int person)
{
	return (person * 3 + 1) % floors;
}

static int floor_to(int person)
{
	return (floor_from(person) + 1 + person % (floors - 1)) % floors;
}

/* Where a car without a call stands. */
static int home(int car)
{
	return car * floors / cars;
}

static int count_people(int in_state)
{
	int n = 0;

	for (int p = 0; p < people; p++)
		n += state[p] == in_state;
	return n;
}

int inv_floors(void)
{
	for (int car = 0; car < cars; car++)
		if (car_floor[car] < 0 || car_floor[car] >= floors)
			return 0;
	return 1;
}

/* Everybody whose call was heard has one car, and no car goes for anybody else. */
int inv_claims(void)
{
	int claims = 0;

	for (int car = 0; car < cars; car++) {
		int p = goes_for[car] - 1;

		if (p == NOBODY)
			continue;
		if (state[p] != CLAIMED && state[p] != RIDING)
			return 0;
		claims++;
	}
	return claims == count_people(CLAIMED) + count_people(RIDING);
}

/* A car with a passenger is where that person came in, any other one at home. */
int inv_parked(void)
{
	for (int car = 0; car < cars; car++) {
		int p = goes_for[car] - 1;
		int riding = p != NOBODY && state[p] == RIDING;

		if (car_floor[car] != (riding ? floor_from(p) : home(car)))
			return 0;
	}
	return 1;
}

int inv_people(void)
{
	return people_gone == count_people(GONE) && people - people_gone - count_people(OUTSIDE) <= inside;
}

static ON_ITS_OWN void check_invariants(void)
{
	INVARIANT(inv_floors());
	INVARIANT(inv_claims());
	INVARIANT(inv_parked());
	INVARIANT(inv_people());
}

static void leave(void)
{
	check_invariants();
	pthread_mutex_unlock(&building);
}

static void *person(void *arg)
{
	int me = (int)(long)arg;

	pthread_mutex_lock(&building);
	assert(state[me] == OUTSIDE);
	state[me] = CALLING;
	check_invariants();
	pthread_cond_signal(&call_made);
	while (state[me] != ARRIVED)
		pthread_cond_wait(&car_arrived, &building);
	state[me] = GONE;
	people_gone++;
	assert(people_gone <= people);
	if (people_gone == people)
		pthread_cond_broadcast(&call_made);
	leave();
	return NULL;
}

static ON_ITS_OWN int find_call(void)
{
	for (int p = 0; p < people; p++)
		if (state[p] == CALLING)
			return p;
	return NOBODY;
}

/* Finds somebody to fetch; false when all have gone. Called and left with the lock held. */
static ON_ITS_OWN int claim_call(int car)
{
	int p;

	while ((p = find_call()) == NOBODY) {
		if (people_gone == people)
			return 0;
		pthread_cond_wait(&call_made, &building);
	}
	if (FAULT) {
		pthread_mutex_unlock(&building);
		pthread_mutex_lock(&building);
	}
	assert(state[p] == CALLING);
	state[p] = CLAIMED;
	goes_for[car] = 1 + p;
	return 1;
}

/* Go on its way while others use the building. */
static void drive(void)
{
	leave();
	pthread_mutex_lock(&building);
}

static ON_ITS_OWN void take_in(int car)
{
	int p = goes_for[car] - 1;

	assert(state[p] == CLAIMED);
	state[p] = RIDING;
	car_floor[car] = floor_from(p);
}

static ON_ITS_OWN void let_out(int car)
{
	int p = goes_for[car] - 1;

	assert(state[p] == RIDING);
	state[p] = ARRIVED;
	car_floor[car] = floor_to(p);
	goes_for[car] = 0;
	pthread_cond_broadcast(&car_arrived);
}

static void *elevator(void *arg)
{
	int car = (int)(long)arg;

	pthread_mutex_lock(&building);
	while (claim_call(car)) {
		drive();
		take_in(car);
		drive();
		let_out(car);
		car_floor[car] = home(car);
	}
	assert(people_gone == people);
	assert(goes_for[car] == 0);
	leave();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t c[MAX_CARS], p[MAX_PEOPLE];

	cars = scc_arg(argc, argv, 1, 5, 1, MAX_CARS);
	floors = scc_arg(argc, argv, 2, 10, 2, 100);
	people = scc_arg(argc, argv, 3, 10, 1, MAX_PEOPLE);
	inside = scc_arg(argc, argv, 4, 2, 1, MAX_PEOPLE);
	for (int car = 0; car < cars; car++)
		car_floor[car] = home(car);
	scc_start_all(c, cars, elevator);
	for (int i = 0; i < people; i++) {
		if (i >= inside)
			pthread_join(p[i % inside], NULL);
		p[i % inside] = scc_start(person, i);
	}
	for (int i = people > inside ? people - inside : 0; i < people; i++)
		pthread_join(p[i % inside], NULL);
	scc_join_all(c, cars);
	assert(count_people(GONE) == people);
	printf("%d people were carried by %d elevators\n", people, cars);
	return 0;
}
