/*
 * Named semaphores inside one program.
 *
 * heddle: args=rules verdict=verified
 * heddle: args=lock verdict=verified
 * heddle: args=first verdict=verified outcomes=0,2
 * heddle: args=two verdict=violation kind=assert
 * heddle: args=gone verdict=verified outcomes=0,2
 * native: args=rules
 * native: args=lock
 */
#include <fcntl.h>
#include <semaphore.h>

#include "guest.h"

static const char *how;
static int inside;
static char name[40];

static int is(const char *story)
{
	return !strcmp(how, story);
}

static sem_t *make(int flags, unsigned value)
{
	sem_t *s = sem_open(name, O_CREAT | flags, 0600, value);
	CHECK(s != SEM_FAILED);
	return s;
}

static void rules(void)
{
	int value;
	sem_unlink(name);
	CHECK(sem_open(name, 0) == SEM_FAILED && errno == ENOENT);
	sem_t *a = make(O_EXCL, 3), *b = make(0, 7);
	CHECK(a == b && !sem_getvalue(b, &value) && value == 3);
	CHECK(sem_open(name, O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED && errno == EEXIST);
	CHECK(sem_open("/", O_CREAT, 0600, 1) == SEM_FAILED && errno == EINVAL);
	OK(sem_wait(a));
	OK(sem_close(a));
	OK(sem_close(b));
	a = sem_open(name, 0); /* nobody had it open: it is still there */
	CHECK(a != SEM_FAILED && !sem_getvalue(a, &value) && value == 2);
	OK(sem_unlink(name));
	b = make(O_EXCL, 9);
	CHECK(a != b && !sem_getvalue(a, &value) && value == 2);
	OK(sem_unlink(name));
	CHECK(sem_unlink(name) == -1 && errno == ENOENT);
	OK(sem_close(a));
	OK(sem_close(b));
}

static void *uses(void *arg)
{
	sem_t *s = make(0, is("two") ? 2 : 1);
	OK(sem_wait(s));
	CHECK(!inside++);
	sched_yield();
	inside--;
	OK(sem_post(s));
	OK(sem_close(s));
	return arg;
}

static void *makes(void *arg)
{
	if (is("gone"))
		OK(sem_unlink(name));
	else
		make(0, 1);
	return arg;
}

int main(int argc, char **argv)
{
	how = argc > 1 ? argv[1] : "rules";
	snprintf(name, sizeof(name), "/heddle-guest-%d", (int)getpid());
	if (is("rules")) {
		rules();
	} else if (is("first") || is("gone")) {
		if (is("gone"))
			make(0, 1);
		pthread_t t = spawn(makes, NULL);
		heddle_outcome(sem_open(name, 0) == SEM_FAILED ? (unsigned long)errno : 0);
		join(t);
	} else {
		pthread_t t = spawn(uses, NULL);
		uses(NULL);
		join(t);
		sem_unlink(name);
	}
	return 0;
}
