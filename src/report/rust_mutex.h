/*
 * rust_mutex.h: who holds a std::sync::Mutex of a Rust program. Such a mutex is a word that atomic
 * instructions change (0: free) and a futex to sleep on; nothing in it says who locked it. An execution
 * does: the functions of the standard library that its steps are in, and the word before each.
 */
#ifndef HEDDLE_REPORT_RUST_MUTEX_H
#define HEDDLE_REPORT_RUST_MUTEX_H

#include "report/symbols.h"

#define RUST_MUTEXES 64

struct rust_mutexes {
	struct rust_mutex {
		u64 address;
		u32 holder; /* for people: main is 1; 0: free */
	} mutex[RUST_MUTEXES];
	u32 n;
};

enum rust_mutex_step {
	RUST_MUTEX_NOT, /* no step of a mutex, or one that changes nothing that counts */
	RUST_MUTEX_LOCK,
	RUST_MUTEX_BUSY, /* it finds the mutex locked */
	RUST_MUTEX_UNLOCK,
};

/* The step of an atomic instruction on `address`, whose word is `word` before it. Learns who holds it. */
enum rust_mutex_step rust_mutex_step(struct rust_mutexes *m, u32 thread, u64 address, u32 word,
				     const struct frame *frame, size_t frames);
/* The mutex at this address, if any step has used it. */
const struct rust_mutex *rust_mutex_at(const struct rust_mutexes *m, u64 address);
/* `text` with "sleeps on futex {0x…}" of such a mutex as "waits for mutex {0x…}, held by thread 2". */
void rust_mutex_words(const struct rust_mutexes *m, const char *text, char *out, size_t cap);

/*
 * A name that ends with "(Condvar)" is that of a condition variable of Rust's, also a futex. What is said of
 * it in these words is put into those of a condition variable, in place.
 */
bool rust_condvar_is(const char *text);
void rust_condvar_words(char *text);

#endif
