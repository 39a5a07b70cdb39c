/*
 * peterson_volatile.c: as the textbooks have it, with volatile variables: right under sequential consistency
 * (and wrong on the real machine, hence no native run), so what it protects is raced on in the language's eyes.
 * Looking before raising the flag is wrong everywhere.
 *
 * heddle: verdict=violation kind=race args=right message~="counter.*volatile .*orders nothing"
 * heddle: verdict=verified args=right options="--races ignore" outcomes=2
 * heddle: verdict=violation kind=race args=wrong message~="counter"
 * heddle: verdict=verified args=wrong options="--races ignore" outcomes=1,2
 * native: skip
 */
#include "guest.h"

static volatile int wants[2], turn;
static int counter, wrong;

static void *body(void *arg)
{
	int me = (int)(long)arg, other = 1 - me;

	if (!wrong)
		wants[me] = 1;
	turn = other;
	while (wants[other] && turn == other)
		;
	if (wrong)
		wants[me] = 1;
	counter++;
	wants[me] = 0;
	return NULL;
}

int main(int argc, char **argv)
{
	wrong = story(argc, argv, "wrong");
	pthread_t a = spawn(body, (void *)0), b = spawn(body, (void *)1);
	join(a);
	join(b);
	heddle_outcome(counter);
	return 0;
}
