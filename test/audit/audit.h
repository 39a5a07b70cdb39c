/*
 * audit.h: a program of a few threads that meet at one kind of object, for test/audit/run.
 *
 *   // plant: CLASS [KEY] [MODE]    declarations that the planted runtime leaves out
 *   // names: REGEX                 what the audit's message must contain then
 *   // unsynchronised: yes          instead of both: its threads race, and the audit counts that
 *   PROGRAM(body_of_the_first_thread, body_of_the_second, …)
 *
 * Without the plant the audit must find nothing.
 */
#ifndef AUDIT_H
#define AUDIT_H

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef void (*body)(void);

static void *run_body(void *arg)
{
	(*(body *)arg)();
	return NULL;
}

/* `before` runs in main before the threads are made. */
#define PROGRAM_AFTER(before, ...) \
	int main(void) \
	{ \
		static body bodies[] = {__VA_ARGS__}; \
		pthread_t t[sizeof bodies / sizeof *bodies]; \
		before(); \
		for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) \
			pthread_create(&t[i], NULL, run_body, &bodies[i]); \
		for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) \
			pthread_join(t[i], NULL); \
		return 0; \
	}

static inline void nothing_before(void)
{
}
#define PROGRAM(...) PROGRAM_AFTER(nothing_before, __VA_ARGS__)

/* A step that has nothing to do with anything: a place to start from. */
static inline void pause_here(void)
{
	sem_t s;
	sem_init(&s, 0, 1);
	sem_wait(&s);
}

#endif
