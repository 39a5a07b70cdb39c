#include "report/rust_mutex.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct rust_mutex *rust_mutex_at(const struct rust_mutexes *m, u64 address)
{
	for (u32 i = 0; i < m->n; i++)
		if (m->mutex[i].address == address)
			return &m->mutex[i];
	return NULL;
}

static void set_holder(struct rust_mutexes *m, u64 address, u32 holder)
{
	struct rust_mutex *known = (struct rust_mutex *)rust_mutex_at(m, address);

	if (known)
		known->holder = holder;
	else if (m->n < RUST_MUTEXES)
		m->mutex[m->n++] = (struct rust_mutex){address, holder};
}

/* The method of the mutex that the step is in, "lock"; NULL: in none. */
static const char *method(const struct frame *frame, size_t frames)
{
	static const char of[] = "futex::Mutex";

	for (size_t i = 0; i < frames; i++) {
		const char *at = strstr(frame[i].function, of), *last;

		if (!at || !strstr(frame[i].function, "mutex"))
			continue;
		last = strstr(at, "::");
		last = last ? strstr(at + sizeof(of) - 1, "::") : NULL;
		if (last)
			return last + 2;
	}
	return NULL;
}

enum rust_mutex_step rust_mutex_step(struct rust_mutexes *m, u32 thread, u64 address, u32 word,
				     const struct frame *frame, size_t frames)
{
	const char *what = method(frame, frames);

	if (!what)
		return RUST_MUTEX_NOT;
	if (!strncmp(what, "unlock", 6)) {
		if (!word)
			return RUST_MUTEX_NOT;
		set_holder(m, address, 0);
		return RUST_MUTEX_UNLOCK;
	}
	if (strncmp(what, "lock", 4) && strncmp(what, "try_lock", 8))
		return RUST_MUTEX_NOT;
	if (word)
		return RUST_MUTEX_BUSY;
	set_holder(m, address, thread);
	return RUST_MUTEX_LOCK;
}

void rust_mutex_words(const struct rust_mutexes *m, const char *text, char *out, size_t cap)
{
	static const char sleeps[] = "sleeps on futex {0x";
	size_t n = 0;

	while (*text && n + 1 < cap) {
		const struct rust_mutex *known = NULL;
		char *end = NULL;

		if (m->n && !strncmp(text, sleeps, sizeof(sleeps) - 1)) {
			u64 address = strtoull(text + sizeof(sleeps) - 3, &end, 16);

			known = rust_mutex_at(m, address);
		}
		if (!known || *end != '}') {
			out[n++] = *text++;
			continue;
		}
		n += (size_t)snprintf(out + n, cap - n, "waits for mutex {0x%lx}", known->address);
		if (known->holder && n < cap)
			n += (size_t)snprintf(out + n, cap - n, ", held by thread %u", known->holder);
		n = HD_MIN(n, cap - 1);
		text = end + 1;
	}
	out[n] = 0;
}

bool rust_condvar_is(const char *text)
{
	return strstr(text, " (Condvar)") != NULL;
}

/* `from` becomes `to`, which is no longer, as long as a name of a condition variable follows it. */
static void replace(char *text, const char *from, const char *to)
{
	for (char *at = text; (at = strstr(at, from)); at += strlen(to)) {
		size_t end = strcspn(at, ";,");
		const char *name = strstr(at, " (Condvar)");

		if (!name || (size_t)(name - at) > end)
			continue;
		for (size_t i = 0; to[i]; i++)
			at[i] = to[i];
		memmove(at + strlen(to), at + strlen(from), strlen(at + strlen(from)) + 1);
	}
}

void rust_condvar_words(char *text)
{
	replace(text, "sleeps on futex ", "waits on ");
	replace(text, "checks futex ", "waits on ");
	replace(text, "wakes futex ", "signals ");
	replace(text, "wakes on futex ", "wakes on ");
}
