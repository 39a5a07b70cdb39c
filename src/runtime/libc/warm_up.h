/*
 * warm_up.h: what libc does once, at the first call, is done before main.
 *
 * The first getaddrinfo, getpwuid or localtime of a process reads the machine's configuration into memory
 * that stays. Which thread is the first is of no interest to anybody, but each of them would leave other
 * blocks in other places: threads that ask for "localhost" had a hundred times the states of threads that
 * ask for 127.0.0.1.
 */
#ifndef HEDDLE_RUNTIME_WARM_UP_H
#define HEDDLE_RUNTIME_WARM_UP_H

/* Which functions the program and its libraries import: at start, before calls are trapped. */
void warm_up_setup(void);
/* On the program's first stack, before main. errno stays as it is. */
void warm_up(void);

#endif
